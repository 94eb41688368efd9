import { AwsError } from '../kernel/aws-error';
import { Constraints, validationException } from '../kernel/constraints';
import { type Page, pageOf } from '../kernel/page';

/** The pattern for names of rules, targets and statements. */
export const NAME = '[\\.\\-_A-Za-z0-9]+';

/** The pattern for the name or ARN of a bus. */
export const BUS_NAME = '[/\\.\\-_A-Za-z0-9]+';

export function constrainRuleName(constraints: Constraints, member: string, name: string | undefined): Constraints {
  return constraints.notNull(member, name).length(member, name, 1, 64).pattern(member, name, NAME);
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

const MAX_PAGE_SIZE = 100;

/** @default 100 items, the maximum of EventBridge */
export function eventsPage<Item>(
  all: readonly Item[],
  limit: number | undefined,
  nextToken: string | undefined,
): Page<Item> {
  new Constraints().range('limit', limit, 1, MAX_PAGE_SIZE).check();
  return pageOf(all, limit ?? MAX_PAGE_SIZE, nextToken, () => validationException('Parameter NextToken is not valid.'));
}
