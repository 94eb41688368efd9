import { journalOf } from '../../../account/archive/import-journal';
import type { ImportOutcome, RefusedMessage } from '../../../account/archive/import-messages';
import type { ImportPlan } from '../../../account/archive/import-plan';
import { queueNameOf } from '../../../account/names';
import { formatDuration, formatNumber, messagesText } from '../../../policy/format-text';
import { formatInstant } from '../../../policy/instants';
import { queueDocument } from '../../shared/json-documents';
import { aboutLines, foreignText } from '../../shared/terminal-text';

/** How many refused messages are named. `--json` has all of them. */
const MAX_NAMED = 10;
const REASON_CHARACTERS = 240;

/**
 * For this long, SQS drops duplicates in a FIFO queue.
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/FIFO-queues-exactly-once-processing.html
 */
const DEDUPLICATION_MS = 300_000;

/** What happens to messages that are sent again although SQS has them. */
function repeatText({ queue, journal: { unsureSinceMs = 0 } }: ImportPlan, nowMs: number): string {
  const untilMs = unsureSinceMs + DEDUPLICATION_MS;
  return queue.isFifo && nowMs < untilMs
    ? `until ${formatInstant(untilMs)}, SQS drops those it has`
    : 'those that SQS has are then in the queue twice';
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
  const { sent, resent, notTaken, behind, isInterrupted } = outcome;
  const left = plan.lines.length - sent - notTaken.length - behind;
  return [
    `${messagesText(sent)} sent.`,
    ...(resent > 0 ? [`Sent again: ${messagesText(resent)} of these; ${repeatText(plan, nowMs)}.`] : []),
    ...notTaken
      .slice(0, MAX_NAMED)
      .map(({ line, reason }) => `SQS refused line ${line}: ${foreignText(reason, REASON_CHARACTERS)}`),
    ...(notTaken.length > MAX_NAMED ? [`SQS refused ${messagesText(notTaken.length - MAX_NAMED)} more.`] : []),
    ...(behind > 0 ? [`Not sent, because they are behind these in their groups: ${messagesText(behind)}.`] : []),
    ...(isInterrupted ? [`Interrupted, with ${messagesText(left)} left: run the command again to send them.`] : []),
  ];
}

/** An import, planned or carried out. */
export interface ImportReport {
  readonly plan: ImportPlan;
  readonly file: string;
  /** Messages a second. */
  readonly rate: number;
  /** @default - nothing was sent */
  readonly outcome?: ImportOutcome;
  readonly nowMs: number;
}

/** Describes the plan, or what was done. */
export function importText({ plan, file, rate, outcome, nowMs }: ImportReport): string {
  const nothing = plan.lines.length === 0 ? ['Nothing to send.'] : ['Nothing has been sent: --execute does it.'];
  const end = outcome ? outcomeLines(plan, outcome, nowMs) : nothing;
  return `${[`Import into ${plan.queue.name}`, ...planLines(plan, file, rate, nowMs), ...end].join('\n')}\n`;
}

/** The same for `--json`. */
export function importDocument({ plan, file, outcome }: ImportReport) {
  const { archive, queue, journal, lines, unsure, behind } = plan;
  return {
    ...queueDocument(queue),
    file,
    fromArn: archive.header.queueArn,
    messages: archive.end.messages,
    sentBefore: journal.sent.size,
    toSend: lines.length,
    unsureLines: unsure,
    executed: outcome !== undefined,
    sent: outcome?.sent ?? 0,
    resent: outcome?.resent ?? 0,
    notTaken: outcome?.notTaken ?? ([] satisfies readonly RefusedMessage[]),
    behind: behind.length + (outcome?.behind ?? 0),
    interrupted: outcome?.isInterrupted ?? false,
  };
}
