/**
 * The ranges SQS accepts for a queue's attributes, both ends included.
 *
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SetQueueAttributes.html
 */
export const QUEUE_LIMITS = {
  delaySeconds: { min: 0, max: 900 },
  /** Up to 1 MiB. The same limit applies to a whole batch. */
  messageBytes: { min: 1_024, max: 1_048_576 },
  /** Up to 14 days. */
  retentionSeconds: { min: 60, max: 1_209_600 },
  receiveWaitSeconds: { min: 0, max: 20 },
  /** Up to 12 hours. */
  visibilityTimeoutSeconds: { min: 0, max: 43_200 },
  dataKeyReuseSeconds: { min: 60, max: 86_400 },
  /** `maxReceiveCount` of a redrive policy: how often a message is received before SQS moves it. */
  receiveCount: { min: 1, max: 1_000 },
  /** Of a redrive-allow policy: how many source queues it can name. With more, it must allow all. */
  sourceQueues: { min: 1, max: 10 },
} as const;

/**
 * The maximum of messages of one receive, and of entries of one batch call.
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-batch-api-actions.html
 */
export const QUEUE_BATCH_SIZE = 10;

/**
 * The maximum of attributes of a message.
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-message-metadata.html
 */
export const MAX_MESSAGE_ATTRIBUTES = 10;

/**
 * The rates that SQS accepts for a message move task, both ends included, how long a task can run, and how many tasks of
 * a queue SQS lists.
 *
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_StartMessageMoveTask.html
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_ListMessageMoveTasks.html
 */
export const MOVE_TASK_LIMITS = {
  messagesPerSecond: { min: 1, max: 500 },
  /** 36 hours. */
  durationSeconds: 129_600,
  listedTasks: 10,
} as const;

/**
 * How old SQS's counts may be: both of messages in a queue and of messages that a task has moved. AWS documents one
 * minute for queues. **Assumption TASK-12:** AWS does not publish this for tasks.
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_GetQueueAttributes.html
 */
export const QUEUE_COUNTS_LATE_MS = 60_000;

/**
 * How late CloudWatch may show a data point of a metric. It usually takes two minutes.
 * **Assumption CW-14:** AWS does not publish a limit.
 */
export const METRIC_POINTS_LATE_MS = 180_000;

/**
 * How long CloudWatch may have no data of a queue that was idle, after the queue is used again: 15 minutes.
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/monitoring-using-cloudwatch.html
 */
export const IDLE_QUEUE_METRICS_LATE_MS = 900_000;

/**
 * The maximum timeout of a function: 15 minutes.
 * @see https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
 */
export const MAX_FUNCTION_TIMEOUT_SECONDS = 900;

/**
 * The visibility timeout that AWS recommends for a queue that a function reads, as a multiple of the function's timeout.
 * @see https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html
 */
export const VISIBILITY_PER_TIMEOUT = 6;

/**
 * The maximum, and the default, of a function's batch from a queue without a batching window, and from a FIFO queue.
 * @see https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html
 */
export const BATCH_SIZE_WITHOUT_WINDOW = 10;

/**
 * Messages in flight in one queue, standard or FIFO. At `alarm` our alarm fires, which leaves a third of the quota to
 * respond. At about `limit`, SQS delivers no more messages.
 *
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-fifo.html
 */
export const IN_FLIGHT_MARKS = { alarm: 80_000, limit: 120_000 } as const;

/**
 * The rules for the name of a queue.
 *
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_CreateQueue.html
 */
export const QUEUE_NAMES = {
  standard: /^[A-Za-z0-9_-]{1,80}$/,
  fifo: /^[A-Za-z0-9_-]{1,75}\.fifo$/,
} as const;

/**
 * The limits of a subscription's filter policy.
 *
 * @see https://docs.aws.amazon.com/sns/latest/dg/subscription-filter-policy-constraints.html
 */
export const FILTER_LIMITS = {
  /** Attribute names at the top level. */
  names: 5,
  /**
   * The product of the number of values of each name. The values of a nested name count once for each level of nesting.
   */
  combinations: 150,
  wildcardsEach: 3,
  /**
   * The sum over the names of the points of their wildcards: one for a wildcard with one asterisk, three for each
   * asterisk of another, their sum times the number of wildcards of the name.
   */
  wildcardPoints: 100,
  bytes: 262_144,
} as const;

/**
 * How long EventBridge and EventBridge Scheduler retry a target by default: one day.
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
 * Whether SNS cannot deliver from one Region to another. A queue or function in an opt-in Region cannot receive from
 * another opt-in Region, and a function in an opt-in Region cannot receive from any other Region.
 * **Assumption IAM-4:** The other protocols have no such limit.
 * @see https://docs.aws.amazon.com/sns/latest/dg/lambda-prereq.html
 */
export function isUnsupportedBetweenRegions(from: string, to: string, protocol: string): boolean {
  if (from === to || !OPT_IN_REGIONS.has(to)) return false;
  return protocol === 'lambda' || (protocol === 'sqs' && OPT_IN_REGIONS.has(from));
}

/**
 * The service principal of SNS for a delivery between Regions of which one is opt-in; undefined for all others.
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-cross-region-delivery.html
 */
export function regionalSnsPrincipal(from: string, to: string): string | undefined {
  const optIn = [to, from].find(region => OPT_IN_REGIONS.has(region));
  return from !== to && optIn !== undefined ? `sns.${optIn}.amazonaws.com` : undefined;
}
