/** Why a message is no longer this consumer's. */
export type LeaseLostReason = 'expired' | 'gone' | 'limit';

const MEANINGS: Readonly<Record<LeaseLostReason, string>> = {
  expired: 'its visibility timeout could not be extended in time, and another consumer may get it',
  gone: 'it is deleted, or its receipt handle works no more',
  limit: 'SQS hides a message for 12 hours at most, and another consumer may get it',
};

/** The reason of an aborted `Heartbeat.signal`. */
export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError';
  /**
   * `expired`: no extension came through in time; `cause` is the last error. `gone`: SQS says that there is nothing left to
   * extend. `limit`: the 12 hours are over.
   */
  readonly reason: LeaseLostReason;

  constructor(reason: LeaseLostReason, cause?: unknown) {
    super(`The message is lost to this consumer: ${MEANINGS[reason]}.`, { cause });
    this.reason = reason;
  }
}

interface FinalError {
  readonly says: RegExp;
  readonly reason: 'gone' | 'limit';
}

/**
 * What trying again cannot change. Anything else may pass.
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_ChangeMessageVisibility.html
 */
const FINAL_ERRORS: readonly FinalError[] = [
  { says: /Total VisibilityTimeout for the message is beyond the limit/, reason: 'limit' },
  { says: /does not exist or is not available for visibility timeout change/, reason: 'gone' },
  { says: /^(ReceiptHandleIsInvalid|MessageNotInflight|QueueDoesNotExist)\b|NonExistentQueue/, reason: 'gone' },
];

/** What an error of SQS says of the lease; undefined where it may pass. */
export function finalReason(error: unknown): 'gone' | 'limit' | undefined {
  const { name = '', message = '' } = error instanceof Error ? error : {};
  return FINAL_ERRORS.find(({ says }) => says.test(name) || says.test(message))?.reason;
}
