import { breaksConstraint } from './errors';

/** @throws AwsError when a number is there and outside its range */
export function checkRange(parameter: string, value: number | undefined, min: number, max: number): void {
  if (value === undefined) return;
  if (value < min) throw breaksConstraint(value, parameter, `have value greater than or equal to ${min}`);
  if (value > max) throw breaksConstraint(value, parameter, `have value less than or equal to ${max}`);
}

/** @throws AwsError when a text is missing, too long, or of other characters */
export function checkText(
  parameter: string,
  value: string | undefined,
  { max, pattern }: { readonly max: number; readonly pattern?: RegExp },
): string {
  if (value === undefined) throw breaksConstraint('null', parameter, 'not be null');
  if (value.length < 1) throw breaksConstraint(value, parameter, 'have length greater than or equal to 1');
  if (value.length > max) throw breaksConstraint(value, parameter, `have length less than or equal to ${max}`);
  if (pattern && !pattern.test(value)) {
    throw breaksConstraint(value, parameter, `satisfy regular expression pattern: ${pattern.source.slice(1, -1)}`);
  }
  return value;
}

/** @see https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_CreateLogGroup.html */
export const checkGroupName = (name: string | undefined): string =>
  checkText('logGroupName', name, { max: 512, pattern: /^[.\-_/#A-Za-z0-9]+$/ });

export const checkStreamName = (name: string | undefined): string =>
  checkText('logStreamName', name, { max: 512, pattern: /^[^:*]*$/ });

export const checkFilterName = (name: string | undefined): string =>
  checkText('filterName', name, { max: 512, pattern: /^[^:*]*$/ });
