import { isObject } from '../../policy/members';
import type { RequestKeys } from './access-question';
import { type Answer, allOf, answer, opposite } from './answer';
import { anyMatches, isEqual, isLike, isLikeArn, listed, type TextMatch } from './texts';

const isEqualIgnoringCase: TextMatch = (wanted, actual) => isEqual(wanted.toLowerCase(), actual.toLowerCase());

/** What AWS calls an operator, how it compares, and whether it holds where nothing matches. */
interface Operator {
  readonly match: TextMatch;
  readonly isNegated: boolean;
}

/** Of numbers, dates, addresses and bytes only the absence of the key is decided: no request asked about here carries one. */
const undecided: TextMatch = () => 'unknown';

const COMPARISONS: readonly (readonly [name: string, negation: string, match: TextMatch])[] = [
  ['StringEquals', 'StringNotEquals', isEqual],
  ['StringEqualsIgnoreCase', 'StringNotEqualsIgnoreCase', isEqualIgnoringCase],
  ['StringLike', 'StringNotLike', isLike],
  ['ArnEquals', 'ArnNotEquals', isLikeArn],
  ['ArnLike', 'ArnNotLike', isLikeArn],
  ['IpAddress', 'NotIpAddress', undecided],
  ['NumericEquals', 'NumericNotEquals', undecided],
  ['DateEquals', 'DateNotEquals', undecided],
];

const OPERATORS: ReadonlyMap<string, Operator> = new Map([
  ...COMPARISONS.flatMap(([name, negation, match]): [string, Operator][] => [
    [name, { match, isNegated: false }],
    [negation, { match, isNegated: true }],
  ]),
  ['Bool', { match: isEqualIgnoringCase, isNegated: false }],
]);

const OPERATOR = /^(?:(ForAllValues|ForAnyValue):)?(.+?)(IfExists)?$/;

/**
 * Whether a `Condition` block holds for a request.
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_condition_operators.html
 */
export function conditionsHold(block: unknown, keys: RequestKeys): Answer {
  if (block === undefined) return 'yes';
  if (!isObject(block)) return 'unknown';
  return allOf(
    Object.entries(block).flatMap(([operator, comparisons]): Answer[] =>
      isObject(comparisons)
        ? Object.entries(comparisons).map(([key, wanted]) => holds(operator, wanted, key.toLowerCase(), keys))
        : ['unknown'],
    ),
  );
}

function holds(name: string, wanted: unknown, key: string, keys: RequestKeys): Answer {
  if (!Object.hasOwn(keys, key)) return 'unknown';
  const actual = keys[key];
  const [, quantifier, base = '', ifExists] = OPERATOR.exec(name) ?? [];
  if (base === 'Null') return isNull(wanted, actual);
  const operator = OPERATORS.get(base);
  if (!operator) return 'unknown';
  if (actual === undefined) {
    if (ifExists !== undefined || quantifier === 'ForAllValues') return 'yes';
    return answer(operator.isNegated && quantifier !== 'ForAnyValue');
  }
  const matches = anyMatches(asTexts(wanted), actual, operator.match);
  return operator.isNegated ? opposite(matches) : matches;
}

function isNull(wanted: unknown, actual: string | undefined): Answer {
  const [value, ...more] = asTexts(wanted);
  if (more.length > 0 || (value !== 'true' && value !== 'false')) return 'unknown';
  return answer((value === 'true') === (actual === undefined));
}

/** JSON may have `true` or a number where a policy means the text. */
function asTexts(wanted: unknown): readonly unknown[] {
  return listed(wanted).map(it => (typeof it === 'boolean' || typeof it === 'number' ? String(it) : it));
}
