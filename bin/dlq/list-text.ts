import {
  type ListedQueue,
  messagesOf,
  type QueueList,
  urgencyFactsOf,
} from '../../account/inventory/dead-letter-queues';
import { queueNameOf } from '../../account/names';
import { dloCommand, type Site } from '../../account/printed-commands';
import { CONSEQUENCES, type Finding, isAtLeastAsSevere, SEVERITIES } from '../../diagnosis/checks/finding';
import { urgencyOf } from '../../diagnosis/inventory/queue-expiry';
import { shortenedText, shortNames } from '../../diagnosis/inventory/short-names';
import { andMore, counted, formatNumber, messagesText } from '../../policy/format-text';
import { formatInstant } from '../../policy/instants';
import type { MoveFacts } from '../../policy/redrive/redrive-facts';
import { knownValue } from '../../template/maybe-known';
import { foreignText, type Paint } from '../shared/terminal-text';
import { feederText, queueTable, type TableLayout, UNKNOWN } from './list-table';

export interface ListPage {
  readonly stack?: string;
  /** Whether every queue and finding is listed. */
  readonly isAll: boolean;
  /** Whether names are shown as CloudFormation made them. */
  readonly hasFullNames: boolean;
  readonly nowMs: number;
  readonly paint: Paint;
  /** Of the terminal. @default - unlimited, for files and pipes */
  readonly width?: number;
  /** Whether the queues are of several accounts or Regions. */
  readonly hasPlaces: boolean;
  /** The account and Region of a queue, for commands. */
  siteOf(queue: ListedQueue): Site;
}

/** How many queues are listed without `--all`: about a screen. */
export const MOST_QUEUES = 25;

/** How many findings are listed without `--all`. */
const MOST_FINDINGS = 5;

/** The rest of a longer finding is in `dlo doctor`. */
const MOST_CHARACTERS = 130;

/** How many names fit in a line. */
const MOST_NAMES = 3;

/** Whether it is listed without `--all`: it holds messages, or may hold some. */
export function isUrgent(queue: ListedQueue, { nowMs }: Pick<ListPage, 'nowMs'>): boolean {
  return urgencyOf(urgencyFactsOf(queue), nowMs) !== 'empty';
}

/** The numbers of what is not listed. */
function restText(shown: readonly ListedQueue[], here: readonly ListedQueue[], page: ListPage): readonly string[] {
  const rest = here.filter(queue => !shown.includes(queue));
  if (rest.length === 0) return [];
  const holding = rest.filter(queue => isUrgent(queue, page));
  const messages = holding.reduce((sum, queue) => sum + messagesOf(queue), 0);
  const empty = rest.length - holding.length;
  const parts = [
    ...(holding.length === 0 ? [] : [`${counted(holding.length, 'queue', 'queues')} with ${messagesText(messages)}`]),
    ...(empty === 0 ? [] : [counted(empty, 'empty queue', 'empty queues')]),
  ];
  return [
    `${shown.length === 0 ? 'No dead-letter queue holds messages. ' : ''}Not listed: ${parts.join(' and ')} (--all lists them).`,
  ];
}

/** Says how to find the age of messages when CloudWatch has no data. */
function agelessText(queues: readonly ListedQueue[]): readonly string[] {
  const some = queues.some(queue => messagesOf(queue) > 0 && queue.heldSinceMs === undefined);
  return some ? [`${UNKNOWN} CloudWatch has no data: dlo dlq peek shows when a message was sent and expires.`] : [];
}

/** The command for the first queue. */
function nextText([first]: readonly ListedQueue[], { siteOf }: ListPage): readonly string[] {
  return first && messagesOf(first) > 0 ? ['Next', `  ${dloCommand(['dlq', 'why', first.name], siteOf(first))}`] : [];
}

function tableLines(here: readonly ListedQueue[], page: ListPage, layout: TableLayout): readonly string[] {
  const urgent = here.filter(queue => isUrgent(queue, page));
  const shown = page.isAll ? here : urgent.slice(0, MOST_QUEUES);
  return [
    ...(shown.length === 0 ? [] : queueTable(shown, layout)),
    ...agelessText(shown),
    ...restText(shown, here, page),
  ];
}

function unfedLines(here: readonly ListedQueue[], { nameOf }: TableLayout): readonly string[] {
  const names = here.filter(({ feeders }) => feeders.length === 0).map(nameOf);
  if (names.length === 0) return [];
  const [hold, them] = names.length === 1 ? ['holds', 'it'] : ['hold', 'them'];
  const who = andMore(names, MOST_NAMES);
  return [`${who} ${hold} messages, and no resource that could be read names ${them} as a dead-letter queue any more.`];
}

/** Queues that do not exist or cannot be read, with what feeds them. */
function lostLines(queues: readonly ListedQueue[], { paint, hasFullNames }: TableLayout): readonly string[] {
  return queues.flatMap(({ name, location, feeders }) => {
    const fed = andMore(
      feeders.map(it => feederText(it, hasFullNames)),
      MOST_NAMES,
    );
    if (location.kind === 'gone')
      return [paint.red(`${name} does not exist: messages sent to it are lost. Fed by ${fed}`)];
    if (location.kind === 'here') return [];
    if (location.kind === 'unknown') return [`${name} may not exist: that is unknown. Fed by ${fed}`];
    const { account, region } = location;
    return [`${name} is in the account ${account} in ${region}, and cannot be read from here. Fed by ${fed}`];
  });
}

function findingLine({ severity, says }: Finding, { paint, hasFullNames }: ListPage, alike = 0): string {
  const text = foreignText(hasFullNames ? says : shortenedText(says), MOST_CHARACTERS);
  const more = alike === 0 ? '' : ` And ${formatNumber(alike)} more like this.`;
  const line = `  ${severity.padEnd(9)}  ${text}${more}`;
  return severity === 'note' ? paint.dim(line) : line;
}

/** A finding that is about several queues is listed once, the most severe first. */
function findingsOf(queues: readonly ListedQueue[]): readonly Finding[] {
  const findings = [...new Set(queues.flatMap(queue => queue.findings))];
  return SEVERITIES.flatMap(wanted => findings.filter(({ severity }) => severity === wanted));
}

/** Lists what loses messages, once for each check. Of the rest it has the numbers. */
function summedFindings(
  queues: readonly ListedQueue[],
  findings: readonly Finding[],
  page: ListPage,
): readonly string[] {
  const losing = findings.filter(({ severity }) => isAtLeastAsSevere(severity, 'on-change'));
  const checks = [...new Set(losing.map(({ id }) => id))].map(id => losing.filter(it => it.id === id));
  const more = checks.slice(MOST_FINDINGS).flat().length;
  const unwatched = queues.filter(it => it.findings.some(({ severity }) => severity === 'unwatched')).length;
  const notes = findings.filter(({ severity }) => severity === 'note').length;
  return [
    ...checks
      .slice(0, MOST_FINDINGS)
      .flatMap(([first, ...alike]) => (first ? [findingLine(first, page, alike.length)] : [])),
    ...(more > 0 ? [`             and ${formatNumber(more)} more`] : []),
    ...(unwatched > 0
      ? [`  unwatched  ${unwatched} of ${counted(queues.length, 'queue', 'queues')}: ${CONSEQUENCES.unwatched}`]
      : []),
    ...(notes > 0 ? [page.paint.dim(`  note       ${counted(notes, 'finding', 'findings')}`)] : []),
  ];
}

/** Without a Region, the doctor would examine the assembly in this folder. */
function doctorCommand({ options, region }: Site): string {
  return dloCommand(['doctor', ...(options.region === undefined && region ? ['--region', region] : [])], { options });
}

/** The commands that have details, one for each account and Region with findings. */
function doctorCommands(queues: readonly ListedQueue[], { siteOf }: ListPage): readonly string[] {
  const found = queues.filter(({ findings }) => findings.length > 0);
  const commands = [...new Set(found.map(queue => doctorCommand(siteOf(queue))))].map(command => `  ${command}`);
  const more = commands.length - MOST_NAMES;
  return more > 0 ? [...commands.slice(0, MOST_NAMES), `  and in ${formatNumber(more)} more`] : commands;
}

function missingLines(queues: readonly ListedQueue[], page: ListPage): readonly string[] {
  const findings = findingsOf(queues);
  if (findings.length === 0) return [];
  const lines = page.isAll ? findings.map(it => findingLine(it, page)) : summedFindings(queues, findings, page);
  return ['What is missing, with details and fixes in', ...doctorCommands(queues, page), ...lines];
}

/** `worked-dlq: 120 of about 1,000 moved to work since 2026-01-05 02:00 UTC, at 10 a second`. */
export function moveText(name: string, move: MoveFacts): string {
  const { status, moved, toMove, destinationArn, messagesPerSecond, startedAtMs } = move;
  const of = toMove === undefined ? '' : ` of about ${formatNumber(toMove)}`;
  const to = destinationArn === undefined ? 'back to their source queues' : `to ${queueNameOf(destinationArn)}`;
  const rate = messagesPerSecond === undefined ? '' : `, at ${formatNumber(messagesPerSecond)} a second`;
  const cancelling = status === 'CANCELLING' ? '; it is being cancelled' : '';
  return `${name}: ${formatNumber(moved)}${of} moved ${to} since ${formatInstant(startedAtMs)}${rate}${cancelling}`;
}

function movingLines(queues: readonly ListedQueue[], { nameOf }: TableLayout): readonly string[] {
  const lines = queues.flatMap(queue =>
    (knownValue(queue.moves) ?? []).map(move => `  ${moveText(nameOf(queue), move)}`),
  );
  return lines.length === 0 ? [] : ['Moving (dlo dlq watch follows it, dlo dlq cancel stops it):', ...lines];
}

type ShownList = Pick<QueueList, 'region' | 'queues' | 'mayLackFeeders' | 'mayLackFindings'>;

/** What the list may lack, because it could not be read. */
function unknownLines({ mayLackFeeders, mayLackFindings }: Omit<ShownList, 'region' | 'queues'>): readonly string[] {
  return [
    ...(mayLackFeeders
      ? [`${UNKNOWN} Other resources may feed these queues or others: not all of them could be read.`]
      : []),
    ...(mayLackFindings ? [`${UNKNOWN} Which dead letters no alarm reports is unknown.`] : []),
  ];
}

function layoutOf(queues: readonly ListedQueue[], page: ListPage): TableLayout {
  const { nowMs, paint, width, hasFullNames, hasPlaces } = page;
  const short = shortNames(queues.map(({ name }) => name));
  return {
    nowMs,
    paint,
    hasFullNames,
    hasPlaces,
    nameOf: ({ name }) => (hasFullNames ? name : (short.get(name) ?? name)),
    ...(width !== undefined && { width }),
  };
}

/**
 * A table of the queues that hold messages, the most urgent first; the numbers of the rest; what is lost, moving and missing.
 */
export function listText({ region, queues, ...unknown }: ShownList, page: ListPage): string {
  if (queues.length === 0) {
    const where = page.stack === undefined ? region : `the stack ${page.stack} in ${region}`;
    const those = unknown.mayLackFeeders ? 'resource that could be read' : 'resource';
    return `No ${those} in ${where} has a dead-letter queue.\n`;
  }
  const layout = layoutOf(queues, page);
  const here = queues.filter(({ location }) => location.kind === 'here');
  const parts = [
    tableLines(here, page, layout),
    lostLines(queues, layout),
    unfedLines(here, layout),
    movingLines(here, layout),
    missingLines(queues, page),
    unknownLines(unknown),
    nextText(here, page),
  ];
  return `${parts
    .filter(lines => lines.length > 0)
    .map(lines => lines.join('\n'))
    .join('\n\n')}\n`;
}
