/**
 * What SQS takes for a queue's attributes, both ends included.
 *
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SetQueueAttributes.html
 */
export const QUEUE_LIMITS = {
  delaySeconds: { min: 0, max: 900 },
  /** Up to 1 MiB; a batch is as large at most. */
  messageBytes: { min: 1_024, max: 1_048_576 },
  /** Up to 14 days. */
  retentionSeconds: { min: 60, max: 1_209_600 },
  receiveWaitSeconds: { min: 0, max: 20 },
  /** Up to 12 hours. */
  visibilityTimeoutSeconds: { min: 0, max: 43_200 },
  dataKeyReuseSeconds: { min: 60, max: 86_400 },
  /** Of a redrive policy: how often a message is received before it is moved. */
  receiveCount: { min: 1, max: 1_000 },
  /** Of a redrive-allow policy: how many sources it can name; with more, it must allow all. */
  sourceQueues: { min: 1, max: 10 },
} as const;

/**
 * Messages a queue, standard or FIFO, holds in flight: where our alarm fires, which leaves a third to respond in, and about
 * where it gives out no more.
 *
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-fifo.html
 */
export const IN_FLIGHT_MARKS = { alarm: 80_000, limit: 120_000 } as const;

/**
 * What the name of a queue must be.
 *
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_CreateQueue.html
 */
export const QUEUE_NAMES = {
  standard: /^[A-Za-z0-9_-]{1,80}$/,
  fifo: /^[A-Za-z0-9_-]{1,75}\.fifo$/,
} as const;

/**
 * What SNS takes for a subscription's filter policy at most.
 *
 * @see https://docs.aws.amazon.com/sns/latest/dg/subscription-filter-policy-constraints.html
 */
export const FILTER_LIMITS = {
  /** At the top of the policy. */
  names: 5,
  /** Values of one name times values of the next, and so on; a nested one counts as often as it is deep. */
  combinations: 150,
  bytes: 262_144,
} as const;

/**
 * For how long EventBridge tries a target, of a rule as of a schedule, where nobody says otherwise: a day.
 * @see https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_RetryPolicy.html
 */
export const TARGET_EVENT_AGE_SECONDS = 86_400;

/** @see https://docs.aws.amazon.com/global-infrastructure/latest/regions/aws-regions.html */
const OPT_IN_REGIONS: ReadonlySet<string> = new Set([
  'af-south-1',
  'ap-east-1',
  'ap-east-2',
  'ap-south-2',
  'ap-southeast-3',
  'ap-southeast-4',
  'ap-southeast-5',
  'ap-southeast-6',
  'ap-southeast-7',
  'ca-west-1',
  'eu-central-2',
  'eu-south-1',
  'eu-south-2',
  'il-central-1',
  'me-central-1',
  'me-south-1',
  'mx-central-1',
]);

/**
 * Whether SNS delivers from one Region to another: to a queue or a function of an opt-in Region from no other opt-in Region,
 * and to a function of one from none at all. Of other protocols nothing is said.
 * @see https://docs.aws.amazon.com/sns/latest/dg/lambda-prereq.html
 */
export function isOutOfReach(from: string, to: string, protocol: string): boolean {
  if (from === to || !OPT_IN_REGIONS.has(to)) return false;
  return protocol === 'lambda' || (protocol === 'sqs' && OPT_IN_REGIONS.has(from));
}

/**
 * The name by which SNS comes where it delivers from one Region to another and one of them is opt-in; undefined elsewhere.
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-cross-region-delivery.html
 */
export function regionalSns(from: string, to: string): string | undefined {
  const optIn = [to, from].find(region => OPT_IN_REGIONS.has(region));
  return from !== to && optIn !== undefined ? `sns.${optIn}.amazonaws.com` : undefined;
}
