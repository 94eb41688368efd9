/** The four curves by which the backoff phase grows from its first delay to its last. */
export const BACKOFF_FUNCTIONS = ['arithmetic', 'exponential', 'geometric', 'linear'] as const;

export type BackoffFunction = (typeof BACKOFF_FUNCTIONS)[number];

/**
 * How often, and how late, a failed delivery is tried again. All seven attributes are present: see `withDefaults`.
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-message-delivery-retries.html
 */
export interface RetryPolicy {
  /** Seconds before each pre-backoff retry, and before the first backoff retry: 1 to `maxDelayTarget`. */
  readonly minDelayTarget: number;
  /** Seconds before each post-backoff retry, and before the last backoff retry: `minDelayTarget` to 3,600. */
  readonly maxDelayTarget: number;
  /** Retries in all four phases together, without the initial attempt: 0 to 100. */
  readonly numRetries: number;
  /** Retries of the post-backoff phase. */
  readonly numMaxDelayRetries: number;
  /** Retries of the no-delay phase. */
  readonly numNoDelayRetries: number;
  /** Retries of the pre-backoff phase. */
  readonly numMinDelayRetries: number;
  /** The curve of the backoff phase. */
  readonly backoffFunction: BackoffFunction;
}

/** How fast one subscription is delivered to. */
export interface ThrottlePolicy {
  /** Deliveries per second, on average and for each subscription: 1 or more. Bursts above it are possible. */
  readonly maxReceivesPerSecond: number;
}

/** What each request carries. */
export interface RequestPolicy {
  /** The `Content-Type` of a notification. */
  readonly headerContentType: string;
}

/** A whole delivery policy, with every default filled in. */
export interface DeliveryPolicy {
  readonly healthyRetryPolicy: RetryPolicy;
  /** @default - deliveries are not throttled */
  readonly throttlePolicy?: ThrottlePolicy;
  readonly requestPolicy: RequestPolicy;
}

/** A delivery policy as a user states it: whatever is left out takes its default. */
export interface DeliveryPolicySettings {
  /** @default - `DEFAULT_RETRY_POLICY` */
  readonly healthyRetryPolicy?: Partial<RetryPolicy>;
  /** @default - deliveries are not throttled */
  readonly throttlePolicy?: Partial<ThrottlePolicy>;
  /** @default - `DEFAULT_CONTENT_TYPE` */
  readonly requestPolicy?: Partial<RequestPolicy>;
}

/** A topic's delivery policy as a user states it. */
export interface TopicPolicySettings extends DeliveryPolicySettings {
  /**
   * Whether the topic's policy stands even where a subscription has its own.
   * @default false
   */
  readonly disableSubscriptionOverrides?: boolean;
}

/** What SNS does for an HTTP/S endpoint when nobody has said anything: three retries, 20 s apart. */
export const DEFAULT_RETRY_POLICY: RetryPolicy = {
  minDelayTarget: 20,
  maxDelayTarget: 20,
  numRetries: 3,
  numMaxDelayRetries: 0,
  numNoDelayRetries: 0,
  numMinDelayRetries: 0,
  backoffFunction: 'linear',
};

/** The `Content-Type` of a notification when no request policy names another. */
export const DEFAULT_CONTENT_TYPE = 'text/plain; charset=UTF-8';

function given<T extends object>(members: T | undefined): T | undefined {
  return members && (Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as T);
}

/** The whole policy that `settings` amounts to once every default is filled in. It does not judge it: see `policyProblems`. */
export function withDefaults(settings: DeliveryPolicySettings = {}): DeliveryPolicy {
  const maxReceivesPerSecond = settings.throttlePolicy?.maxReceivesPerSecond;
  return {
    healthyRetryPolicy: { ...DEFAULT_RETRY_POLICY, ...given(settings.healthyRetryPolicy) },
    ...(maxReceivesPerSecond !== undefined && { throttlePolicy: { maxReceivesPerSecond } }),
    requestPolicy: { headerContentType: DEFAULT_CONTENT_TYPE, ...given(settings.requestPolicy) },
  };
}
