import { AwsError } from '../kernel/aws-error';
import { Constraints } from '../kernel/constraints';

export function lambdaConstraints(): Constraints {
  return new Constraints(text => new AwsError('ValidationException', text));
}
