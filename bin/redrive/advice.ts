import { type AlarmReport, firingTexts, runbookLinkOf } from '../../account/alarms';
import { queueNameOf } from '../../account/names';
import { awsCommandOf, dloCommand, type Site } from '../../account/printed-commands';
import type { FailurePlace, RedriveView } from '../../account/redrive/redrive-state';
import { RunbookSection } from '../../lib/shared/published-runbook';
import { formatDuration, messagesText } from '../../policy/format-text';
import { totalOf } from '../../policy/redrive/budget';

/** All that is told of one redrive. */
export interface RedriveReport {
  readonly seen: RedriveView;
  readonly site: Site;
  readonly places: readonly FailurePlace[];
  /** Those that watch its function, its queues, or where what fails again ends. */
  readonly alarms: readonly AlarmReport[];
  /** Those that watch its function. */
  readonly ownAlarms: readonly AlarmReport[];
}

/** Where the runbook is, by what an alarm of the redrive says. */
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
  const off = { off: 'is off', unknown: 'says neither on nor off, or is not there' };
  return [
    ...(facts.killSwitch === 'on'
      ? []
      : [`Its switch ${off[facts.killSwitch]}. This lets it go on by its triggers:\n${start}`]),
    ...(settings.enabled ? [] : ['It is not enabled: it acts once its app says enabled: true.']),
  ];
}

/** What its letters wait for. */
function ofMessages(whole: RedriveReport): string[] {
  const { redrive, facts, byItself, ifAsked } = whole.seen;
  const { name, settings } = redrive;
  if (!facts.deadLetters) return ['Its dead-letter queue is not there: npx cdk deploy --revert-drift makes it anew.'];
  const { state, run } = byItself;
  const stopped =
    state === 'stopped'
      ? [`Mend what stopped it: ${run?.ending?.reason}.${see(whole, RunbookSection.REDRIVE_STOPPED)}`]
      : [];
  const isWaiting = totalOf(facts.deadLetters) > 0 && ifAsked.decision.kind === 'start' && settings.enabled;
  const isIdle = state === 'idle' || state === 'stopped';
  const command = dloCommand(['redrive', 'run', name, '--execute'], whole.site);
  const ask = `It waits for its triggers. This begins a run now, with its canary:\n${command}`;
  return [...stopped, ...(isWaiting && isIdle ? [ask] : [])];
}

/** How letters get out of a quarantine, where SQS can move them and where it cannot; the commands for it on lines of their own. */
function wayOut(whole: RedriveReport, { queue, isByRedrive }: FailurePlace): readonly string[] {
  const link = see(whole, RunbookSection.DEAD_LETTERS_IN_QUARANTINE);
  const look = awsCommandOf(
    [
      ...['sqs', 'receive-message', '--queue-url', queue.url, '--visibility-timeout', '10'],
      ...['--attribute-names', 'All', '--message-attribute-names', 'All'],
    ],
    whole.site,
  );
  if (isByRedrive) {
    const byHand = 'send what is good to the function by hand, for SQS knows no queue to move it back to';
    return [`look, mend what fails, then ${byHand}, and delete the rest.${link}`, look];
  }
  const move = awsCommandOf(
    ['sqs', 'start-message-move-task', '--source-arn', queue.arn, '--max-number-of-messages-per-second', '1'],
    whole.site,
  );
  return [`look, mend what fails, then move it back for another pass, or delete it.${link}`, look, move];
}

/** What to do with what failed again. */
function ofPlace(whole: RedriveReport, place: FailurePlace): string[] {
  const { queue, depth, oldestAgeSeconds = 0, emptiedBy } = place;
  const queueName = queueNameOf(queue.arn);
  if (!depth) return [`${queueName} is not there, where what fails again ends: npx cdk deploy --revert-drift.`];
  const messages = totalOf(depth);
  if (messages === 0) return [];
  const age = oldestAgeSeconds > 0 ? `, the oldest for ${formatDuration(oldestAgeSeconds)}` : '';
  const there = `${messagesText(messages)} ${messages === 1 ? 'is' : 'are'} in ${queueName}${age}`;
  if (emptiedBy !== undefined) return [`${there}, which the redrive ${emptiedBy} empties.`];
  const [first, ...commands] = wayOut(whole, place);
  const failed = 'What is there failed after it had been sent home, and no redrive takes it out';
  return [[`${there}. ${failed}: ${first}`, ...commands].join('\n')];
}

/** What its operator can do: what its state asks for, what is in quarantine, and what each alarm that fires says. */
export function adviceOf(whole: RedriveReport): string[] {
  return [
    ...ofSwitch(whole),
    ...ofMessages(whole),
    ...whole.places.flatMap(place => ofPlace(whole, place)),
    ...firingTexts(whole.alarms),
  ];
}
