import { COMPARISONS, type Comparison, type Condition } from '../../event-pattern';
import { isMembers } from '../../kernel/json';
import { FilterPolicyError } from './filter-policy-error';

const LOWER_BOUNDS: readonly unknown[] = ['>', '>='];
const UPPER_BOUNDS: readonly unknown[] = ['<', '<='];

/** What of a value the parser behind AWS's texts has read when it refuses it. */
function tokenOf(value: unknown): string {
  if (Array.isArray(value)) return '[';
  return isMembers(value) ? '{' : String(value);
}

function boundAfter(operator: unknown, bound: unknown): number {
  if (typeof bound === 'number') return bound;
  throw new FilterPolicyError(`Value of ${operator === '=' ? 'equals' : operator} must be numeric`);
}

function comparisonOf(operator: unknown): Comparison {
  if (typeof operator !== 'string')
    throw new FilterPolicyError(`Invalid member in numeric match: ${tokenOf(operator)}`);
  const compare = COMPARISONS.get(operator);
  if (!compare) throw new FilterPolicyError(`Unrecognized numeric range operator: ${operator}`);
  return compare;
}

/** The second half of a range: an upper bound above the lower one. */
function upperEnd(operator: unknown, bound: unknown, lower: number): Condition {
  if (typeof operator !== 'string') throw new FilterPolicyError(`Bad value in numeric range: ${tokenOf(operator)}`);
  const compare = UPPER_BOUNDS.includes(operator) ? COMPARISONS.get(operator) : undefined;
  if (!compare) throw new FilterPolicyError(`Bad numeric range operator: ${operator}`);
  const upper = boundAfter(operator, bound);
  if (upper <= lower) throw new FilterPolicyError('Bottom must be less than top');
  return value => typeof value === 'number' && compare(value, upper);
}

/**
 * `{"numeric": ["=", 5]}`, `{"numeric": [">", 0]}` or a range such as `{"numeric": [">", 0, "<=", 150]}`.
 * @see https://docs.aws.amazon.com/sns/latest/dg/numeric-value-matching.html
 * @throws FilterPolicyError
 */
export function numericCondition(pattern: unknown): Condition {
  if (!Array.isArray(pattern)) throw new FilterPolicyError('Value of numeric must be an array.');
  if (pattern.length === 0) throw new FilterPolicyError('Invalid member in numeric match: ]');
  const [operator, bound, ...rest]: unknown[] = pattern;
  const compare = comparisonOf(operator);
  const first = boundAfter(operator, bound);
  const holds: Condition = value => typeof value === 'number' && compare(value, first);
  if (rest.length === 0) return holds;
  if (!LOWER_BOUNDS.includes(operator)) throw new FilterPolicyError('Too many elements in numeric expression');
  const upper = upperEnd(rest[0], rest[1], first);
  if (rest.length > 2) throw new FilterPolicyError('Too many terms in numeric range expression');
  return value => holds(value) && upper(value);
}
