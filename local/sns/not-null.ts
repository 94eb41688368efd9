import { AwsError } from '../kernel/aws-error';
import { Constraints } from '../kernel/constraints';

/** What is missing from a request. @param name as SNS's error names it */
export function mustNotBeNull(name: string): AwsError {
  return new Constraints(text => new AwsError('ValidationError', text)).notNull(name, undefined).error();
}

/**
 * A parameter that has to be there.
 * @param name as SNS's error names it
 * @throws AwsError when it is missing
 */
export function checkNotNull<Value>(name: string, value: Value | undefined): Value {
  if (value === undefined) throw mustNotBeNull(name);
  return value;
}
