import { AwsError } from '../kernel/aws-error';

export function secretNotFound(): AwsError {
  return new AwsError('ResourceNotFoundException', "Secrets Manager can't find the specified secret.");
}

/** @param which for example `staging label: AWSCURRENT` */
export function valueNotFound(which: string): AwsError {
  return new AwsError(
    'ResourceNotFoundException',
    `Secrets Manager can't find the specified secret value for ${which}`,
  );
}

export function invalidParameter(text: string): AwsError {
  return new AwsError('InvalidParameterException', text);
}

export function invalidRequest(text: string): AwsError {
  return new AwsError('InvalidRequestException', text);
}

export function markedForDeletion(): AwsError {
  return invalidRequest("You can't perform this operation on the secret because it was marked for deletion.");
}
