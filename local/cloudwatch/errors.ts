import { AwsError } from '../kernel/aws-error';

/** The request itself is wrong. */
export const validationError = (message: string): AwsError => new AwsError('ValidationError', message);

/** Part of CloudWatch that the embedded AWS does not have. */
export const notImplemented = (what: string): AwsError =>
  new AwsError('NotImplemented', `The embedded AWS does not implement ${what}.`, 501);

export const invalidParameter = (message: string): AwsError => new AwsError('InvalidParameterValue', message);

export const alarmNotFound = (): AwsError => new AwsError('ResourceNotFound', 'Alarm does not exist', 404);
