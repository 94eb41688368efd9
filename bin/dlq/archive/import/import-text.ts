import { formatDuration, formatNumber, lettersText } from '../../../../lib/policy/wording';
import { queueNameOf } from '../../../aws/queue-name';
import { aboutLines, foreignText } from '../../../wording';
import type { ImportPlan } from './import-plan';
import { journalOf } from './journal';
import type { NotTaken } from './send-letters';

/** What came of sending. */
export interface ImportOutcome {
  readonly sent: number;
  readonly notTaken: readonly NotTaken[];
  /** Of FIFO queues: how many wait behind one of their group that was not taken. */
  readonly behind: number;
  readonly isInterrupted: boolean;
}

/** Our choice: the rest are like them, as a rule; `--json` has all. */
const MOST_NAMED = 10;
const REASON_CHARACTERS = 240;

function planLines({ archive, queue, journal, lines, unsure }: ImportPlan, file: string, rate: number): string[] {
  const { header, end } = archive;
  const rows: [string, string][] = [
    ['From', `${file}: ${lettersText(end.letters)} of ${queueNameOf(header.queueArn)}, exported ${header.exportedAt}`],
    ['To', queue.name],
    ['Sent before', `${lettersText(journal.sent.size)}, by ${journalOf(file)}`],
    [
      'To send',
      `${lettersText(lines.length)}, ${formatNumber(rate)} a second at most: ${formatDuration(Math.ceil(lines.length / rate))}`,
    ],
  ];
  const told =
    unsure.length > 0
      ? [['Unsure', `${lettersText(unsure.length)}: SQS may have them; --resend-unsure sends them`] as const]
      : [];
  return aboutLines([...rows, ...told]).map(line => `  ${line}`);
}

function outcomeLines(plan: ImportPlan, { sent, notTaken, behind, isInterrupted }: ImportOutcome): string[] {
  const left = plan.lines.length - sent - notTaken.length - behind;
  return [
    `${lettersText(sent)} sent.`,
    ...notTaken
      .slice(0, MOST_NAMED)
      .map(({ line, reason }) => `Line ${line} was not taken: ${foreignText(reason, REASON_CHARACTERS)}`),
    ...(notTaken.length > MOST_NAMED ? [`Not taken beside these: ${lettersText(notTaken.length - MOST_NAMED)}.`] : []),
    ...(behind > 0 ? [`Behind them in their groups, and not sent: ${lettersText(behind)}.`] : []),
    ...(isInterrupted ? [`Interrupted, with ${lettersText(left)} left: the same command goes on with them.`] : []),
  ];
}

/** What would be done, or was. */
export function importText(plan: ImportPlan, file: string, rate: number, outcome: ImportOutcome | undefined): string {
  const nothing = plan.lines.length === 0 ? ['Nothing to send.'] : ['Nothing has been sent: --execute does it.'];
  const end = outcome ? outcomeLines(plan, outcome) : nothing;
  return `${[`Import into ${plan.queue.name}`, ...planLines(plan, file, rate), ...end].join('\n')}\n`;
}

/** The same as `--json` prints it. */
export function importDocument(plan: ImportPlan, file: string, outcome: ImportOutcome | undefined) {
  const { archive, queue, journal, lines, unsure } = plan;
  return {
    file,
    fromArn: archive.header.queueArn,
    toArn: queue.arn,
    letters: archive.end.letters,
    sentBefore: journal.sent.size,
    toSend: lines.length,
    unsureLines: unsure,
    executed: outcome !== undefined,
    sent: outcome?.sent ?? 0,
    notTaken: outcome?.notTaken ?? [],
    behind: outcome?.behind ?? 0,
    interrupted: outcome?.isInterrupted ?? false,
  };
}
