import type { Cause, Failed } from '../../../diagnosis/causes/cause';
import { RunbookSection } from '../../../lib/shared/alarms/runbook-section';
import { publishedRunbook } from '../../../lib/shared/published-runbook';

/** The section that says how to look, and how to send such letters home. */
const SECTIONS: Readonly<Record<Failed, RunbookSection>> = {
  subscription: RunbookSection.DEAD_LETTERS_ARRIVED,
  function: RunbookSection.DEAD_LETTERS_ARRIVED,
  relay: RunbookSection.DEAD_LETTERS_ARRIVED,
  rule: RunbookSection.DEAD_LETTERS_ARRIVED,
  schedule: RunbookSection.DEAD_LETTERS_ARRIVED,
  consumer: RunbookSection.DEAD_LETTERS_WAITING,
  redrive: RunbookSection.DEAD_LETTERS_IN_QUARANTINE,
  'dead-letter-queue': RunbookSection.DEAD_LETTERS_LOST,
};

/** Where the runbook has more on a cause. */
export function runbookLink({ key }: Cause): string {
  return `${publishedRunbook()}#${SECTIONS[key.failed]}`;
}
