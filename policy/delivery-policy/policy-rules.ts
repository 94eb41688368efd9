import { HOUR_SECONDS } from '../time-units';
import {
  allowedContentTypes,
  BACKOFF_FUNCTIONS,
  type BackoffFunction,
  isAllowedContentType,
  type PolicyLevel,
  type RetryPolicy,
} from './delivery-policy';
import { backoffRetries, totalDelaySeconds } from './retry-schedule';

/** The most time a whole policy may take. */
interface SpendingLimit {
  readonly maxSeconds: number;
  /** What the time includes, in the words of the error. */
  readonly of: string;
  /** How much longer than scheduled any delay may be. */
  readonly jitterPercent: number;
  /** Seconds that each attempt takes in addition, the initial one included. */
  readonly attemptSeconds: number;
}

/** The limits of a policy, which depend on what delivers by it: SNS or a relay. */
export interface PolicyLimits {
  /** The longest delay before one retry. */
  readonly maxDelaySeconds: number;
  /** The most retries in all four phases together. */
  readonly maxRetries: number;
  /** The most retries of the no-delay phase. */
  readonly maxNoDelayRetries: number;
  readonly spending: SpendingLimit;
}

/**
 * The limits of SNS.
 * **Assumption SNS-3:** AWS does not publish what its limit of 3,600 seconds includes. Here it is the sum of the
 * delays, without the time of the attempts.
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-message-delivery-retries.html
 */
export const SNS_LIMITS: PolicyLimits = {
  maxDelaySeconds: HOUR_SECONDS,
  maxRetries: 100,
  maxNoDelayRetries: Number.POSITIVE_INFINITY,
  spending: {
    maxSeconds: HOUR_SECONDS,
    of: 'the delays of all its retries together',
    jitterPercent: 0,
    attemptSeconds: 0,
  },
};

/** The three members of a delivery policy. */
export const POLICY_GROUPS = ['healthyRetryPolicy', 'throttlePolicy', 'requestPolicy'] as const;

export type PolicyGroup = (typeof POLICY_GROUPS)[number];

type PolicyAttribute = keyof RetryPolicy | 'maxReceivesPerSecond' | 'headerContentType';

/** The nine attributes by group, in the order SNS shows them. */
export const POLICY_ATTRIBUTES: Readonly<Record<PolicyGroup, readonly PolicyAttribute[]>> = {
  healthyRetryPolicy: [
    'minDelayTarget',
    'maxDelayTarget',
    'numRetries',
    'numMaxDelayRetries',
    'numNoDelayRetries',
    'numMinDelayRetries',
    'backoffFunction',
  ],
  throttlePolicy: ['maxReceivesPerSecond'],
  requestPolicy: ['headerContentType'],
};

/** The topic's switch that makes SNS ignore the policies of its subscriptions. */
export const OVERRIDES_SWITCH = 'disableSubscriptionOverrides';

/** The member names of one form of a delivery policy. */
export interface PolicyLayout {
  /**
   * The member that wraps all others.
   * @default - nothing is wrapped
   */
  readonly wrapper?: string;
  readonly groups: Readonly<Record<PolicyGroup, string>>;
  /** Whether this form may have `disableSubscriptionOverrides`. */
  readonly hasOverridesSwitch: boolean;
  /** Obsolete members that SNS still shows, with the only value it shows. */
  readonly obsoleteMembers: Readonly<Record<string, unknown>>;
}

const PLAIN_GROUPS = {
  healthyRetryPolicy: 'healthyRetryPolicy',
  throttlePolicy: 'throttlePolicy',
  requestPolicy: 'requestPolicy',
};

/**
 * The two JSON forms that SNS accepts.
 * @see https://docs.aws.amazon.com/sns/latest/dg/set-topic-attributes-delivery-policy-json.html
 * @see https://docs.aws.amazon.com/sns/latest/dg/set-sub-attributes-delivery-policy-json.html
 */
export const DOCUMENT_LAYOUTS: Readonly<Record<PolicyLevel, PolicyLayout>> = {
  subscription: {
    groups: PLAIN_GROUPS,
    hasOverridesSwitch: false,
    obsoleteMembers: { sicklyRetryPolicy: null, guaranteed: false },
  },
  topic: {
    wrapper: 'http',
    groups: {
      healthyRetryPolicy: 'defaultHealthyRetryPolicy',
      throttlePolicy: 'defaultThrottlePolicy',
      requestPolicy: 'defaultRequestPolicy',
    },
    hasOverridesSwitch: true,
    obsoleteMembers: { defaultSicklyRetryPolicy: null },
  },
};

/** The form used in code: the plain names, at both levels. */
export const SETTINGS_LAYOUTS: Readonly<Record<PolicyLevel, PolicyLayout>> = {
  subscription: { groups: PLAIN_GROUPS, hasOverridesSwitch: false, obsoleteMembers: {} },
  topic: { groups: PLAIN_GROUPS, hasOverridesSwitch: true, obsoleteMembers: {} },
};

/** The path of `members` below the wrapper, as errors show it. */
export function pathIn(layout: PolicyLayout, ...members: readonly string[]): string {
  return [...(layout.wrapper === undefined ? [] : [layout.wrapper]), ...members].join('.');
}

/** The path of an attribute, as errors show it: `healthyRetryPolicy.numRetries`. */
export function attributePath(layout: PolicyLayout, group: PolicyGroup, attribute: PolicyAttribute): string {
  return pathIn(layout, layout.groups[group], attribute);
}

/** A violation of a rule. */
export interface Breach {
  /** Completes a sentence that begins with the property. */
  readonly rule: string;
  /**
   * The error text of SNS for the property at `path`, where it is known.
   * @default - the path and the rule
   */
  readonly awsText?: (path: string) => string;
}

/** What the valid values depend on. */
interface RuleContext {
  readonly level: PolicyLevel;
  readonly rawMessageDelivery: boolean;
  readonly limits: PolicyLimits;
}

type AttributeRule = (value: unknown, context: RuleContext) => Breach | undefined;

function typeName(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

function mismatch(expected: string, value: unknown): Breach {
  return { rule: `type mismatch, expecting ${expected}, received ${typeName(value)}` };
}

function integer(least: number, mostOf = (_: PolicyLimits): number => Number.POSITIVE_INFINITY): AttributeRule {
  return (value, { limits }) => {
    if (typeof value !== 'number') return mismatch('integer', value);
    if (!Number.isInteger(value)) return { rule: 'must be a whole number' };
    if (value < least) return { rule: `must be greater than or equal to ${least}` };
    const most = mostOf(limits);
    return value > most ? { rule: `must be less than or equal to ${most}` } : undefined;
  };
}

function isBackoffFunction(value: string): value is BackoffFunction {
  return (BACKOFF_FUNCTIONS as readonly string[]).includes(value);
}

function contentTypeRule({ level, rawMessageDelivery }: RuleContext): Breach {
  const where = level === 'topic' ? 'at a topic' : `while raw message delivery is ${rawMessageDelivery ? 'on' : 'off'}`;
  return { rule: `must be one of ${allowedContentTypes(level, rawMessageDelivery).join(', ')} ${where}` };
}

/**
 * The rule for each attribute on its own.
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-message-delivery-retries.html
 */
export const ATTRIBUTE_RULES: Readonly<Record<PolicyAttribute, AttributeRule>> = {
  minDelayTarget: integer(1),
  maxDelayTarget: integer(1, ({ maxDelaySeconds }) => maxDelaySeconds),
  numRetries: integer(0, ({ maxRetries }) => maxRetries),
  numMaxDelayRetries: integer(0),
  numNoDelayRetries: integer(0, ({ maxNoDelayRetries }) => maxNoDelayRetries),
  numMinDelayRetries: integer(0),
  backoffFunction: value => {
    if (typeof value !== 'string') return mismatch('string', value);
    if (isBackoffFunction(value)) return undefined;
    return {
      rule: `must be one of ${BACKOFF_FUNCTIONS.join(', ')}`,
      awsText: () => `the value [${value}] is not a valid backoff function`,
    };
  },
  maxReceivesPerSecond: integer(1),
  headerContentType: (value, context) => {
    if (typeof value !== 'string') return mismatch('string', value);
    return isAllowedContentType(value, context.level, context.rawMessageDelivery)
      ? undefined
      : contentTypeRule(context);
  },
};

/** The attributes without which SNS is known to reject a retry policy, although AWS documents defaults for them. */
export const DEMANDED_ATTRIBUTES = ['minDelayTarget', 'maxDelayTarget', 'numRetries'] as const;

/** Whether SNS is known to reject a retry policy without this attribute, although AWS documents a default. */
export function isDemanded(attribute: PolicyAttribute): boolean {
  return (DEMANDED_ATTRIBUTES as readonly PolicyAttribute[]).includes(attribute);
}

/** A violation by several attributes together. */
interface RelationBreach extends Breach {
  /**
   * The attribute at fault.
   * @default - the retry policy as a whole
   */
  readonly attribute?: keyof RetryPolicy;
  readonly value: number;
}

/** A rule over several attributes of a retry policy, applied after filling in defaults. */
export interface RelationRule {
  /** The attributes it reads. */
  readonly reads: readonly (keyof RetryPolicy)[];
  /** What those attributes must be before the rule applies: whole numbers that can be compared, or a valid schedule. */
  readonly needs: 'whole-numbers' | 'lawful';
  /**
   * Returns the violation, if there is one. `written` names the attributes the user gave; the others have their
   * defaults.
   */
  readonly judge: (
    policy: RetryPolicy,
    written: ReadonlySet<string>,
    limits: PolicyLimits,
  ) => RelationBreach | undefined;
}

function withOrigin(attribute: keyof RetryPolicy, policy: RetryPolicy, written: ReadonlySet<string>): string {
  return `${attribute} (${policy[attribute]}${written.has(attribute) ? '' : ', the default'})`;
}

function delaysOutOfOrder(policy: RetryPolicy, written: ReadonlySet<string>): RelationBreach | undefined {
  const { minDelayTarget, maxDelayTarget } = policy;
  if (minDelayTarget <= maxDelayTarget) return undefined;
  if (!written.has('maxDelayTarget')) {
    const rule = `must be less than or equal to ${withOrigin('maxDelayTarget', policy, written)}`;
    return { attribute: 'minDelayTarget', rule, value: minDelayTarget };
  }
  return {
    attribute: 'maxDelayTarget',
    rule: `must be greater than or equal to ${withOrigin('minDelayTarget', policy, written)}`,
    value: maxDelayTarget,
    awsText: path => `${path} must be greater than or equal to minDelayTarget`,
  };
}

function phasesAboveRetries(policy: RetryPolicy): RelationBreach | undefined {
  if (backoffRetries(policy) >= 0) return undefined;
  const { numMinDelayRetries, numNoDelayRetries, numMaxDelayRetries, numRetries } = policy;
  const rule = 'must be greater than or equal to total of numMinDelayRetries, numNoDelayRetries and numMaxDelayRetries';
  const sum = `${numMinDelayRetries} + ${numNoDelayRetries} + ${numMaxDelayRetries} = ${numRetries - backoffRetries(policy)}`;
  return { attribute: 'numRetries', rule: `${rule} (${sum})`, value: numRetries, awsText: path => `${path} ${rule}` };
}

/** The longest time, in seconds, from the start of the initial attempt to the end of the last. */
function spentSeconds(policy: RetryPolicy, { jitterPercent, attemptSeconds }: SpendingLimit): number {
  return totalDelaySeconds(policy) * (1 + jitterPercent / 100) + (policy.numRetries + 1) * attemptSeconds;
}

function takesTooLong(
  policy: RetryPolicy,
  _: ReadonlySet<string>,
  { spending }: PolicyLimits,
): RelationBreach | undefined {
  if (delaysOutOfOrder(policy, new Set()) || phasesAboveRetries(policy)) return undefined;
  const value = Math.ceil(spentSeconds(policy, spending));
  const rule = `must spend at most ${spending.maxSeconds} seconds in ${spending.of}`;
  return value > spending.maxSeconds ? { rule, value } : undefined;
}

const PHASE_COUNTS = ['numRetries', 'numNoDelayRetries', 'numMinDelayRetries', 'numMaxDelayRetries'] as const;

/** The rules over several attributes, in the order in which SNS reports them. */
export const RELATION_RULES: readonly RelationRule[] = [
  { reads: ['minDelayTarget', 'maxDelayTarget'], needs: 'whole-numbers', judge: delaysOutOfOrder },
  { reads: PHASE_COUNTS, needs: 'whole-numbers', judge: phasesAboveRetries },
  {
    reads: [...PHASE_COUNTS, 'minDelayTarget', 'maxDelayTarget', 'backoffFunction'],
    needs: 'lawful',
    judge: takesTooLong,
  },
];
