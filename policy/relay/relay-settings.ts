import { QUEUE_LIMITS } from '../aws-limits';
import type { DeliveryPolicySettings, RetryPolicy } from '../delivery-policy/delivery-policy';
import { policyProblems } from '../delivery-policy/policy-document';
import { POLICY_ATTRIBUTES } from '../delivery-policy/policy-rules';
import {
  atLeast,
  booleanValue,
  type Check,
  isObject,
  type JsonObject,
  listOf,
  type MemberRule,
  memberProblems,
  moreThan,
  nonEmptyText,
  parseObject,
  wholeNumber,
} from '../json-members';
import type { Problem } from '../problem';
import { webUrlProblems } from '../web-url';
import { type Headers, headerProblems } from './headers';
import { TOKEN_REQUEST, type TokenRequest } from './oauth';
import { MAX_RELAY_RETRIES } from './relay-limits';

/** The statuses that can be `deadStatuses`: all that an endpoint can answer except a success. */
export const DEAD_STATUSES = { min: 300, max: 599 } as const;

export const RELAY_SETTINGS_VARIABLE = 'RELAY_SETTINGS';

/** An endpoint whose URL is not secret. */
interface EndpointByUrl {
  /** `http` or `https`. */
  readonly url: string;
}

/** An endpoint whose URL is a secret. */
interface EndpointBySecret {
  readonly secretArn: string;
  /**
   * The member of the secret's JSON that is the URL.
   * @default - the whole secret is the URL
   */
  readonly field?: string;
}

export type RelayEndpoint = EndpointByUrl | EndpointBySecret;

interface RelayAuthorization extends TokenRequest {
  /** The secret with the client's id and secret: see `readClientCredentials`. */
  readonly credentialsSecretArn: string;
}

/** The settings of a relay function. The construct writes them: see `readRelaySettings`. */
export interface RelaySettings {
  readonly queueUrl: string;
  readonly deadLetterQueueUrl: string;
  /** Whether both queues are FIFO. */
  readonly fifo: boolean;
  readonly endpoint: RelayEndpoint;
  readonly retryPolicy: RetryPolicy;
  /** How much shorter or longer than scheduled a delay may be: 0 to 100. */
  readonly jitterPercent: number;
  /** The longest `Retry-After` that the relay follows. */
  readonly retryAfterCapSeconds: number;
  /** The longest one delay may be, jitter and `Retry-After` included. */
  readonly maxDelaySeconds: number;
  /**
   * The retention period of the relay's queue. The relay gives up a message that the queue would delete before the next
   * retry.
   * @default - the relay does not check whether the queue deletes a message
   */
  readonly retentionSeconds?: number;
  /**
   * Whether the relay has a breaker. An open breaker sweeps the queue; each sweep is a receive but not an attempt.
   * @default false
   */
  readonly hasBreaker?: boolean;
  /** How long an open breaker waits between probes. The relay does not use it: operators see it. @default - unknown */
  readonly probeIntervalMs?: number;
  /** From the start of a connection until it is ready, TLS included. */
  readonly connectTimeoutMs: number;
  /** From the start of an attempt to the last byte of its answer. */
  readonly totalTimeoutMs: number;
  /** The `Content-Type` of a request. */
  readonly contentType: string;
  /** Whether the endpoint gets the bare message instead of SNS's envelope. */
  readonly rawMessageDelivery: boolean;
  /** Headers that every request carries in addition to SNS's. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * A secret whose JSON contains more headers.
   * @default - none
   */
  readonly headersSecretArn?: string;
  /**
   * A secret with the key requests are signed with.
   * @default - requests are not signed
   */
  readonly signingSecretArn?: string;
  /**
   * How the relay gets the access token that each request carries.
   * @default - requests carry none
   */
  readonly authorization?: RelayAuthorization;
  /** CIDRs of private addresses the endpoint and the token endpoint may have. */
  readonly allowedPrivateRanges: readonly string[];
  /** Statuses that make a message a dead letter at once. Every other status except 2xx is retried. */
  readonly deadStatuses: readonly number[];
  /**
   * The most requests per second of all invocations together. Each of the `maximumConcurrency` invocations keeps its
   * share: see `paceMs`.
   * @default - requests are not paced
   */
  readonly maxReceivesPerSecond?: number;
  /**
   * The maximum concurrency with which the event source mapping was created, by which the pace is divided. It is also
   * needed to restart a relay that was stopped.
   * @default - unknown; then `maxReceivesPerSecond` must not be set
   */
  readonly maximumConcurrency?: number;
}

/**
 * The least time between two requests of one invocation, in milliseconds, so that all invocations together keep to
 * `maxReceivesPerSecond`; 0 if there is no limit. The function computes it because CloudFormation cannot divide values
 * that are unknown before deployment.
 *
 * A share is rounded down to whole requests per second: with 2.5, three would sometimes fall into the same second. If
 * the share is below one request per second, requests of all invocations may still fall into one second, and then none
 * follow until the average is kept.
 *
 * The share assumes the highest concurrency of the mapping. A breaker's probe is one more invocation, but only while
 * the mapping is disabled or half open, so it stays below the limit.
 */
export function paceMs({
  maxReceivesPerSecond,
  maximumConcurrency,
}: Pick<RelaySettings, 'maxReceivesPerSecond' | 'maximumConcurrency'>): number {
  if (maxReceivesPerSecond === undefined || maximumConcurrency === undefined) return 0;
  const share = maxReceivesPerSecond / maximumConcurrency;
  return 1_000 / (share < 1 ? share : Math.floor(share));
}

type RelaySettingsReading =
  | { readonly kind: 'settings'; readonly settings: RelaySettings }
  | { readonly kind: 'problems'; readonly problems: readonly Problem[] };

const BY_URL = { url: { check: (value: unknown, property: string) => webUrlProblems(property, value) } };
const BY_SECRET = { secretArn: { check: nonEmptyText }, field: { check: nonEmptyText, isOptional: true } };

const endpoint: Check = (value, property) => {
  if (!isObject(value)) return [{ property, rule: 'must be an object with a url or a secretArn', value }];
  return memberProblems('secretArn' in value ? BY_SECRET : BY_URL, value, `${property}.`);
};

const AUTHORIZATION = { ...TOKEN_REQUEST, credentialsSecretArn: { check: nonEmptyText } };

const authorization: Check = (value, property) =>
  isObject(value)
    ? memberProblems(AUTHORIZATION, value, `${property}.`)
    : [{ property, rule: 'must be an object', value }];

export const requestHeaders: Check = (value, property) => {
  if (!isObject(value)) return [{ property, rule: 'must be an object', value }];
  const others = Object.entries(value).filter(([, header]) => typeof header !== 'string');
  // The values are not shown: they may be credentials.
  if (others.length === 0) return headerProblems(property, value as Headers);
  return others.map(([name, header]) => ({
    property: `${property}.${name}`,
    rule: 'must be a string',
    value: typeof header,
  }));
};

/** No limits: the construct has checked how long the policy may take. Here the policy only must be valid in itself. */
const LIMITS = {
  maxDelaySeconds: QUEUE_LIMITS.visibilityTimeoutSeconds.max,
  maxRetries: MAX_RELAY_RETRIES,
  maxNoDelayRetries: MAX_RELAY_RETRIES,
  spending: { maxSeconds: Number.POSITIVE_INFINITY, of: '', jitterPercent: 0, attemptSeconds: 0 },
};

/** Policy problems name this property; here it is called `retryPolicy`. */
const JUDGED_AS = 'healthyRetryPolicy';

/** A whole retry policy. It is checked in itself: how long it may take depends on the queue. */
export const retryPolicy: Check = (value, property) => {
  if (!isObject(value)) return [{ property, rule: 'must be an object', value }];
  const missing = POLICY_ATTRIBUTES[JUDGED_AS].filter(name => value[name] === undefined);
  if (missing.length > 0) {
    return missing.map(name => ({ property: `${property}.${name}`, rule: 'must be set', value: undefined }));
  }
  const policy: DeliveryPolicySettings = { [JUDGED_AS]: value };
  return policyProblems(policy, { limits: LIMITS }).map(problem => ({
    ...problem,
    property: problem.property.replace(JUDGED_AS, property),
  }));
};

/** A record over all keys of `RelaySettings`, so that the compiler reports a property that is missing here. */
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
  probeIntervalMs: { check: moreThan(0), isOptional: true },
  connectTimeoutMs: { check: atLeast(1) },
  totalTimeoutMs: { check: atLeast(1) },
  contentType: { check: nonEmptyText },
  rawMessageDelivery: { check: booleanValue },
  headers: { check: requestHeaders },
  headersSecretArn: { check: nonEmptyText, isOptional: true },
  signingSecretArn: { check: nonEmptyText, isOptional: true },
  authorization: { check: authorization, isOptional: true },
  allowedPrivateRanges: { check: listOf(nonEmptyText) },
  deadStatuses: { check: listOf(wholeNumber(DEAD_STATUSES.min, DEAD_STATUSES.max)) },
  maxReceivesPerSecond: { check: moreThan(0), isOptional: true },
  maximumConcurrency: { check: atLeast(1), isOptional: true },
};

/** A pace is divided by the concurrency, so the two must be set together. */
function sharingProblems({ maxReceivesPerSecond, maximumConcurrency: value }: JsonObject): Problem[] {
  if (maxReceivesPerSecond === undefined || value !== undefined) return [];
  return [{ property: 'maximumConcurrency', rule: 'must be set when maxReceivesPerSecond is set', value }];
}

/** Reads the settings that the construct wrote into `RELAY_SETTINGS`, or returns everything that is wrong with them. */
export function readRelaySettings(text: string | undefined): RelaySettingsReading {
  const value = parseObject(text);
  if (!value) {
    // The text is not shown: its headers may be credentials.
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
