import { parsePattern, wildcardMatcher } from './access/wildcard';

/**
 * A stand-in for a name, account or Region that is only known at deployment: `<Test.Orders>`. Names in AWS never
 * contain these brackets, and a stand-in never contains a colon, so an ARN with stand-ins can still be parsed.
 */
export function standIn(what: string): string {
  return `<${what}>`;
}

/**
 * For accounts and Regions that a template does not state. They are the same for all stacks of an app, except twin
 * stacks.
 */
export const ACCOUNT_STAND_IN = standIn('account');
export const REGION_STAND_IN = standIn('region');

/**
 * For a property's value that a parameter may set. Another template may contain the same value as text, which is
 * impossible for a name that AWS generates.
 */
export function standInFor(property: string, what: string): string {
  return standIn(`${property} of ${what}`);
}

/** For the account or Region of one of several twin stacks, which are all in different places. */
export function standInAt(what: 'account' | 'region', place: string): string {
  return standInFor(what, place);
}

const AT_A_PLACE = /<(account|region) of ([^<>]*)>/g;

/** The text as if all stacks without a stated place were in the same place. */
function inOnePlace(text: string): string {
  return text.replace(AT_A_PLACE, '<$1>');
}

export function isAccountStandIn(text: string): boolean {
  return inOnePlace(text) === ACCOUNT_STAND_IN;
}

const STAND_IN = /<[^<>]*>/;

/** Whether a part of a text is only known at deployment. */
export function hasStandIn(text: string): boolean {
  return STAND_IN.test(text);
}

export function withStandIns(text: string, replaced: (standIn: string) => string): string {
  return text.replace(new RegExp(STAND_IN, 'g'), replaced);
}

const ARN_PARTS = 6;

function partsOf(text: string): string[] {
  const parts = text.split(':');
  if (parts[0] !== 'arn' || parts.length < ARN_PARTS) return [text];
  return [...parts.slice(0, ARN_PARTS - 1), parts.slice(ARN_PARTS - 1).join(':')];
}

/**
 * A stand-in can become any literal text, but the names of two resources always differ. Twin stacks are in different
 * places, and another stack may be in the same place as one of them.
 */
function partMatches(pattern: string, text: string): boolean | undefined {
  if (wildcardMatcher(parsePattern(pattern))(text)) return true;
  if (hasStandIn(pattern) !== hasStandIn(text)) return undefined;
  return wildcardMatcher(parsePattern(inOnePlace(pattern)))(inOnePlace(text)) ? undefined : false;
}

/**
 * Whether a pattern with `*` and `?` matches a text after deployment. Undefined if that depends on the value of a
 * stand-in.
 */
export function matchesOnceDeployed(pattern: string, text: string): boolean | undefined {
  if (wildcardMatcher(parsePattern(pattern))(text)) return true;
  const [patterns, texts] = [partsOf(pattern), partsOf(text)];
  if (patterns.length !== texts.length) return partMatches(pattern, text);
  const parts = patterns.map((part, index) => partMatches(part, texts[index] ?? ''));
  return parts.includes(false) ? false : parts.includes(undefined) ? undefined : true;
}

const MADE_UP = /<[^<>. ]+\.[^<> ]+>/;

/** Whether AWS generates the name, so that no template can contain it. */
export function isGenerated(name: string): boolean {
  return MADE_UP.test(name);
}

/** Whether both belong to twin stacks, which are never in the same place. */
function areInDifferentPlaces(one: string, other: string): boolean {
  const [places, others] = [one, other].map(it => [...it.matchAll(AT_A_PLACE)].map(([, , place]) => place));
  return Boolean(places?.length && others?.length) && !places?.some(it => others?.includes(it));
}

/** Whether two names of one kind, both without wildcards, may turn out to be the same. */
export function mayBeSame(one: string, other: string): boolean {
  const matches = matchesOnceDeployed(one, other);
  if (matches !== undefined) return matches;
  if (areInDifferentPlaces(one, other)) return false;
  if (isGenerated(one) || isGenerated(other)) return false;
  const [open, reported] = hasStandIn(one) ? [one, other] : [other, one];
  return hasStandIn(reported) || wildcardMatcher(parsePattern(withStandIns(open, () => '*')))(reported);
}
