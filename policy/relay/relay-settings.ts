import type { RetryPolicy } from '../delivery-policy/delivery-policy';

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
