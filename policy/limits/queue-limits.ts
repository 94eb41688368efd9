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
