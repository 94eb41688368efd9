import { randomUUID } from 'node:crypto';
import { type Command, InvalidArgumentError } from 'commander';
import { journalOf } from '../../account/archive/import-journal';
import { type ImportOutcome, importMessages, type RefusedMessage } from '../../account/archive/import-messages';
import { type ImportPlan, importPlan, linesText } from '../../account/archive/import-plan';
import type { Connection } from '../../account/connection/connection';
import { queueDocument } from '../../account/documents/json-documents';
import { queueNamed } from '../../account/messages/named-queue';
import { queueNameOf } from '../../account/names';
import { QUEUE_NAMED_READS } from '../../account/permissions';
import { counted, formatDuration, formatNumber, messagesText } from '../../policy/format-text';
import { formatInstant } from '../../policy/instants';
import type { CommandContext, CommandOptions } from '../shared/command-line';
import type { CommandPermissions } from '../shared/command-permissions';
import { interruptOf } from '../shared/io';
import { warn, writeJson } from '../shared/print';
import { cleared, progressOn } from '../shared/progress';
import { aboutLines, foreignText } from '../shared/terminal-text';
import { withAws } from '../shared/with-aws';
import { addChangeOptions, CHANGE_HELP, CHANGE_PERMISSIONS, type ChangeOptions, changeQueue } from './queue-change';
import { messagesCommand } from './queue-command';

export const IMPORT_PERMISSIONS: CommandPermissions = {
  command: 'dlq import',
  reads: QUEUE_NAMED_READS,
  executes: ['sqs:SendMessage'],
  executesMore: CHANGE_PERMISSIONS,
  keys: { executes: ['kms:Decrypt', 'kms:GenerateDataKey'] },
};

/** Most consumers can keep this pace. */
const RATE = 100;

const HELP = `
FILE is an export of dlo dlq export. QUEUE is the name, ARN or URL of any queue. Without --execute, it only prints the plan.
An export that is incomplete or was changed is refused, and nothing is sent.

Each message is sent with its body, attributes and message group. For SQS it is a new message, with a new id and a new
retention period. FILE.imported records what was sent. Run the command again to continue after an interrupt: nothing is sent
twice. If SQS does not answer, answers with a server error, or the import is cut off, it is unknown whether SQS has the
batch. The import goes on, and names these messages. They are sent again only with --resend-unsure. In a FIFO queue, the
later messages of their groups wait for them. SQS drops what this import sends again within five minutes.

${CHANGE_HELP}

  dlo dlq import orders.jsonl orders
  dlo dlq import orders.jsonl orders --rate 10 --execute`;

function rateOf(text: string): number {
  if (/^[1-9]\d{0,3}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a whole number from 1 to 9999.');
}

/** `dlo dlq import`. */
export function importCommand(context: CommandContext): Command {
  const does = 'send the messages of an export to a queue, none of them twice';
  return addChangeOptions(messagesCommand(IMPORT_PERMISSIONS, does, HELP))
    .argument('FILE', 'an export, such as orders.jsonl')
    .argument('QUEUE', 'its name, ARN or URL')
    .option('--rate <messages>', 'messages a second, at most', rateOf, RATE)
    .option('--resend-unsure', 'also send messages that SQS may already have')
    .option('--execute', 'do it')
    .option('--json', 'print it as JSON')
    .action(async (file: string, queue: string, options: ImportOptions) => runImport(file, queue, options, context));
}

interface ImportOptions extends CommandOptions, ChangeOptions {
  readonly execute?: boolean;
  /** Messages a second, at most. */
  readonly rate: number;
  readonly resendUnsure?: boolean;
}

/**
 * `dlo dlq import`.
 * @throws BadInput when the queue does not exist, or the file is not a complete export or does not fit the queue
 * @throws Error when SQS refused messages or may already have some, or the import was interrupted
 */
async function runImport(file: string, name: string, options: ImportOptions, context: CommandContext): Promise<void> {
  const { io, nowMs } = context;
  const { execute = false, resendUnsure = false, rate, json } = options;
  await withAws(options, context, async aws => {
    const queue = await queueNamed(aws, name);
    const plan = await importPlan(io, file, queue, resendUnsure);
    const isSending = execute && plan.lines.length > 0;
    const outcome = isSending
      ? await changeQueue(aws, options, context, {
          queue,
          command: 'dlq import',
          details: { file, sha256: plan.subject.sha256, toSend: plan.lines.length, resendUnsure },
          work: during => send(aws, plan, file, rate, during),
          outcomeOf: ({ notTaken, ...counts }) => ({ ...counts, notTaken: notTaken.length }),
        })
      : undefined;
    const report = { plan, file, rate, nowMs: nowMs(), ...(outcome && { outcome }) };
    if (json) writeJson(io, importDocument(report));
    else io.stdout.write(importText(report));
    if (execute) checkAllSent(plan, outcome);
  });
}

function send(
  aws: Connection,
  plan: ImportPlan,
  file: string,
  messagesPerSecond: number,
  { io, nowMs, wait, interrupt = interruptOf(io) }: CommandContext,
): Promise<ImportOutcome> {
  const progress = progressOn(io.stderr, { what: 'messages sent', total: plan.lines.length }, nowMs);
  const onFailure = (sent: number, unsure: readonly number[]) => {
    progress.clear();
    warn(io, [
      `${counted(sent, 'message was', 'messages were')} sent before the error. ${journalOf(file)} lists them`,
      ...(unsure.length > 0 ? [`SQS may have ${unsureText(unsure)}`] : []),
    ]);
  };
  const isInterrupted = () => interrupt.isAsked;
  const ports = { files: io, nowMs, wait, isInterrupted, progress, messagesPerSecond, onFailure, newRunId: randomUUID };
  return cleared(progress, () => importMessages(aws, plan, file, ports));
}

/** Names messages of which it is unknown whether SQS has them. */
function unsureText(lines: readonly number[]): string {
  return `${messagesText(lines.length)} (${linesText(lines)}) already. --resend-unsure sends them again`;
}

function checkAllSent({ queue, unsure, behind }: ImportPlan, outcome: ImportOutcome | undefined): void {
  const { notTaken = [], unsure: nowUnsure = [], stopped, isInterrupted = false } = outcome ?? {};
  if (notTaken.length > 0) throw new Error(`${queue.name} refused ${messagesText(notTaken.length)}`);
  if (isInterrupted) throw new Error('interrupted');
  if (stopped !== undefined) throw new Error(`stopped, because SQS does not answer: ${stopped}`);
  if (nowUnsure.length > 0) throw new Error(`not all are certainly sent: SQS may have ${unsureText(nowUnsure)}`);
  if (unsure.length === 0) return;
  const waiting = behind.length > 0 ? `, and ${formatNumber(behind.length)} behind them in their groups` : '';
  throw new Error(
    `not sent, because SQS may have them already: ${messagesText(unsure.length)}${waiting}. --resend-unsure sends them`,
  );
}

/** How many refused messages are named. `--json` has all of them. */
const MAX_NAMED = 10;
const REASON_CHARACTERS = 240;

/**
 * For this long, SQS drops duplicates in a FIFO queue.
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/FIFO-queues-exactly-once-processing.html
 */
const DEDUPLICATION_MS = 300_000;

const AGAIN = {
  fifo: 'within five minutes, SQS drops those it has',
  standard: 'those that SQS has are then in the queue twice',
} as const;

/** What happens to messages that are sent again although SQS has them. */
function repeatText({ queue, journal: { unsureSinceMs = 0 } }: ImportPlan, nowMs: number): string {
  const untilMs = unsureSinceMs + DEDUPLICATION_MS;
  return queue.isFifo && nowMs < untilMs ? `until ${formatInstant(untilMs)}, SQS drops those it has` : AGAIN.standard;
}

/** The messages of which an earlier import could not tell whether SQS has them. */
function unsureRows(plan: ImportPlan, nowMs: number): [string, string][] {
  const { journal, unsure, behind } = plan;
  if (unsure.length === 0) {
    const { size } = journal.unsure;
    return size === 0
      ? []
      : [['Sent again', `${messagesText(size)}, of which SQS may have some: ${repeatText(plan, nowMs)}`]];
  }
  const waiting: [string, string] = [
    'Behind them',
    `${messagesText(behind.length)} of their groups, which wait for them`,
  ];
  return [
    [
      'Unsure',
      `${messagesText(unsure.length)} that SQS may have. --resend-unsure sends them: ${repeatText(plan, nowMs)}`,
    ],
    ...(behind.length > 0 ? [waiting] : []),
  ];
}

function planLines(plan: ImportPlan, file: string, rate: number, nowMs: number): string[] {
  const { archive, queue, journal, lines } = plan;
  const { header, end } = archive;
  const rows: [string, string][] = [
    [
      'From',
      `${file}: ${messagesText(end.messages)} of ${queueNameOf(header.queueArn)}, exported ${header.exportedAt}`,
    ],
    ['To', queue.name],
    ['Sent before', `${messagesText(journal.sent.size)}, according to ${journalOf(file)}`],
    [
      'To send',
      `${messagesText(lines.length)}, at most ${formatNumber(rate)} a second: ${formatDuration(Math.ceil(lines.length / rate))}`,
    ],
  ];
  return aboutLines([...rows, ...unsureRows(plan, nowMs)]).map(line => `  ${line}`);
}

function outcomeLines(plan: ImportPlan, outcome: ImportOutcome, nowMs: number): string[] {
  const { sent, resent, notTaken, unsure, behind, stopped, isInterrupted } = outcome;
  const left = plan.lines.length - sent - notTaken.length - unsure.length - behind;
  return [
    `${messagesText(sent)} sent.`,
    ...(resent > 0 ? [`Sent again: ${messagesText(resent)} of these; ${repeatText(plan, nowMs)}.`] : []),
    ...notTaken
      .slice(0, MAX_NAMED)
      .map(({ line, reason }) => `SQS refused line ${line}: ${foreignText(reason, REASON_CHARACTERS)}`),
    ...(notTaken.length > MAX_NAMED ? [`SQS refused ${messagesText(notTaken.length - MAX_NAMED)} more.`] : []),
    ...(unsure.length > 0
      ? [`SQS may have ${unsureText(unsure)}: ${AGAIN[plan.queue.isFifo ? 'fifo' : 'standard']}.`]
      : []),
    ...(behind > 0 ? [`Not sent, because they are behind these in their groups: ${messagesText(behind)}.`] : []),
    ...(stopped === undefined ? [] : [`Stopped, with ${messagesText(left)} left: run the command again to send them.`]),
    ...(isInterrupted ? [`Interrupted, with ${messagesText(left)} left: run the command again to send them.`] : []),
  ];
}

interface ImportReport {
  readonly plan: ImportPlan;
  readonly file: string;
  /** Messages a second. */
  readonly rate: number;
  /** @default - nothing was sent */
  readonly outcome?: ImportOutcome;
  readonly nowMs: number;
}

function importText({ plan, file, rate, outcome, nowMs }: ImportReport): string {
  const nothing = plan.lines.length === 0 ? ['Nothing to send.'] : ['Nothing has been sent: --execute does it.'];
  const end = outcome ? outcomeLines(plan, outcome, nowMs) : nothing;
  return `${[`Import into ${plan.queue.name}`, ...planLines(plan, file, rate, nowMs), ...end].join('\n')}\n`;
}

/** The same for `--json`. */
function importDocument({ plan, file, outcome }: ImportReport) {
  const { archive, queue, journal, lines, unsure, behind } = plan;
  return {
    ...queueDocument(queue),
    file,
    fromArn: archive.header.queueArn,
    messages: archive.end.messages,
    sentBefore: journal.sent.size,
    toSend: lines.length,
    unsureLines: [...unsure, ...(outcome?.unsure ?? [])],
    executed: outcome !== undefined,
    sent: outcome?.sent ?? 0,
    resent: outcome?.resent ?? 0,
    notTaken: outcome?.notTaken ?? ([] satisfies readonly RefusedMessage[]),
    behind: behind.length + (outcome?.behind ?? 0),
    interrupted: outcome?.isInterrupted ?? false,
  };
}
