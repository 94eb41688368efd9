import { Constraints } from '../kernel/constraints';
import { validationException } from './errors';

/** What EventBridge takes for a name of a rule, a target or a statement. */
export const NAME = '[\\.\\-_A-Za-z0-9]+';

/** What EventBridge takes for a name of a bus, or its ARN. */
export const BUS_NAME = '[/\\.\\-_A-Za-z0-9]+';

export function eventsConstraints(): Constraints {
  return new Constraints(validationException);
}

/** The name of a rule in a request. */
export function constrainRuleName(constraints: Constraints, member: string, name: string | undefined): Constraints {
  return constraints.notNull(member, name).length(member, name, 1, 64).pattern(member, name, NAME);
}
