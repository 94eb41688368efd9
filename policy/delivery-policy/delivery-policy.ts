import { withoutUndefined } from '../json-members';
/** The four curves by which the backoff phase grows from its first delay to its last. */
export const BACKOFF_FUNCTIONS = ['arithmetic', 'exponential', 'geometric', 'linear'] as const;

export type BackoffFunction = (typeof BACKOFF_FUNCTIONS)[number];

/**
 * How often, and how late, SNS retries a failed delivery. All seven attributes are present: see `withDefaults`.
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
  readonly numNoDelayRetries: number;
  /** Retries of the pre-backoff phase. */
  readonly numMinDelayRetries: number;
  readonly backoffFunction: BackoffFunction;
}

/** The delivery rate of one subscription. */
interface ThrottlePolicy {
  /** Deliveries per second, on average and for each subscription: 1 or more. Bursts above it are possible. */
  readonly maxReceivesPerSecond: number;
}

interface RequestPolicy {
  /** The `Content-Type` of a notification. */
  readonly headerContentType: string;
}

/** A complete delivery policy, with every default filled in. */
export interface DeliveryPolicy {
  readonly healthyRetryPolicy: RetryPolicy;
  /** @default - deliveries are not throttled */
  readonly throttlePolicy?: ThrottlePolicy;
  readonly requestPolicy: RequestPolicy;
}

/** A delivery policy as a user writes it: whatever is left out takes its default. */
export interface DeliveryPolicySettings {
  /** @default - `DEFAULT_RETRY_POLICY` */
  readonly healthyRetryPolicy?: Partial<RetryPolicy>;
  /** @default - deliveries are not throttled */
  readonly throttlePolicy?: Partial<ThrottlePolicy>;
  /** @default - `DEFAULT_CONTENT_TYPE` */
  readonly requestPolicy?: Partial<RequestPolicy>;
}

export interface TopicPolicySettings extends DeliveryPolicySettings {
  /**
   * Whether the topic's policy also applies to subscriptions that have their own.
   * @default false
   */
  readonly disableSubscriptionOverrides?: boolean;
}

/** The default of SNS for an HTTP/S endpoint: three retries, 20 s apart. */
export const DEFAULT_RETRY_POLICY: RetryPolicy = {
  minDelayTarget: 20,
  maxDelayTarget: 20,
  numRetries: 3,
  numMaxDelayRetries: 0,
  numNoDelayRetries: 0,
  numMinDelayRetries: 0,
  backoffFunction: 'linear',
};

/**
 * The `Content-Type` of a notification when no request policy sets another. **Assumption SNS-7:** A policy may name it,
 * although it is not in AWS's list.
 */
export const DEFAULT_CONTENT_TYPE = 'text/plain; charset=UTF-8';

/** Fills in every default. It does not validate: see `policyProblems`. */
export function withDefaults(settings: DeliveryPolicySettings = {}): DeliveryPolicy {
  const maxReceivesPerSecond = settings.throttlePolicy?.maxReceivesPerSecond;
  return {
    healthyRetryPolicy: { ...DEFAULT_RETRY_POLICY, ...withoutUndefined(settings.healthyRetryPolicy ?? {}) },
    ...(maxReceivesPerSecond !== undefined && { throttlePolicy: { maxReceivesPerSecond } }),
    requestPolicy: { headerContentType: DEFAULT_CONTENT_TYPE, ...withoutUndefined(settings.requestPolicy ?? {}) },
  };
}

export type PolicyLevel = 'subscription' | 'topic';

/** Content types allowed for an enveloped notification, and in a topic's policy. The envelope is JSON. */
const ENVELOPED_CONTENT_TYPES: readonly string[] = ['application/json', 'text/plain'];

/** Content types allowed for a subscription with raw message delivery, whose body is what the publisher sent. */
const RAW_CONTENT_TYPES: readonly string[] = [
  'application/atom+xml',
  'application/json',
  'application/octet-stream',
  'application/soap+xml',
  'application/x-www-form-urlencoded',
  'application/xhtml+xml',
  'application/xml',
  'text/css',
  'text/csv',
  'text/html',
  'text/plain',
  'text/xml',
];

/**
 * The values `headerContentType` may have. A topic's policy applies to both raw and enveloped subscriptions, so it may
 * only name what both allow.
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-message-delivery-retries.html
 */
export function allowedContentTypes(level: PolicyLevel, rawMessageDelivery: boolean): readonly string[] {
  return level === 'subscription' && rawMessageDelivery ? RAW_CONTENT_TYPES : ENVELOPED_CONTENT_TYPES;
}

/**
 * Whether a policy may name `contentType`. The default of SNS is also allowed. It is missing from AWS's list, but every
 * effective policy that AWS returns contains it, and such a policy must be readable.
 */
export function isAllowedContentType(contentType: string, level: PolicyLevel, rawMessageDelivery: boolean): boolean {
  return contentType === DEFAULT_CONTENT_TYPE || allowedContentTypes(level, rawMessageDelivery).includes(contentType);
}

/**
 * The schedules built into SNS: two that cannot be changed, and the default of an HTTP/S endpoint. The limits of a
 * custom policy do not apply to them.
 *
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-message-delivery-retries.html
 */
export const PRESETS = {
  /** Queues, functions and Firehose streams: 100,015 retries over more than 23 days. */
  'aws-managed': {
    minDelayTarget: 1,
    maxDelayTarget: 20,
    numRetries: 100_015,
    numMaxDelayRetries: 100_000,
    numNoDelayRetries: 3,
    numMinDelayRetries: 2,
    backoffFunction: 'exponential',
  },
  /** E-mail, SMS and mobile push: 50 retries over more than 6 hours. */
  'customer-managed': {
    minDelayTarget: 10,
    maxDelayTarget: 600,
    numRetries: 50,
    numMaxDelayRetries: 38,
    numNoDelayRetries: 0,
    numMinDelayRetries: 2,
    backoffFunction: 'exponential',
  },
  /** HTTP and HTTPS endpoints without a delivery policy of their own: 3 retries, 20 s apart. */
  'http-default': DEFAULT_RETRY_POLICY,
} as const satisfies Record<string, RetryPolicy>;

export type PresetName = keyof typeof PRESETS;

export const PRESET_NAMES = Object.keys(PRESETS) as readonly PresetName[];

/** The two places a delivery policy can come from. */
interface PolicySources {
  /** @default - the topic has none */
  readonly topic?: TopicPolicySettings;
  /** @default - the subscription has none */
  readonly subscription?: DeliveryPolicySettings;
}

/**
 * The policy by which SNS delivers to one HTTP/S subscription. Each of the three members comes from the subscription,
 * else from the topic, else from the defaults. The members of two levels are never merged. With
 * `disableSubscriptionOverrides`, only the topic's policy counts.
 *
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-message-delivery-retries.html
 */
export function effectivePolicy({ topic = {}, subscription = {} }: PolicySources): DeliveryPolicy {
  const first = topic.disableSubscriptionOverrides === true ? {} : subscription;
  return withDefaults({
    healthyRetryPolicy: first.healthyRetryPolicy ?? topic.healthyRetryPolicy,
    throttlePolicy: first.throttlePolicy ?? topic.throttlePolicy,
    requestPolicy: first.requestPolicy ?? topic.requestPolicy,
  });
}
