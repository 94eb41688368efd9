import { AwsError } from '../kernel/aws-error';

const exists = (what: string): AwsError =>
  new AwsError('ResourceAlreadyExistsException', `The specified ${what} already exists`);

const missing = (text: string): AwsError => new AwsError('ResourceNotFoundException', text);

export const groupExists = (): AwsError => exists('log group');

export const streamExists = (): AwsError => exists('log stream');

export const groupMissing = (): AwsError => missing('The specified log group does not exist.');

export const streamMissing = (): AwsError => missing('The specified log stream does not exist.');

export const resourceMissing = (): AwsError => missing('The specified resource does not exist.');

export const filterMissing = (kind: 'metric' | 'subscription'): AwsError =>
  missing(`The specified ${kind} filter does not exist.`);

export const queryMissing = (): AwsError => missing('The specified query does not exist.');

export const invalidParameter = (message: string): AwsError => new AwsError('InvalidParameterException', message);

export const limitExceeded = (): AwsError => new AwsError('LimitExceededException', 'Resource limit exceeded.');
