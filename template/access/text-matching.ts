import { hasStandIn, matchesOnceDeployed } from '../stand-in';

/** What is known of whether something holds. */
export type Answer = 'yes' | 'no' | 'unknown';

/** @param holds undefined where that is not known */
export function answer(holds: boolean | undefined): Answer {
  if (holds === undefined) return 'unknown';
  return holds ? 'yes' : 'no';
}

/** Whether all hold: one that does not decides, whatever is not known of the others. */
export function allOf(answers: readonly Answer[]): Answer {
  if (answers.includes('no')) return 'no';
  return answers.includes('unknown') ? 'unknown' : 'yes';
}

/** Whether any holds: one that does decides, whatever is not known of the others. */
export function anyOf(answers: readonly Answer[]): Answer {
  if (answers.includes('yes')) return 'yes';
  return answers.includes('unknown') ? 'unknown' : 'no';
}

const OPPOSITES: Readonly<Record<Answer, Answer>> = { yes: 'no', no: 'yes', unknown: 'unknown' };

export function opposite(it: Answer): Answer {
  return OPPOSITES[it];
}

/** Compares what a policy has with what a request carries; what is not known before a deployment leaves it open. */
export type TextMatch = (wanted: string, actual: string) => Answer;

const WILDCARD = /[*?]/;
const POLICY_VARIABLE = '${';

/** `*` and `?` are wildcards. */
export const isLike: TextMatch = (wanted, actual) => answer(matchesOnceDeployed(wanted, actual));

/** Nothing AWS names holds a wildcard's character, so a text that does equals nothing but itself. */
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
 * As the operators for ARNs read them: each of the six parts on its own, so that a star reaches over no colon.
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_condition_operators.html#Conditions_ARN
 */
export const isLikeArn: TextMatch = (wanted, actual) => {
  const [patterns, parts] = [arnPartsOf(wanted), arnPartsOf(actual)];
  // AWS publishes nothing of what a star alone, which is no ARN, matches.
  if (!patterns) return hasStandIn(wanted) || WILDCARD.test(wanted) ? 'unknown' : 'no';
  if (!parts) return hasStandIn(actual) ? 'unknown' : 'no';
  const matches = patterns.map((pattern, index) => matchesOnceDeployed(pattern, parts[index] ?? ''));
  return matches.includes(false) ? 'no' : answer(matches.includes(undefined) ? undefined : true);
};

/**
 * Whether any text of an element matches. What is no text, such as what a template's parameter gives, and what holds a
 * policy variable may be any.
 */
export function anyMatches(element: unknown, actual: string, match: TextMatch): Answer {
  return anyOf(listed(element).map(it => (isPlain(it) ? match(it, actual) : 'unknown')));
}

/** A policy may have a value by itself where it may have a list. */
export function listed(element: unknown): readonly unknown[] {
  return Array.isArray(element) ? element : [element];
}

function isPlain(it: unknown): it is string {
  return typeof it === 'string' && !it.includes(POLICY_VARIABLE);
}
