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

export function messageTooLong(maximumBytes: number): AwsError {
  return invalidParameterValue(
    `One or more parameters are invalid. Reason: Message must be shorter than ${maximumBytes} bytes.`,
  );
}

export function overLimit(): AwsError {
  return new AwsError('OverLimit', `Too many messages in flight: the limit is ${MAX_IN_FLIGHT}.`, 403);
}

export function unsupportedOperation(text: string): AwsError {
  return new AwsError('AWS.SimpleQueueService.UnsupportedOperation', text);
}

/** What the embedded AWS does not do yet: said, never half done. */
export function unsupported(what: string): AwsError {
  return unsupportedOperation(`The embedded AWS does not implement ${what}.`);
}
