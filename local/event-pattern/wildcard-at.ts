import type { Condition } from './condition';
import type { Refusals } from './event-pattern-error';
import type { LocatedJson } from './located-json';
import { WildcardProblem, wildcardCondition } from './wildcard';

/**
 * The condition of a wildcard at a place in a pattern.
 *
 * @throws EventPatternError
 */
export function wildcardAt(operand: LocatedJson, refusals: Refusals): Condition {
  if (operand.kind !== 'string') throw refusals.at(operand.metAt, 'wildcard match pattern must be a string');
  try {
    return wildcardCondition(operand.value);
  } catch (error) {
    if (!(error instanceof WildcardProblem)) throw error;
    throw refusals.at(operand.endAt, error.message);
  }
}
