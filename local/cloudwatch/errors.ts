import { AwsError } from '../kernel/aws-error';

/** The request itself is wrong. */
export const validationError = (message: string): AwsError => new AwsError('ValidationError', message);

export const invalidParameter = (message: string): AwsError => new AwsError('InvalidParameterValue', message);

export const alarmNotFound = (): AwsError => new AwsError('ResourceNotFound', 'Alarm does not exist', 404);
