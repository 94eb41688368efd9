import { RunbookSection } from '../../diagnosis/published-guides';
import { formatDuration, messagesText } from '../../policy/format-text';
import { totalOf } from '../../policy/redrive/budget';
import { knownValue } from '../../template/maybe-known';
import { type AlarmReport, alarmsOn, allAlarms, firingTexts, runbookLinkOf } from '../alarm-reports';
import type { Connection } from '../connection/connection';
import { queueNameOf } from '../names';
import { awsCommandOf, dloCommand, roleLines, type Site } from '../printed-commands';
import type { FoundRedrives } from './find-redrives';
import { type FailurePlace, factClients, failurePlaces, type RedriveView } from './redrive-state';

export interface RedriveReport {
  readonly seen: RedriveView;
  readonly site: Site;
  readonly places: readonly FailurePlace[];
  /** Alarms on its function, its queues, and the queues where messages end that fail again. */
  readonly alarms: readonly AlarmReport[];
  readonly ownAlarms: readonly AlarmReport[];
}

export function sectionLink({ ownAlarms }: RedriveReport, section: RunbookSection): string | undefined {
  const links = ownAlarms.map(runbookLinkOf).filter(link => link !== undefined);
  return links[0]?.replace(/#.*$/, `#${section}`);
}

function see(whole: RedriveReport, section: RunbookSection): string {
  const link = sectionLink(whole, section);
  return link === undefined ? '' : ` See ${link}`;
}

function ofSwitch({ seen: { redrive, facts }, site }: RedriveReport): string[] {
  const { name, settings } = redrive;
  const start = dloCommand(['redrive', 'start', name, '--execute'], site);
  const off = { off: 'is off', unknown: 'is neither on nor off, or does not exist' };
  return [
    ...(facts.killSwitch === 'on'
      ? []
      : [`Its switch ${off[facts.killSwitch]}. This lets it continue at its next trigger:\n${start}`]),
    ...(settings.enabled ? [] : ['It is not enabled: it moves messages only with enabled: true in its app.']),
  ];
}

function ofMessages(whole: RedriveReport): string[] {
  const { redrive, facts, byItself, ifAsked } = whole.seen;
  const { name, settings } = redrive;
  if (!facts.deadLetters)
    return ['Its dead-letter queue does not exist: npx cdk deploy --revert-drift creates it again.'];
  const { state, run } = byItself;
  const stopped =
    state === 'stopped'
      ? [`Fix what stopped it: ${run?.ending?.reason}.${see(whole, RunbookSection.REDRIVE_STOPPED)}`]
      : [];
  const isWaiting = totalOf(facts.deadLetters) > 0 && ifAsked.decision.kind === 'start' && settings.enabled;
  const isIdle = state === 'idle' || state === 'stopped';
  const command = dloCommand(['redrive', 'run', name, '--execute'], whole.site);
  const ask = `It waits for its next trigger. This starts a run now, with its canary:\n${command}`;
  return [...stopped, ...(isWaiting && isIdle ? [ask] : [])];
}

/** How to empty a quarantine, with and without a move task of SQS. Each command is on a line of its own. */
function wayOut(whole: RedriveReport, { queue, isByRedrive }: FailurePlace): readonly string[] {
  const link = see(whole, RunbookSection.DEAD_LETTERS_IN_QUARANTINE);
  const role = roleLines(whole.site);
  const look = awsCommandOf(
    [
      ...['sqs', 'receive-message', '--queue-url', queue.url, '--visibility-timeout', '10'],
      ...['--attribute-names', 'All', '--message-attribute-names', 'All'],
    ],
    whole.site,
  );
  if (isByRedrive) {
    const byHand = 'invoke the function with the good ones yourself, because SQS knows no source queue to move them to';
    return [`look at them, fix what fails, then ${byHand}, and delete the rest.${link}`, ...role, look];
  }
  const move = awsCommandOf(
    ['sqs', 'start-message-move-task', '--source-arn', queue.arn, '--max-number-of-messages-per-second', '1'],
    whole.site,
  );
  return [
    `look at them, fix what fails, then move them back for another attempt, or delete them.${link}`,
    ...role,
    look,
    move,
  ];
}

/** What to do with messages that failed again. */
function ofPlace(whole: RedriveReport, place: FailurePlace): string[] {
  const { queue, depth, oldestAgeSeconds = 0, emptiedBy } = place;
  const queueName = queueNameOf(queue.arn);
  if (!depth)
    return [
      `${queueName}, the queue for messages that fail again, does not exist: npx cdk deploy --revert-drift creates it again.`,
    ];
  const messages = totalOf(depth);
  if (messages === 0) return [];
  const age = oldestAgeSeconds > 0 ? `, the oldest for ${formatDuration(oldestAgeSeconds)}` : '';
  const there = `${messagesText(messages)} ${messages === 1 ? 'is' : 'are'} in ${queueName}${age}`;
  if (emptiedBy !== undefined) return [`${there}, which the redrive ${emptiedBy} empties.`];
  const [first, ...commands] = wayOut(whole, place);
  const failed = 'They failed again after a redrive, and no redrive moves them out';
  return [[`${there}. ${failed}: ${first}`, ...commands].join('\n')];
}

/** What the operator can do, by the state, the quarantine and the alarms of the redrive. */
export function adviceOf(whole: RedriveReport): string[] {
  return [
    ...ofSwitch(whole),
    ...ofMessages(whole),
    ...whole.places.flatMap(place => ofPlace(whole, place)),
    ...firingTexts(whole.alarms),
  ];
}

/** Reads what belongs to a redrive: where its messages end that fail again, and the alarms. */
export async function redriveReport(
  aws: Connection,
  site: Site,
  seen: RedriveView,
  { redrives }: FoundRedrives,
  nowMs: () => number,
): Promise<RedriveReport> {
  const { name, settings } = seen.redrive;
  const [places, all] = await Promise.all([
    failurePlaces(factClients(aws), settings, redrives, nowMs(), aws.unread),
    allAlarms(aws),
  ]);
  const { deadLetters, destination } = settings;
  const queues = [deadLetters, destination, ...places.map(({ queue }) => queue)].map(({ arn }) => queueNameOf(arn));
  const known = knownValue(all) ?? [];
  return { seen, site, places, alarms: alarmsOn([name, ...queues], known), ownAlarms: alarmsOn([name], known) };
}
