import { AwsError } from '../kernel/aws-error';
import { validationException } from '../kernel/constraints';

export function invalidExpression(text: string): AwsError {
  return validationException(`Invalid Schedule Expression ${text}.`);
}

export function notFound(what: 'Schedule' | 'Schedule group', name: string): AwsError {
  return new AwsError('ResourceNotFoundException', `${what} ${name} does not exist.`, 404);
}

export function conflict(what: 'Schedule' | 'Schedule group', name: string): AwsError {
  return new AwsError('ConflictException', `${what} ${name} already exists.`, 409);
}

/** The default group of an account cannot be created or deleted. */
export function notOnDefaultGroup(): AwsError {
  return validationException('This operation cannot be performed on schedule group default.');
}
