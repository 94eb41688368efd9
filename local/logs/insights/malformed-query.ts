import { AwsError } from '../../kernel/aws-error';

/** What is wrong with a query, in our words where AWS's are not on record. */
export function malformed(text: string): AwsError {
  return new AwsError('MalformedQueryException', text);
}
