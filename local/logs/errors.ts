import { AwsError } from '../kernel/aws-error';
import { Constraints } from '../kernel/constraints';
import { type Page, pageOf } from '../kernel/page';

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

const GROUP_NAME = '[.\\-_/#A-Za-z0-9]+';
const NAME = '[^:*]*';

export function logsConstraints(): Constraints {
  return new Constraints(invalidParameter);
}

/** Adds the rule for a required text of 1 to `max` characters. */
export function constrainText(
  constraints: Constraints,
  member: string,
  value: string | undefined,
  max: number,
): Constraints {
  return constraints.notNull(member, value).length(member, value, 1, max);
}

/** @see https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_CreateLogGroup.html */
export function checkGroupName(name: string | undefined): string {
  constrainText(logsConstraints(), 'logGroupName', name, 512).pattern('logGroupName', name, GROUP_NAME).check();
  return name ?? '';
}

/** Adds the rules for the name of a stream or a filter. */
export function constrainName(constraints: Constraints, member: string, name: string | undefined): Constraints {
  return constrainText(constraints, member, name, 512).pattern(member, name, NAME);
}

/** The default and the maximum number of items on one page. */
export const MAX_LISTED = 50;

/** @throws AwsError when the token was not issued by an earlier page */
export function logsPage<Item>(
  all: readonly Item[],
  limit: number | undefined,
  nextToken: string | undefined,
): Page<Item> {
  return pageOf(all, limit ?? MAX_LISTED, nextToken, () => invalidParameter('The specified nextToken is invalid.'));
}
