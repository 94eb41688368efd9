import { listOfOneOrMore } from '../../policy/json-members';
import { hasStandIn, matchesOnceDeployed } from '../stand-in';

/** Whether something holds, as far as it is known. */
export type Answer = 'yes' | 'no' | 'unknown';

/** @param holds undefined if unknown */
export function answer(holds: boolean | undefined): Answer {
  if (holds === undefined) return 'unknown';
  return holds ? 'yes' : 'no';
}

/** Whether all hold: `no` if one certainly does not. */
export function allOf(answers: readonly Answer[]): Answer {
  if (answers.includes('no')) return 'no';
  return answers.includes('unknown') ? 'unknown' : 'yes';
}

/** Whether any holds: `yes` if one certainly does. */
export function anyOf(answers: readonly Answer[]): Answer {
  if (answers.includes('yes')) return 'yes';
  return answers.includes('unknown') ? 'unknown' : 'no';
}

const OPPOSITES: Readonly<Record<Answer, Answer>> = { yes: 'no', no: 'yes', unknown: 'unknown' };

export function opposite(it: Answer): Answer {
  return OPPOSITES[it];
}

/**
 * Compares a value in a policy with a value in a request. The answer is `unknown` if it depends on values that are only
 * known at deployment.
 */
export type TextMatch = (wanted: string, actual: string) => Answer;

const WILDCARD = /[*?]/;
const POLICY_VARIABLE = '${';

/** `*` and `?` are wildcards. */
export const isLike: TextMatch = (wanted, actual) => answer(matchesOnceDeployed(wanted, actual));

/** Names in AWS contain no wildcard characters, so a text with one only equals itself. */
export const isEqual: TextMatch = (wanted, actual) =>
  WILDCARD.test(wanted) ? answer(wanted === actual) : isLike(wanted, actual);

const ARN_PARTS = 6;

function arnPartsOf(text: string): readonly string[] | undefined {
  const parts = text.split(':');
  return parts.length < ARN_PARTS
    ? undefined
    : [...parts.slice(0, ARN_PARTS - 1), parts.slice(ARN_PARTS - 1).join(':')];
}

/**
 * Matches ARNs as IAM's ARN operators do: each of the six parts on its own, so a star does not match a colon.
 * @see
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_condition_operators.html#Conditions_ARN
 */
export const isLikeArn: TextMatch = (wanted, actual) => {
  const [patterns, parts] = [arnPartsOf(wanted), arnPartsOf(actual)];
  // **Assumption IAM-2:** What a single star matches, which is not an ARN, is unknown.
  if (!patterns) return hasStandIn(wanted) || WILDCARD.test(wanted) ? 'unknown' : 'no';
  if (!parts) return hasStandIn(actual) ? 'unknown' : 'no';
  const matches = patterns.map((pattern, index) => matchesOnceDeployed(pattern, parts[index] ?? ''));
  return matches.includes(false) ? 'no' : answer(matches.includes(undefined) ? undefined : true);
};

/**
 * Whether any entry of an element matches. An entry that is not a text (such as a template parameter), or that contains
 * a policy variable, may match anything.
 */
export function anyMatches(element: unknown, actual: string, match: TextMatch): Answer {
  return anyOf(listOfOneOrMore(element).map(it => (isPlain(it) ? match(it, actual) : 'unknown')));
}

function isPlain(it: unknown): it is string {
  return typeof it === 'string' && !it.includes(POLICY_VARIABLE);
}
