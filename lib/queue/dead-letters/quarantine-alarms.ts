import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { type AlarmRow, RunbookSection } from '../../shared/alarms';
import { isQuarantine } from './quarantines';

const ADVICE =
  'It is a quarantine, and no Redrive takes anything out: mend what fails and move it home by hand, or delete it.';

/** What of a quarantine has a section of the runbook to itself. */
const IN_QUARANTINE: readonly RunbookSection[] = [
  RunbookSection.DEAD_LETTERS_ARRIVED,
  RunbookSection.DEAD_LETTERS_WAITING,
  RunbookSection.DEAD_LETTERS_UNATTENDED,
];

/** An alarm of a dead-letter queue, in the words of a quarantine where it is one: what is in there is for a human to see to. */
export function worded(queue: IQueue, row: AlarmRow): AlarmRow {
  if (!isQuarantine(queue)) return row;
  const runbook = IN_QUARANTINE.includes(row.runbook) ? RunbookSection.DEAD_LETTERS_IN_QUARANTINE : row.runbook;
  return { ...row, runbook, meaning: `${row.meaning} ${ADVICE}` };
}
