import type { DeliveryPolicySettings } from '../delivery-policy/delivery-policy';
import { POLICY_ATTRIBUTES } from '../delivery-policy/policy-layout';
import { policyProblems } from '../delivery-policy/policy-problems';
import { QUEUE_LIMITS } from '../limits/queue-limits';
import {
  atLeast,
  booleanValue,
  type Check,
  isNonEmptyText,
  isObject,
  type JsonObject,
  listOf,
  type MemberRule,
  memberProblems,
  moreThan,
  must,
  nonEmptyText,
  parseObject,
  wholeNumber,
} from '../members';
import type { Problem } from '../problem';
import { type Headers, headerProblems } from './headers';
import { MAX_RELAY_RETRIES } from './relay-limits';
import { RELAY_SETTINGS_VARIABLE, type RelaySettings } from './relay-settings';

/** What came of reading the settings. */
export type RelaySettingsReading =
  | { readonly kind: 'settings'; readonly settings: RelaySettings }
  | { readonly kind: 'problems'; readonly problems: readonly Problem[] };

function isWebUrl(value: unknown): boolean {
  return isNonEmptyText(value) && URL.canParse(value) && ['http:', 'https:'].includes(new URL(value).protocol);
}

const BY_URL = { url: { check: must('must be an http or https URL', isWebUrl) } };
const BY_SECRET = { secretArn: { check: nonEmptyText }, field: { check: nonEmptyText, mayBeAbsent: true } };

const endpoint: Check = (value, property) => {
  if (!isObject(value)) return [{ property, rule: 'must be an object with a url or a secretArn', value }];
  return memberProblems('secretArn' in value ? BY_SECRET : BY_URL, value, `${property}.`);
};

const headers: Check = (value, property) => {
  if (!isObject(value)) return [{ property, rule: 'must be an object', value }];
  const others = Object.entries(value).filter(([, header]) => typeof header !== 'string');
  // Their values are not shown: they may be credentials.
  if (others.length === 0) return headerProblems(property, value as Headers);
  return others.map(([name, header]) => ({
    property: `${property}.${name}`,
    rule: 'must be a text',
    value: typeof header,
  }));
};

/** How long a policy may take is for the construct to judge: here it must only make sense. */
const LIMITS = {
  maxDelaySeconds: QUEUE_LIMITS.visibilityTimeoutSeconds.max,
  maxRetries: MAX_RELAY_RETRIES,
  maxNoDelayRetries: MAX_RELAY_RETRIES,
  spending: { maxSeconds: Number.POSITIVE_INFINITY, of: '', jitterPercent: 0, attemptSeconds: 0 },
};

/** The judge of delivery policies names the place its users know. */
const JUDGED_AS = 'healthyRetryPolicy';

const retryPolicy: Check = (value, property) => {
  if (!isObject(value)) return [{ property, rule: 'must be an object', value }];
  const missing = POLICY_ATTRIBUTES[JUDGED_AS].filter(name => value[name] === undefined);
  if (missing.length > 0) {
    return missing.map(name => ({ property: `${property}.${name}`, rule: 'must be there', value: undefined }));
  }
  const policy: DeliveryPolicySettings = { [JUDGED_AS]: value };
  return policyProblems(policy, { limits: LIMITS }).map(problem => ({
    ...problem,
    property: problem.property.replace(JUDGED_AS, property),
  }));
};

/** One place for each property of `RelaySettings`: it cannot be forgotten here. */
const MEMBERS: Readonly<Record<keyof RelaySettings, MemberRule>> = {
  queueUrl: { check: nonEmptyText },
  deadLetterQueueUrl: { check: nonEmptyText },
  fifo: { check: booleanValue },
  endpoint: { check: endpoint },
  retryPolicy: { check: retryPolicy },
  jitterPercent: { check: wholeNumber(0, 100) },
  retryAfterCapSeconds: { check: atLeast(0) },
  maxDelaySeconds: { check: wholeNumber(1, QUEUE_LIMITS.visibilityTimeoutSeconds.max) },
  retentionSeconds: {
    check: wholeNumber(QUEUE_LIMITS.retentionSeconds.min, QUEUE_LIMITS.retentionSeconds.max),
    isOptional: true,
  },
  hasBreaker: { check: booleanValue, isOptional: true },
  connectTimeoutMs: { check: atLeast(1) },
  totalTimeoutMs: { check: atLeast(1) },
  contentType: { check: nonEmptyText },
  rawMessageDelivery: { check: booleanValue },
  headers: { check: headers },
  headersSecretArn: { check: nonEmptyText, isOptional: true },
  signingSecretArn: { check: nonEmptyText, isOptional: true },
  allowedPrivateRanges: { check: listOf(nonEmptyText) },
  retriedStatuses: { check: listOf(wholeNumber(300, 499)) },
  maxReceivesPerSecond: { check: moreThan(0), isOptional: true },
  maximumConcurrency: { check: atLeast(1), isOptional: true },
};

/** A pace is shared by so many invocations, and nobody else knows by how many. */
function sharingProblems({ maxReceivesPerSecond, maximumConcurrency: value }: JsonObject): Problem[] {
  if (maxReceivesPerSecond === undefined || value !== undefined) return [];
  return [{ property: 'maximumConcurrency', rule: 'must be there where maxReceivesPerSecond is', value }];
}

/** Reads what the construct wrote into `RELAY_SETTINGS`, or says all that is wrong with it. */
export function readRelaySettings(text: string | undefined): RelaySettingsReading {
  const value = parseObject(text);
  if (!value) {
    // The text is not shown: headers in it may be credentials.
    const got = text === undefined ? undefined : `${text.length} characters`;
    return {
      kind: 'problems',
      problems: [{ property: RELAY_SETTINGS_VARIABLE, rule: 'must be a JSON object', value: got }],
    };
  }
  const problems = [...memberProblems(MEMBERS, value, ''), ...sharingProblems(value)];
  if (problems.length > 0) return { kind: 'problems', problems };
  return { kind: 'settings', settings: value as unknown as RelaySettings };
}
