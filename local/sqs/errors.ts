import { AwsError } from '../kernel/aws-error';
import { MAX_IN_FLIGHT } from './limits';

export function queueDoesNotExist(): AwsError {
  return new AwsError('AWS.SimpleQueueService.NonExistentQueue', 'The specified queue does not exist.');
}

export function missingParameter(name: string): AwsError {
  return new AwsError('MissingParameter', `The request must contain the parameter ${name}.`);
}

export function invalidParameterValue(text: string): AwsError {
  return new AwsError('InvalidParameterValue', text);
}

/** `Value 11 for parameter MaxNumberOfMessages is invalid. Reason: …` */
export function invalidValue(value: unknown, parameter: string, reason: string): AwsError {
  return invalidParameterValue(`Value ${value} for parameter ${parameter} is invalid. Reason: ${reason}`);
}

/** Refuses a parameter that only the other queue type has, FIFO or standard (recorded). */
export function notForThisQueueType(value: unknown, parameter: string): AwsError {
  return invalidValue(value, parameter, 'The request include parameter that is not valid for this queue type.');
}

/** @param verb for an entry of a batch AWS says `cannot be validated` instead (recorded) */
export function messageTooLong(maximumBytes: number, verb = 'are invalid'): AwsError {
  return invalidParameterValue(
    `One or more parameters ${verb}. Reason: Message must be shorter than ${maximumBytes} bytes.`,
  );
}

export function overLimit(): AwsError {
  return new AwsError('OverLimit', `Too many messages in flight: the limit is ${MAX_IN_FLIGHT}.`, 403);
}

export function unsupportedOperation(text: string): AwsError {
  return new AwsError('AWS.SimpleQueueService.UnsupportedOperation', text);
}
