import { type ListedQueue, messagesOf, type QueueList } from '../../../account/inventory/dead-letter-queues';
import { queueNameOf } from '../../../account/names';
import type { Finding } from '../../../diagnosis/checks/finding';
import type { QueueFeeder } from '../../../diagnosis/inventory/feeders';
import { andMore, formatNumber, roughDuration } from '../../../policy/format-text';
import { formatInstant } from '../../../policy/instants';
import type { MoveFacts } from '../../../policy/redrive/redrive-facts';
import { type Column, foreignText, type Paint, table } from '../../shared/terminal-text';

/** The rest of a longer finding is in `dlo doctor`. */
const MOST_CHARACTERS = 130;

function depthColumn(heading: string, of: 'visible' | 'inFlight' | 'delayed'): Column<ListedQueue> {
  return { heading, align: 'right', cell: ({ depth }) => (depth ? formatNumber(depth[of]) : UNKNOWN) };
}

function columns(nowMs: number): readonly Column<ListedQueue>[] {
  return [
    { heading: 'QUEUE', align: 'left', cell: ({ name }) => name },
    depthColumn('MESSAGES', 'visible'),
    depthColumn('IN FLIGHT', 'inFlight'),
    depthColumn('DELAYED', 'delayed'),
    { heading: 'OLDEST', align: 'left', cell: queue => oldestText(queue, nowMs) },
    { heading: 'FIRST EXPIRES', align: 'left', cell: queue => expiryText(queue, nowMs) },
    { heading: 'FED BY', align: 'left', cell: feedersText },
  ];
}

/** Says how to find the age of messages when CloudWatch has no data. */
function ageless(queues: readonly ListedQueue[]): readonly string[] {
  const some = queues.some(queue => messagesOf(queue) > 0 && queue.heldSinceMs === undefined);
  return some ? [`${UNKNOWN} CloudWatch has no data: dlo dlq peek shows when a message was sent and expires.`] : [];
}

function tableLines(queues: readonly ListedQueue[], nowMs: number, paint: Paint): readonly string[] {
  if (queues.length === 0) return [];
  const [heading = '', ...lines] = table(columns(nowMs), queues);
  const painted = queues.map((queue, index) => {
    const line = lines[index] ?? '';
    return messagesOf(queue) > 0 ? paint.yellow(line) : line;
  });
  return [paint.bold(heading), ...painted, ...ageless(queues)];
}

/** Queues that do not exist or cannot be read, with what feeds them. */
function lostLines(queues: readonly ListedQueue[], paint: Paint): readonly string[] {
  return queues.flatMap(({ name, whereabouts, feeders }) => {
    const fed = feeders.map(feederText).join(', ');
    if (whereabouts.kind === 'gone')
      return [paint.red(`${name} does not exist: messages sent to it are lost. Fed by ${fed}`)];
    if (whereabouts.kind === 'here') return [];
    const { account, region } = whereabouts;
    return [`${name} is in the account ${account} in ${region}, and cannot be read from here. Fed by ${fed}`];
  });
}

function missingLine({ severity, says }: Finding, paint: Paint): string {
  const line = `  ${severity.padEnd(9)}  ${foreignText(says, MOST_CHARACTERS)}`;
  return severity === 'note' ? paint.dim(line) : line;
}

/** A finding that is about several queues is listed once. */
function missingLines(queues: readonly ListedQueue[], paint: Paint): readonly string[] {
  const findings = new Set(queues.flatMap(queue => queue.findings));
  if (findings.size === 0) return [];
  const lines = [...findings].map(finding => missingLine(finding, paint));
  return ['What is missing (dlo doctor has details and fixes):', ...lines];
}

function movingLines(queues: readonly ListedQueue[]): readonly string[] {
  const lines = queues.flatMap(queue => queue.moves.map(move => `  ${moveText(queue, move)}`));
  return lines.length === 0 ? [] : ['Moving (dlo dlq watch follows it, dlo dlq cancel stops it):', ...lines];
}

/** A table of the queues, with those that have messages highlighted, and what is lost, moving and missing. */
export function listText(
  { region, queues }: QueueList,
  stack: string | undefined,
  nowMs: number,
  paint: Paint,
): string {
  if (queues.length === 0) {
    const where = stack === undefined ? region : `the stack ${stack} in ${region}`;
    return `No resource in ${where} has a dead-letter queue.\n`;
  }
  const here = queues.filter(({ whereabouts }) => whereabouts.kind === 'here');
  const parts = [
    tableLines(here, nowMs, paint),
    lostLines(queues, paint),
    movingLines(here),
    missingLines(queues, paint),
  ];
  return `${parts
    .filter(lines => lines.length > 0)
    .map(lines => lines.join('\n'))
    .join('\n\n')}\n`;
}

const KINDS: Readonly<Record<QueueFeeder['kind'], string>> = {
  subscription: 'subscription',
  queue: 'queue',
  function: 'function',
  destination: 'failures of',
  mapping: 'mapping',
  rule: 'rule',
  schedule: 'schedule',
};

/** The longest name of a feeder in a line. */
const MOST_FEEDER_CHARACTERS = 60;

/** `subscription orders to work`. */
function feederText({ kind, resource, qualifier }: QueueFeeder): string {
  const of = qualifier === undefined || qualifier === '$LATEST' ? '' : `:${qualifier}`;
  return `${KINDS[kind]} ${foreignText(`${resource.name}${of}`, MOST_FEEDER_CHARACTERS)}`;
}

/** The first feeder, and how many more there are. */
function feedersText({ feeders }: ListedQueue): string {
  return andMore(feeders.map(feederText), 1);
}

/** Stands for an unknown value. */
const UNKNOWN = '?';

/** Stands for a missing time: unknown, or none because the queue is empty. */
function noTime(queue: ListedQueue): string {
  return messagesOf(queue) > 0 ? UNKNOWN : '-';
}

function oldestText(queue: ListedQueue, nowMs: number): string {
  const { heldSinceMs } = queue;
  return heldSinceMs === undefined ? noTime(queue) : roughDuration(nowMs - heldSinceMs);
}

/** When the first message expires: `in 4 d`, `in 10 d to 14 d`, `now to in 3 h`. */
export function expiryText(queue: ListedQueue, nowMs: number): string {
  const { expiry } = queue;
  if (!expiry) return noTime(queue);
  const [earliest, latest] = [expiry.earliestMs, expiry.latestMs].map(atMs => roughDuration(atMs - nowMs));
  if (expiry.latestMs <= nowMs) return 'at any moment';
  if (expiry.earliestMs <= nowMs) return `at any moment, in ${latest} at latest`;
  return earliest === latest ? `in ${latest}` : `in ${earliest} to ${latest}`;
}

/** `worked-dlq: 120 of about 1,000 moved to work since 2026-01-05 02:00 UTC, at 10 a second`. */
export function moveText({ name }: ListedQueue, move: MoveFacts): string {
  const { status, moved, toMove, destinationArn, messagesPerSecond, startedAtMs } = move;
  const of = toMove === undefined ? '' : ` of about ${formatNumber(toMove)}`;
  const to = destinationArn === undefined ? 'back to their source queues' : `to ${queueNameOf(destinationArn)}`;
  const rate = messagesPerSecond === undefined ? '' : `, at ${formatNumber(messagesPerSecond)} a second`;
  const cancelling = status === 'CANCELLING' ? '; it is being cancelled' : '';
  return `${name}: ${formatNumber(moved)}${of} moved ${to} since ${formatInstant(startedAtMs)}${rate}${cancelling}`;
}
