import { Command } from 'commander';
import { connected } from '../../account/connection/connection';
import { type ListedQueue, messagesOf, type QueueList, readList } from '../../account/inventory/dead-letter-queues';
import { queueNameOf } from '../../account/names';
import { INVENTORY_READS, STACK_READS, TO_JUDGE_KEYS_AND_ROLES } from '../../account/permissions';
import type { Site } from '../../account/printed-commands';
import type { Finding } from '../../diagnosis/checks/finding';
import type { QueueFeeder } from '../../diagnosis/inventory/feeders';
import { andMore, formatNumber, roughDuration } from '../../policy/format-text';
import { formatInstant, isoInstant } from '../../policy/instants';
import type { MoveFacts } from '../../policy/redrive/redrive-facts';
import { knownValue } from '../../template/maybe-known';
import { addConnectionOptions, type CommandContext, type CommandOptions, EXIT_CODES } from '../shared/command-line';
import { type CommandPermissions, permissionsText } from '../shared/command-permissions';
import { depthsDocument, findingDocument, taskDocument } from '../shared/json-documents';
import { warn, writeJson } from '../shared/print';
import { withProgress } from '../shared/progress';
import { type Column, folded, foreignText, type Paint, paintFor, table } from '../shared/terminal-text';

export const LIST_PERMISSIONS: CommandPermissions = {
  command: 'dlq ls',
  reads: [...INVENTORY_READS, 'sqs:ListMessageMoveTasks', 'cloudwatch:GetMetricData'],
  more: [{ when: 'with --stack', actions: STACK_READS }, TO_JUDGE_KEYS_AND_ROLES],
};

const HELP = `
A dead-letter queue is any queue that a subscription, queue, function, event source mapping, rule or schedule names as one.
Queues with messages come first, ordered by when their first message expires. A queue that is named but does not exist is
listed too: messages sent to it are lost.

A standard queue keeps a message from when it was first sent, but CloudWatch counts its age from when SQS moved it. If both
are possible, the time until the first message expires is a range. CloudWatch may ignore messages that were received three
times or more: dlo dlq peek shows each message.

  dlo dlq ls --region eu-central-1
  dlo dlq ls --stack Orders
  dlo dlq ls --json | jq -r '.queues[] | select(.depths.visible > 0).name'

${permissionsText(LIST_PERMISSIONS)}

${EXIT_CODES}`;

/** `dlo dlq ls`. */
export function listCommand(context: CommandContext): Command {
  return addConnectionOptions(new Command('ls'))
    .description('list every dead-letter queue: what feeds it, its messages, when the first expires, what is missing')
    .option('--stack <name>', 'only resources of this stack and its nested stacks')
    .option('--json', 'print the list as JSON')
    .addHelpText('after', HELP)
    .action(async (options: ListOptions) => listQueues(options, context));
}

/**
 * `dlo dlq ls`.
 * @throws BadInput when the stack does not exist
 */
async function listQueues(options: ListOptions, { io, nowMs }: CommandContext): Promise<void> {
  await connected(options, async aws => {
    const list = await withProgress(io.stderr, { what: 'resources read' }, nowMs, progress =>
      readList(aws, options.stack, progress, nowMs),
    );
    warn(io, list.unseen);
    if (options.json) writeJson(io, listDocument(list, { options, region: aws.region }));
    else io.stdout.write(folded(listText(list, options.stack, nowMs(), paintFor(io.stdout.isTTY)), io.stdout));
  });
}

function feederDocument({ kind, resource, via, qualifier }: QueueFeeder) {
  return { kind, name: resource.name, arn: resource.arn, via, qualifier: qualifier ?? null };
}

function listedDocument({ arn, name, queue, location, depth, heldSinceMs, expiry, ...rest }: ListedQueue, site: Site) {
  return {
    name,
    arn,
    url: queue?.url ?? null,
    isFifo: name.endsWith('.fifo'),
    location: location.kind,
    retentionSeconds: (queue && knownValue(queue.retentionSeconds)) ?? null,
    depths: depth ? depthsDocument(depth) : null,
    oldestSince: heldSinceMs === undefined ? null : isoInstant(heldSinceMs),
    firstExpires: expiry ? { earliest: isoInstant(expiry.earliestMs), latest: isoInstant(expiry.latestMs) } : null,
    feeders: rest.feeders.map(feederDocument),
    tasks: rest.moves.map(taskDocument),
    findings: rest.findings.map(it => findingDocument(it, site)),
  };
}

/** The list for `--json`. `null` is unknown, or does not exist. */
function listDocument({ region, queues, unseen }: QueueList, site: Site) {
  return { region, unread: unseen, queues: queues.map(it => listedDocument(it, site)) };
}

interface ListOptions extends CommandOptions {
  readonly stack?: string;
}

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
  return queues.flatMap(({ name, location, feeders }) => {
    const fed = feeders.map(feederText).join(', ');
    if (location.kind === 'gone')
      return [paint.red(`${name} does not exist: messages sent to it are lost. Fed by ${fed}`)];
    if (location.kind === 'here') return [];
    const { account, region } = location;
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
  const here = queues.filter(({ location }) => location.kind === 'here');
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
