import { allowedContentTypes, isAllowedContentType, type PolicyLevel } from './content-type';
import { BACKOFF_FUNCTIONS, type BackoffFunction, type RetryPolicy } from './delivery-policy';
import type { PolicyAttribute } from './policy-layout';
import type { PolicyLimits, SpendingLimit } from './policy-limits';
import { backoffRetries, totalDelaySeconds } from './retry-schedule';

/** What a rule finds wrong. */
export interface Breach {
  /** Completes a sentence that begins with the property. */
  readonly rule: string;
  /**
   * What SNS is known to answer about the property at `path`.
   * @default - the path and the rule
   */
  readonly awsText?: (path: string) => string;
}

/** What a lawful value depends on. */
export interface RuleContext {
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
 * What each attribute may be on its own.
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

/** The attributes SNS has been seen to demand of every retry policy, although its page gives them defaults. */
export const DEMANDED_ATTRIBUTES = ['minDelayTarget', 'maxDelayTarget', 'numRetries'] as const;

/** Whether SNS has been seen to demand `attribute` of every retry policy. */
export function isDemanded(attribute: PolicyAttribute): boolean {
  return (DEMANDED_ATTRIBUTES as readonly PolicyAttribute[]).includes(attribute);
}

/** A breach by several attributes together. */
export interface RelationBreach extends Breach {
  /**
   * The attribute at fault.
   * @default - the retry policy as a whole
   */
  readonly attribute?: keyof RetryPolicy;
  readonly value: number;
}

/** A rule over several attributes of a retry policy, judged after defaults. */
export interface RelationRule {
  /** The attributes it reads. */
  readonly reads: readonly (keyof RetryPolicy)[];
  /** What those must be before it can be judged: whole numbers to be compared, each one lawful to be a schedule. */
  readonly needs: 'whole-numbers' | 'lawful';
  /** What is wrong, if anything. `written` holds the attributes the user gave; the others have their defaults. */
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

/** Seconds from the start of the initial attempt to the end of the last, at the longest. */
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

/** What the attributes must be to one another, in the order SNS answers. */
export const RELATION_RULES: readonly RelationRule[] = [
  { reads: ['minDelayTarget', 'maxDelayTarget'], needs: 'whole-numbers', judge: delaysOutOfOrder },
  { reads: PHASE_COUNTS, needs: 'whole-numbers', judge: phasesAboveRetries },
  {
    reads: [...PHASE_COUNTS, 'minDelayTarget', 'maxDelayTarget', 'backoffFunction'],
    needs: 'lawful',
    judge: takesTooLong,
  },
];
