import { parseArn } from '../../policy/arn';
import { literalPattern, type Matcher, type Pattern, parsePattern } from '../../template/access/wildcard';
import { accountOf, type Caller, principalArn } from '../kernel/caller';
import { type Clock, isoInstant } from '../kernel/clock';
import type { Place } from '../kernel/place';

/** Looks up a condition key in a request, by `keyName`; undefined when the request does not carry it. */
export type ContextLookup = (key: string) => string | undefined;

/** What keys are derived from, beside those the caller brings along. */
export interface RequestFacts {
  readonly caller: Caller;
  readonly resource: string;
  readonly place: Place;
  readonly clock: Clock;
}

type Derivation = (facts: RequestFacts) => string | undefined;

/**
 * Condition keys the embedded AWS derives from a request, in lower case.
 *
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_condition-keys.html
 */
const DERIVED: Readonly<Record<string, Derivation>> = {
  'aws:currenttime': ({ clock }) => isoInstant(clock.nowMs),
  'aws:epochtime': ({ clock }) => String(Math.floor(clock.nowMs / 1000)),
  'aws:principalaccount': ({ caller }) => accountOf(caller),
  'aws:principalarn': ({ caller, place }) => principalArn(caller, place.partition),
  'aws:principalisawsservice': ({ caller }) => String(caller.principal.kind === 'service'),
  'aws:principalservicename': ({ caller }) =>
    caller.principal.kind === 'service' ? caller.principal.service : undefined,
  'aws:principaltype': ({ caller }) => PRINCIPAL_TYPES[caller.principal.kind],
  'aws:requestedregion': ({ place }) => place.region,
  'aws:resourceaccount': ({ resource, place }) => parseArn(resource)?.account || place.account,
};

const PRINCIPAL_TYPES: Readonly<Record<Caller['principal']['kind'], string | undefined>> = {
  account: 'Account',
  role: 'AssumedRole',
  service: undefined,
};

/** Keys that callers bring along when they have them: in lower case, and as `Caller` spells them. */
const BROUGHT: ReadonlyMap<string, string> = new Map(
  [
    'aws:SecureTransport',
    'aws:SourceAccount',
    'aws:SourceArn',
    'aws:SourceOwner',
    'aws:ViaAWSService',
    'cloudwatch:namespace',
    'kms:CallerAccount',
    'kms:ViaService',
    'lambda:FunctionArn',
    'lambda:SourceFunctionArn',
    'sns:Endpoint',
    'sns:Protocol',
    'sts:ExternalId',
    'sts:RoleSessionName',
  ].map(key => [keyName(key), key]),
);

/**
 * Keys that no request here can carry, because what they tell of does not exist in the embedded AWS: organizations,
 * private networks, second factors, grants. They are absent, as they would be on AWS.
 */
const ABSENT: ReadonlySet<string> = new Set([
  'aws:multifactorauthage',
  'aws:multifactorauthpresent',
  'aws:principalorgid',
  'aws:principalorgpaths',
  'aws:resourceorgid',
  'aws:resourceorgpaths',
  'aws:sourceorgid',
  'aws:sourceorgpaths',
  'aws:sourcevpc',
  'aws:sourcevpce',
  'aws:vpcsourceip',
  'kms:grantisforawsresource',
]);

/**
 * Keys of which there are any number: what a caller of KMS gives along with a secret, by its own names. The names that
 * begin with `aws:` are those of services, and of these only CloudWatch Logs gives its own here.
 */
const ENCRYPTION_CONTEXT = /^kms:encryptioncontext:(?:aws:logs:arn$|(?!aws:))/;

/** Condition keys are the same in any case; this is the form in which they are looked up. */
export function keyName(key: string): string {
  return key.toLowerCase();
}

/** May a policy use the condition key here? One that is unknown would be decided wrongly, so it is refused instead. */
export function isKnownKey(key: string): boolean {
  const name = keyName(key);
  return Object.hasOwn(DERIVED, name) || BROUGHT.has(name) || ABSENT.has(name) || ENCRYPTION_CONTEXT.test(name);
}

/** The condition keys of one request; each is worked out when a policy asks for it. */
export function contextOf(facts: RequestFacts): ContextLookup {
  const { context } = facts.caller;
  return name => {
    if (ENCRYPTION_CONTEXT.test(name)) return context[spellingIn(context, name)];
    const spelled = BROUGHT.get(name);
    return spelled === undefined ? DERIVED[name]?.(facts) : context[spelled];
  };
}

function spellingIn(context: Caller['context'], name: string): string {
  return Object.keys(context).find(key => keyName(key) === name) ?? name;
}

/** `${aws:PrincipalAccount}`, with an optional default: `${aws:PrincipalAccount, 'nobody'}`. */
const VARIABLE = /\$\{([^},]+)(?:,\s*'([^']*)')?\}/g;

/** `${*}`, `${?}` and `${$}` stand for those characters themselves. */
const LITERAL_CHARACTERS: ReadonlySet<string> = new Set(['*', '?', '$']);

/** Matches a text against a pattern of a policy, whose variables are read from the request. */
export type PolicyPattern = (text: string, context: ContextLookup) => boolean;

export interface PatternReading {
  /** Are there variables in this policy? Version 2008-10-17 has none. */
  readonly variables: boolean;
  /** How the text around the variables is read. @default wildcards are wildcards */
  readonly parse?: (text: string) => Pattern;
  readonly compile: (pattern: Pattern) => Matcher;
}

/** The condition keys whose values a text of a policy asks for. */
export function variablesIn(text: string): readonly string[] {
  return [...text.matchAll(VARIABLE)].map(([, key = '']) => key.trim()).filter(key => !LITERAL_CHARACTERS.has(key));
}

/**
 * Compiles a pattern that may hold policy variables. Without any, which is nearly always, it is compiled once. What a
 * variable stands for is taken literally: a star in it is a star. A pattern whose variable the request lacks matches
 * nothing.
 *
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_variables.html
 */
export function policyPattern(
  text: string,
  { variables, parse = parsePattern, compile }: PatternReading,
): PolicyPattern {
  if (!variables || text.search(VARIABLE) < 0) {
    const matcher = compile(parse(text));
    return actual => matcher(actual);
  }
  return (actual, context) => {
    const filled = fillVariables(text, context, parse);
    return filled !== undefined && compile(filled)(actual);
  };
}

function fillVariables(text: string, context: ContextLookup, parse: (text: string) => Pattern): Pattern | undefined {
  const pattern: Pattern[number][] = [];
  let after = 0;
  for (const match of text.matchAll(VARIABLE)) {
    const [whole, name = '', otherwise] = match;
    const key = name.trim();
    const value = LITERAL_CHARACTERS.has(key) ? key : (context(keyName(key)) ?? otherwise);
    if (value === undefined) return undefined;
    pattern.push(...parse(text.slice(after, match.index)), ...literalPattern(value));
    after = match.index + whole.length;
  }
  pattern.push(...parse(text.slice(after)));
  return pattern;
}
