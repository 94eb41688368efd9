import { ResourceNotFoundException, UnsupportedOperation } from '@aws-sdk/client-sqs';

/**
 * What SQS says no to a move task with. It has one code for many mistakes, so its words tell them apart; each was recorded.
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_StartMessageMoveTask.html
 */
function messageMatches(words: RegExp): (thrown: unknown) => boolean {
  return thrown => thrown instanceof Error && words.test(thrown.message);
}

/** No queue names the source as its dead-letter queue, as where only SNS or Lambda send there. */
export const isNotADeadLetterQueue = messageMatches(/must be configured as a Dead Letter Queue/i);

/** Another task of the source runs: somebody's by hand, or of another run of this function. */
export const isAlreadyRunning = messageMatches(/already a task running|Only one active task/i);

/**
 * Whether the task to be cancelled is over, or SQS has forgotten it: of the errors the reference lists for a cancellation,
 * these two are about the task.
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_CancelMessageMoveTask.html
 */
export function isTaskOver(thrown: unknown): boolean {
  return thrown instanceof ResourceNotFoundException || thrown instanceof UnsupportedOperation;
}
