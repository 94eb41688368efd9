import { AwsError } from '../kernel/aws-error';

export const groupExists = (): AwsError =>
  new AwsError('ResourceAlreadyExistsException', 'The specified log group already exists');

export const groupMissing = (): AwsError =>
  new AwsError('ResourceNotFoundException', 'The specified log group does not exist.');

export const invalidParameter = (message: string): AwsError => new AwsError('InvalidParameterException', message);
