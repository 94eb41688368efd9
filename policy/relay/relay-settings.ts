import { QUEUE_LIMITS } from '../aws-limits';
import type { DeliveryPolicySettings, RetryPolicy } from '../delivery-policy/delivery-policy';
import { policyProblems } from '../delivery-policy/policy-document';
import { POLICY_ATTRIBUTES } from '../delivery-policy/policy-rules';
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
} from '../json-members';
import type { Problem } from '../problem';
import { type Headers, headerProblems } from './headers';
import { MAX_RELAY_RETRIES } from './relay-limits';

/** The environment variable in which the construct hands the relay function its settings. */
export const RELAY_SETTINGS_VARIABLE = 'RELAY_SETTINGS';

/** An endpoint whose URL anybody may read. */
export interface EndpointByUrl {
  /** `http` or `https`. */
  readonly url: string;
}

/** An endpoint whose URL is a secret. */
export interface EndpointBySecret {
  readonly secretArn: string;
  /**
   * The member of the secret's JSON that is the URL.
   * @default - the whole secret is the URL
   */
  readonly field?: string;
}

/** Where the relay delivers to. */
export type RelayEndpoint = EndpointByUrl | EndpointBySecret;

/** Everything a relay function knows of itself, as its construct writes it: see `readRelaySettings`. */
export interface RelaySettings {
  /** Of the relay's own queue. */
  readonly queueUrl: string;
  readonly deadLetterQueueUrl: string;
  /** Whether both queues are FIFO. */
  readonly fifo: boolean;
  readonly endpoint: RelayEndpoint;
  readonly retryPolicy: RetryPolicy;
  /** How much shorter or longer than scheduled a delay may be: 0 to 100. */
  readonly jitterPercent: number;
  /** The most that an endpoint's `Retry-After` is heeded. */
  readonly retryAfterCapSeconds: number;
  /** The longest one delay may be, jitter and `Retry-After` included. */
  readonly maxDelaySeconds: number;
  /**
   * How long the relay's queue keeps a message: one that it would drop before the next retry is given up in time.
   * @default - nobody looks whether the queue drops a message
   */
  readonly retentionSeconds?: number;
  /**
   * Whether the relay has a breaker, which goes through the queue while it is open: each time is a receive, and no attempt.
   * @default false
   */
  readonly hasBreaker?: boolean;
  /** Until a connection stands, TLS included. */
  readonly connectTimeoutMs: number;
  /** From the start of an attempt to the last byte of its answer. */
  readonly totalTimeoutMs: number;
  /** The `Content-Type` of a request. */
  readonly contentType: string;
  /** Whether the endpoint gets the bare message in place of SNS's envelope. */
  readonly rawMessageDelivery: boolean;
  /** Headers every request carries besides SNS's. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * A secret whose JSON is more headers.
   * @default - none
   */
  readonly headersSecretArn?: string;
  /**
   * A secret with the key requests are signed with.
   * @default - requests are not signed
   */
  readonly signingSecretArn?: string;
  /** CIDRs of private addresses the endpoint may have. */
  readonly allowedPrivateRanges: readonly string[];
  /** Statuses tried again besides 408, 425, 429 and 5xx. */
  readonly retriedStatuses: readonly number[];
  /**
   * The most requests a second of all invocations together; each of `maximumConcurrency` keeps its share: see `paceMs`.
   * @default - requests are not paced
   */
  readonly maxReceivesPerSecond?: number;
  /**
   * What the event source mapping has as it was made: by how many invocations a pace is shared. It is here as well for
   * whoever starts a relay again that was stopped.
   * @default - nobody knows, and there must be no pace
   */
  readonly maximumConcurrency?: number;
}

/**
 * The least time between two requests of one invocation, so that all together keep to the ceiling; 0 where there is none.
 * The function reckons it, for CloudFormation cannot divide what is not known before deployment.
 *
 * A share is a whole number of requests a second: of two and a half, three would now and then fall into the same one. Where
 * there are fewer requests a second than invocations, those of all may still meet in one, and then none follows for as long
 * as makes up for it.
 *
 * A share is of all the invocations the mapping may ever have. A breaker's probe is one more invocation while the mapping has
 * none, or fewer than all as the breaker is half open: it keeps below the ceiling.
 */
export function paceMs({
  maxReceivesPerSecond,
  maximumConcurrency,
}: Pick<RelaySettings, 'maxReceivesPerSecond' | 'maximumConcurrency'>): number {
  if (maxReceivesPerSecond === undefined || maximumConcurrency === undefined) return 0;
  const share = maxReceivesPerSecond / maximumConcurrency;
  return 1_000 / (share < 1 ? share : Math.floor(share));
}

/** What came of reading the settings. */
export type RelaySettingsReading =
  | { readonly kind: 'settings'; readonly settings: RelaySettings }
  | { readonly kind: 'problems'; readonly problems: readonly Problem[] };

function isWebUrl(value: unknown): boolean {
  return isNonEmptyText(value) && URL.canParse(value) && ['http:', 'https:'].includes(new URL(value).protocol);
}

const BY_URL = { url: { check: must('must be an http or https URL', isWebUrl) } };
const BY_SECRET = { secretArn: { check: nonEmptyText }, field: { check: nonEmptyText, isOptional: true } };

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
