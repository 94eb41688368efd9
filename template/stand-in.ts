import { parsePattern, wildcardMatcher } from './access/wildcard';

/**
 * Stands for a name, an account or a Region that only the deployment tells: `<Test.Orders>`. No name of AWS has these
 * brackets, nor a colon inside, so an ARN with a stand-in is still read as an ARN.
 */
export function standIn(what: string): string {
  return `<${what}>`;
}

/** For accounts and Regions that a template does not tell: the same for all stacks of an app, but for twins. */
export const ACCOUNT_STAND_IN = standIn('account');
export const REGION_STAND_IN = standIn('region');

/** For the value of a property, which a parameter may give: unlike a name that AWS makes up, it may be written out elsewhere. */
export function standInFor(property: string, what: string): string {
  return standIn(`${property} of ${what}`);
}

/** For the account or Region of some of an app's stacks, which are not where their twins are. */
export function standInAt(what: 'account' | 'region', place: string): string {
  return standInFor(what, place);
}

const AT_A_PLACE = /<(account|region) of ([^<>]*)>/g;

/** The text as it would be, were all stacks that do not tell where they go in one place. */
function inOnePlace(text: string): string {
  return text.replace(AT_A_PLACE, '<$1>');
}

/** Whether a text stands for an account. */
export function isAccountStandIn(text: string): boolean {
  return inOnePlace(text) === ACCOUNT_STAND_IN;
}

const STAND_IN = /<[^<>]*>/;

/** Whether a part of a text is known only once it is deployed. */
export function hasStandIn(text: string): boolean {
  return STAND_IN.test(text);
}

/** The text with something else for each of its stand-ins. */
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
 * A stand-in may come to be any text that is written out; what two resources come to be named differs. Twins are in two
 * places, and another stack may be where one of them is.
 */
function partMatches(pattern: string, text: string): boolean | undefined {
  if (wildcardMatcher(parsePattern(pattern))(text)) return true;
  if (hasStandIn(pattern) !== hasStandIn(text)) return undefined;
  return wildcardMatcher(parsePattern(inOnePlace(pattern)))(inOnePlace(text)) ? undefined : false;
}

/**
 * Whether a pattern, with `*` and `?`, matches a text once both are deployed. Undefined where that hangs on what a
 * stand-in comes to be.
 */
export function matchesOnceDeployed(pattern: string, text: string): boolean | undefined {
  if (wildcardMatcher(parsePattern(pattern))(text)) return true;
  const [patterns, texts] = [partsOf(pattern), partsOf(text)];
  if (patterns.length !== texts.length) return partMatches(pattern, text);
  const parts = patterns.map((part, index) => partMatches(part, texts[index] ?? ''));
  return parts.includes(false) ? false : parts.includes(undefined) ? undefined : true;
}

const MADE_UP = /<[^<>. ]+\.[^<> ]+>/;

/** Whether AWS makes a name up: who wrote the template could not write it out. */
export function isMadeUp(name: string): boolean {
  return MADE_UP.test(name);
}

/** Whether both are of twins, which are never in one place. */
function areApart(one: string, other: string): boolean {
  const [places, others] = [one, other].map(it => [...it.matchAll(AT_A_PLACE)].map(([, , place]) => place));
  return Boolean(places?.length && others?.length) && !places?.some(it => others?.includes(it));
}

/** Whether two names of one kind, both without wildcards, may come to be the same. */
export function mayBecomeOne(one: string, other: string): boolean {
  const matches = matchesOnceDeployed(one, other);
  if (matches !== undefined) return matches;
  if (areApart(one, other)) return false;
  if (isMadeUp(one) || isMadeUp(other)) return false;
  const [open, reported] = hasStandIn(one) ? [one, other] : [other, one];
  return hasStandIn(reported) || wildcardMatcher(parsePattern(withStandIns(open, () => '*')))(reported);
}
