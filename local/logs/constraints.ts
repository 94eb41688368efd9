import { Constraints } from '../kernel/constraints';
import { invalidParameter } from './errors';

const GROUP_NAME = '[.\\-_/#A-Za-z0-9]+';
const NAME = '[^:*]*';

export function logsConstraints(): Constraints {
  return new Constraints(invalidParameter);
}

/** A text that must be there. */
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

/** The name of a stream or a filter. */
export function constrainName(constraints: Constraints, member: string, name: string | undefined): Constraints {
  return constrainText(constraints, member, name, 512).pattern(member, name, NAME);
}
