import { AwsError } from '../../kernel/aws-error';
import { invalidParameterValue, unsupportedOperation } from '../errors';
import { MAX_ACTIVE_MOVE_TASKS, MAX_MOVES_PER_SECOND } from '../limits';

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

/** The text is not on record, but in use by others. */
export function otherQueueType(): AwsError {
  return invalidParameterValue('The source queue and destination queue must be of the same queue type.');
}

/** The text is not on record, but in use by others. */
export function sameQueue(): AwsError {
  return invalidParameterValue('Source queue arn and destination queue arn cannot be the same.');
}

/** The text is not on record, but in use by others. */
export function invalidRate(): AwsError {
  return invalidParameterValue(
    `Value for parameter MaxNumberOfMessagesPerSecond is invalid. Reason: You must enter a number that's between 1 and ${MAX_MOVES_PER_SECOND}.`,
  );
}

/** Our words, under one of the codes the API reference names for `StartMessageMoveTask`. */
export function tooManyTasks(): AwsError {
  return new AwsError(
    'RequestThrottled',
    `An account can have ${MAX_ACTIVE_MOVE_TASKS} active message move tasks at a time.`,
  );
}

/** Our words, under one of the codes the API reference names for `CancelMessageMoveTask`. */
export function notCancellable(status: string): AwsError {
  return unsupportedOperation(`Only a task that is RUNNING can be cancelled; this one is ${status}.`);
}
