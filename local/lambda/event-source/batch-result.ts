import type { Outcome } from '../invocation';

/**
 * Which messages of a batch the function did not process. Without `ReportBatchItemFailures` a batch succeeds or fails as
 * a whole. With it, the answer names the failed ones, and an answer that cannot be read that way fails them all.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-errorhandling.html#services-sqs-batchfailurereporting
 */
export function failedMessages(
  messageIds: readonly string[],
  outcome: Outcome,
  reportsItemFailures: boolean,
): ReadonlySet<string> {
  const none = new Set<string>();
  const all = new Set(messageIds);
  if (outcome.kind !== 'success') return all;
  if (!reportsItemFailures) return none;
  const answer: unknown = JSON.parse(outcome.payload);
  if (answer === null || answer === '') return none;
  if (typeof answer !== 'object' || Array.isArray(answer)) return all;
  const failures: unknown = 'batchItemFailures' in answer ? answer.batchItemFailures : null;
  if (failures === null) return none;
  if (!Array.isArray(failures)) return all;
  const failed = new Set(failures.map(identifierOf));
  return [...failed].every(id => all.has(id)) ? failed : all;
}

/** The message a failure names; an empty text, which is the id of none, when it names none. */
function identifierOf(failure: unknown): string {
  if (typeof failure !== 'object' || failure === null || !('itemIdentifier' in failure)) return '';
  return typeof failure.itemIdentifier === 'string' ? failure.itemIdentifier : '';
}
