import { AwsError } from '../../kernel/aws-error';
import type { Caller, Latency } from '../../kernel/caller';
import { isObject, jsonOrUndefined } from '../../kernel/json';
import type { RequestChecks } from '../../kernel/service-api';
import { invalidParameterValue, unsupportedOperation } from '../errors';
import { MAX_ACTIVE_MOVE_TASKS, MAX_MOVES_PER_SECOND } from '../limits';
import type { Message } from '../message/message';
import type { Directory } from '../queue/directory';
import { checkMayDecrypt, checkMayEncrypt, encryptionOf } from '../queue/encryption';
import type { Queue } from '../queue/queue';
import type { SqsContext } from '../trace-events';

export interface MoveTaskDependencies {
  readonly context: SqsContext;
  readonly directory: Directory;
  readonly checks: RequestChecks;
}

/**
 * Checks the permissions that starting or cancelling a task requires in addition to the action itself: those to take
 * messages from `source`. "If either the dead-letter queue or the original source queue are encrypted, kms:Decrypt for
 * any KMS key that has been used to encrypt the messages is also required."
 * **Assumption TASK-13:** The task fails at the first message that the key of an original source queue encrypts. The call
 * checks only the key of the dead-letter queue.
 * @throws AwsError when a permission on the queue or its key is missing
 * @see
 * https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-configure-dead-letter-queue-redrive.html
 */
export function checkMayRedrive({ context, checks }: MoveTaskDependencies, source: Queue, caller: Caller): void {
  for (const action of ['ReceiveMessage', 'DeleteMessage', 'GetQueueAttributes']) {
    checks.checkAccess(caller, `sqs:${action}`, source);
  }
  checkMayDecrypt(context, encryptionOf(source), caller);
}

interface Move {
  readonly source: Queue;
  readonly message: Message;
  readonly destination: Queue;
  readonly starter: Caller;
  /** Receives the total latency of the three calls, also when one is refused. */
  readonly latency: Latency;
}

/**
 * Checks the permissions of the task's starter for each message: receive, send and delete, in this order. Faults that a
 * scenario sets on these actions apply here too.
 * @throws AwsError for a fault or a missing permission
 */
export function checkMayMove(
  { context, checks }: MoveTaskDependencies,
  { source, message, destination, starter, latency }: Move,
): void {
  const admit = (action: string, queue: Queue): void => {
    const own: Latency = { ms: 0 };
    try {
      checks.checkAll(action, `sqs:${action}`, { ...starter, latency: own }, queue);
    } finally {
      latency.ms += own.ms;
    }
  };
  admit('ReceiveMessage', source);
  checks.recordingRefusals('ReceiveMessage', source.arn, () =>
    checkMayDecrypt(context, message.sent.encryption, starter),
  );
  admit('SendMessage', destination);
  checks.recordingRefusals('SendMessage', destination.arn, () => checkMayEncrypt(context, destination, starter));
  admit('DeleteMessage', source);
}

/** The content of a task handle. */
interface TaskId {
  /** A UUID. */
  readonly taskId: string;
  readonly sourceArn: string;
}

/** Returns a task handle in the recorded format: JSON in base64. */
export function taskHandle({ taskId, sourceArn }: TaskId): string {
  return Buffer.from(JSON.stringify({ taskId, sourceArn })).toString('base64');
}

export function readTaskHandle(handle: string): TaskId {
  const content = jsonOrUndefined(Buffer.from(handle, 'base64').toString());
  if (isObject(content)) {
    const { taskId, sourceArn } = content;
    if (typeof taskId === 'string' && typeof sourceArn === 'string') return { taskId, sourceArn };
  }
  throw invalidParameterValue('Value for parameter TaskHandle is invalid.');
}

const notFound = (text: string): AwsError => new AwsError('ResourceNotFoundException', text, 404);

/** Recorded. */
export function noSuchResource(parameter: 'SourceArn' | 'DestinationArn'): AwsError {
  return notFound(`The resource that you specified for the ${parameter} parameter doesn't exist.`);
}

/** Recorded. */
export function noSuchTask(): AwsError {
  return notFound('Task does not exist.');
}

/** Recorded. */
export function notDeadLetterQueue(): AwsError {
  return invalidParameterValue('Source queue must be configured as a Dead Letter Queue.');
}

/** Recorded. */
export function alreadyRunning(): AwsError {
  return invalidParameterValue(
    'There is already a task running. Only one active task is allowed for a source queue arn at a given time.',
  );
}

/** **Assumption TASK-3:** The text is not recorded; other implementations use it. */
export function otherQueueType(): AwsError {
  return invalidParameterValue('The source queue and destination queue must be of the same queue type.');
}

/** **Assumption TASK-3:** The text is not recorded; other implementations use it. */
export function sameQueue(): AwsError {
  return invalidParameterValue('Source queue arn and destination queue arn cannot be the same.');
}

/** **Assumption TASK-3:** The text is not recorded; other implementations use it. */
export function invalidRate(): AwsError {
  return invalidParameterValue(
    `Value for parameter MaxNumberOfMessagesPerSecond is invalid. Reason: You must enter a number that's between 1 and ${MAX_MOVES_PER_SECOND}.`,
  );
}

/**
 * **Assumption TASK-1:** AWS does not publish this text. The code is one that the API reference lists for
 * `StartMessageMoveTask`.
 */
export function tooManyTasks(): AwsError {
  return new AwsError(
    'RequestThrottled',
    `An account can have ${MAX_ACTIVE_MOVE_TASKS} active message move tasks at a time.`,
  );
}

/**
 * **Assumption TASK-2:** AWS does not publish this text. The code is one that the API reference lists for
 * `CancelMessageMoveTask`.
 */
export function notCancellable(status: string): AwsError {
  return unsupportedOperation(`Only a task that is RUNNING can be cancelled; this one is ${status}.`);
}
