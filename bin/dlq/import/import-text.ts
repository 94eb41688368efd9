import { journalOf } from '../../../account/archive/import-journal';
import type { NotTaken } from '../../../account/archive/import-messages';
import type { ImportPlan } from '../../../account/archive/import-plan';
import { queueNameOf } from '../../../account/names';
import { formatDuration, formatNumber, messagesText } from '../../../policy/format-text';
import { queueDocument } from '../../documents';
import { aboutLines, foreignText, formatInstant } from '../../text';

/** What came of sending. */
export interface ImportOutcome {
  readonly sent: number;
  /** Of these, how many an import before may have sent too. */
  readonly resent: number;
  readonly notTaken: readonly NotTaken[];
  /** Of FIFO queues: how many wait behind one of their group that was not taken. */
  readonly behind: number;
  readonly isInterrupted: boolean;
}

/** Our choice: the rest are like them, as a rule; `--json` has all. */
const MOST_NAMED = 10;
const REASON_CHARACTERS = 240;

/**
 * For so long SQS takes a letter of a FIFO queue once.
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/FIFO-queues-exactly-once-processing.html
 */
const DEDUPLICATION_MS = 300_000;

/** What SQS does with what is sent again and it has already. */
function repeatText({ queue, journal: { unsureSinceMs = 0 } }: ImportPlan, nowMs: number): string {
  const untilMs = unsureSinceMs + DEDUPLICATION_MS;
  return queue.isFifo && nowMs < untilMs
    ? `SQS drops those it has, until ${formatInstant(untilMs)}`
    : 'those SQS has are there twice then';
}

/** What of the letters nobody knows whether SQS has them. */
function unsureRows(plan: ImportPlan, nowMs: number): [string, string][] {
  const { journal, unsure, behind } = plan;
  if (unsure.length === 0) {
    const { size } = journal.unsure;
    return size === 0
      ? []
      : [['Sent again', `${messagesText(size)} of which SQS may have some: ${repeatText(plan, nowMs)}`]];
  }
  const waiting: [string, string] = [
    'Behind them',
    `${messagesText(behind.length)} of their groups, which wait for them`,
  ];
  return [
    [
      'Unsure',
      `${messagesText(unsure.length)}: SQS may have them; --resend-unsure sends them: ${repeatText(plan, nowMs)}`,
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
    ['Sent before', `${messagesText(journal.sent.size)}, by ${journalOf(file)}`],
    [
      'To send',
      `${messagesText(lines.length)}, ${formatNumber(rate)} a second at most: ${formatDuration(Math.ceil(lines.length / rate))}`,
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
      .slice(0, MOST_NAMED)
      .map(({ line, reason }) => `Line ${line} was not taken: ${foreignText(reason, REASON_CHARACTERS)}`),
    ...(notTaken.length > MOST_NAMED ? [`Not taken beside these: ${messagesText(notTaken.length - MOST_NAMED)}.`] : []),
    ...(behind > 0 ? [`Behind them in their groups, and not sent: ${messagesText(behind)}.`] : []),
    ...(isInterrupted ? [`Interrupted, with ${messagesText(left)} left: the same command goes on with them.`] : []),
  ];
}

/** An import that is told of. */
export interface ImportReport {
  readonly plan: ImportPlan;
  readonly file: string;
  /** Letters a second. */
  readonly rate: number;
  /** @default - nothing was to be done */
  readonly outcome?: ImportOutcome;
  readonly nowMs: number;
}

/** What would be done, or was. */
export function importText({ plan, file, rate, outcome, nowMs }: ImportReport): string {
  const nothing = plan.lines.length === 0 ? ['Nothing to send.'] : ['Nothing has been sent: --execute does it.'];
  const end = outcome ? outcomeLines(plan, outcome, nowMs) : nothing;
  return `${[`Import into ${plan.queue.name}`, ...planLines(plan, file, rate, nowMs), ...end].join('\n')}\n`;
}

/** The same as `--json` prints it. */
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
    notTaken: outcome?.notTaken ?? [],
    behind: behind.length + (outcome?.behind ?? 0),
    interrupted: outcome?.isInterrupted ?? false,
  };
}
