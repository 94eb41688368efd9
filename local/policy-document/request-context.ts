import { parseArn } from '../../policy/arn';
import { ownMember } from '../../policy/json-members';
import { literalPattern, type Matcher, type Pattern, parsePattern } from '../../template/access/wildcard';
import { accountOf, type Caller, principalArn } from '../kernel/caller';
import { type Clock, isoInstant } from '../kernel/clock';
import type { Place } from '../kernel/place';

/**
 * Looks up a condition key of a request by `keyName`: a value, the values of a key that may have several, or undefined
 * when the request lacks it.
 */
export type ContextLookup = (key: string) => string | readonly string[] | undefined;

/** The facts from which keys are derived, in addition to those of the caller. */
interface RequestFacts {
  readonly caller: Caller;
  readonly resource: string;
  readonly place: Place;
  readonly clock: Clock;
}

type Derivation = (facts: RequestFacts) => string | undefined;

/**
 * Condition keys that the embedded AWS derives from a request, in lower case.
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
  'kms:calleraccount': ({ caller, resource }) =>
    parseArn(resource)?.service === 'kms' ? accountOf(caller) : undefined,
};

const PRINCIPAL_TYPES: Readonly<Record<Caller['principal']['kind'], string | undefined>> = {
  account: 'Account',
  role: 'AssumedRole',
  service: undefined,
};

/** Condition keys that the caller may send: in lower case, and as `Caller` spells them. */
const BROUGHT: ReadonlyMap<string, string> = new Map(
  [
    'aws:SecureTransport',
    'aws:SourceAccount',
    'aws:SourceArn',
    'aws:SourceOwner',
    'aws:ViaAWSService',
    'cloudwatch:namespace',
    'dynamodb:LeadingKeys',
    'kms:BypassPolicyLockoutSafetyCheck',
    'kms:CustomerMasterKeySpec',
    'kms:EncryptionAlgorithm',
    'kms:EncryptionContextKeys',
    'kms:KeyOrigin',
    'kms:KeySpec',
    'kms:KeyUsage',
    'kms:MultiRegion',
    'kms:RequestAlias',
    'kms:ResourceAliases',
    'kms:RotationPeriodInDays',
    'kms:ScheduleKeyDeletionPendingWindowInDays',
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
 * Keys that no request here has, because the embedded AWS has no organizations, private networks, second factors or
 * grants, and only symmetric keys of one Region. They are absent, as they would be on AWS.
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
  'kms:datakeypairspec',
  'kms:expirationmodel',
  'kms:grantconstrainttype',
  'kms:granteeprincipal',
  'kms:grantisforawsresource',
  'kms:grantoperations',
  'kms:keyagreementalgorithm',
  'kms:macalgorithm',
  'kms:messagetype',
  'kms:multiregionkeytype',
  'kms:primaryregion',
  'kms:reencryptonsamekey',
  'kms:replicaregion',
  'kms:retiringprincipal',
  'kms:signingalgorithm',
  'kms:validto',
  'kms:wrappingalgorithm',
  'kms:wrappingkeyspec',
]);

/**
 * Keys with free names: the encryption context of a KMS caller. Names that begin with `aws:` belong to services; here
 * CloudWatch Logs, DynamoDB, SQS and SNS send their own.
 */
const ENCRYPTION_CONTEXT =
  /^kms:encryptioncontext:(?:aws:(?:dynamodb:(?:subscriberid|tablename)|logs:arn|sqs:arn|sns:topicarn)$|(?!aws:))/;

/** The lookup form of a condition key, because keys are case-insensitive. */
export function keyName(key: string): string {
  return key.toLowerCase();
}

/** Whether the embedded AWS knows the condition key. An unknown key is refused, because the decision could be wrong. */
export function isKnownKey(key: string): boolean {
  const name = keyName(key);
  return Object.hasOwn(DERIVED, name) || BROUGHT.has(name) || ABSENT.has(name) || ENCRYPTION_CONTEXT.test(name);
}

/** The condition keys of one request. Each is derived when a policy uses it. */
export function contextOf(facts: RequestFacts): ContextLookup {
  const { context } = facts.caller;
  return name => {
    if (ENCRYPTION_CONTEXT.test(name)) return context[spellingIn(context, name)];
    const spelled = BROUGHT.get(name);
    return spelled === undefined ? ownMember(DERIVED, name)?.(facts) : context[spelled];
  };
}

function spellingIn(context: Caller['context'], name: string): string {
  return Object.keys(context).find(key => keyName(key) === name) ?? name;
}

/** `${aws:PrincipalAccount}`, with an optional default: `${aws:PrincipalAccount, 'none'}`. */
const VARIABLE = /\$\{([^},]+)(?:,\s*'([^']*)')?\}/g;

/** `${*}`, `${?}` and `${$}` are those characters themselves. */
const LITERAL_CHARACTERS: ReadonlySet<string> = new Set(['*', '?', '$']);

/** Matches a text with a pattern of a policy, whose variables have the request's values. */
export type PolicyPattern = (text: string, context: ContextLookup) => boolean;

interface PatternReading {
  /** Whether the policy can have variables: version 2008-10-17 does not. */
  readonly variables: boolean;
  /** Compiles the text around the variables. @default wildcards are expanded */
  readonly parse?: (text: string) => Pattern;
  readonly compile: (pattern: Pattern) => Matcher;
}

export function variablesIn(text: string): readonly string[] {
  return [...text.matchAll(VARIABLE)].map(([, key = '']) => key.trim()).filter(key => !LITERAL_CHARACTERS.has(key));
}

/**
 * Compiles a pattern that may have policy variables. Most patterns have none and are compiled once. A variable's value
 * is literal: a star in it is not a wildcard. A pattern with a variable that the request lacks matches nothing.
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
    // A key with several values cannot be a variable.
    if (typeof value !== 'string') return undefined;
    pattern.push(...parse(text.slice(after, match.index)), ...literalPattern(value));
    after = match.index + whole.length;
  }
  pattern.push(...parse(text.slice(after)));
  return pattern;
}
