import { AwsError } from '../../kernel/aws-error';

/**
 * A parameter that has to be there.
 * @param name as SNS's error names it
 * @throws AwsError when it is missing
 */
export function checkNotNull<Value>(name: string, value: Value | undefined): Value {
  if (value !== undefined) return value;
  const text = `1 validation error detected: Value null at '${name}' failed to satisfy constraint: Member must not be null`;
  throw new AwsError('ValidationError', text);
}
