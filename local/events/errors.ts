import { AwsError } from '../kernel/aws-error';

export function validationException(text: string): AwsError {
  return new AwsError('ValidationException', text);
}

export function resourceNotFound(text: string): AwsError {
  return new AwsError('ResourceNotFoundException', text);
}

export function resourceAlreadyExists(text: string): AwsError {
  return new AwsError('ResourceAlreadyExistsException', text);
}

export function limitExceeded(): AwsError {
  return new AwsError('LimitExceededException', 'The requested resource exceeds the maximum number allowed.');
}

export function invalidEventPattern(reason: string): AwsError {
  return new AwsError('InvalidEventPatternException', `Event pattern is not valid. Reason: ${reason}`);
}

export function ruleDoesNotExist(name: string, busName: string): AwsError {
  return resourceNotFound(`Rule ${name} does not exist on EventBus ${busName}.`);
}

export function busDoesNotExist(name: string): AwsError {
  return resourceNotFound(`Event bus ${name} does not exist.`);
}
