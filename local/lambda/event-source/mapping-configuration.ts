import { parseArn } from '../../../policy/arn';
import { type AwsError, notImplemented } from '../../kernel/aws-error';
import { isFifoName } from '../../kernel/messaging';
import { invalidParameter } from '../errors';

/**
 * How a function is fed from a queue.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/api/API_CreateEventSourceMapping.html
 */
export interface MappingConfiguration {
  readonly queueArn: string;
  /** 1 to 10,000; above 10 a batching window is needed, and a FIFO queue has no larger ones. @default 10 */
  readonly batchSize: number;
  /** 0 to 300; 0 sends each batch at once, and a FIFO queue has no other. @default 0 */
  readonly maximumBatchingWindowSeconds: number;
  /** `FunctionResponseTypes: ['ReportBatchItemFailures']`. @default false */
  readonly reportBatchItemFailures: boolean;
  /** 2 to 1,000. @default 1,000, reached step by step */
  readonly maximumConcurrency?: number;
  /** `ProvisionedPollerConfig`, which takes no `maximumConcurrency` beside it. @default - pollers come with the messages */
  readonly provisionedPollers?: ProvisionedPollers | undefined;
  /** The patterns of `FilterCriteria`, as they were given; a message has to match one of them. @default every message */
  readonly filters: readonly string[];
  /** `MetricsConfig: { Metrics: ['EventCount'] }`. @default false */
  readonly countsEvents: boolean;
}

/**
 * Event pollers of a mapping's own, each of which has ten batches in the function at most.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/api/API_ProvisionedPollerConfig.html
 */
export interface ProvisionedPollers {
  /** 2 to 200. @default 2 */
  readonly minimum: number;
  /** 2 to 2,000, and no less than `minimum`. @default 200 */
  readonly maximum: number;
}

/** What AWS takes of event pollers where nothing is said of them. */
export const DEFAULT_POLLERS: ProvisionedPollers = { minimum: 2, maximum: 200 };

/** What AWS takes where nothing is said. */
export const DEFAULT_MAPPING: Omit<MappingConfiguration, 'queueArn'> = {
  batchSize: 10,
  maximumBatchingWindowSeconds: 0,
  reportBatchItemFailures: false,
  filters: [],
  countsEvents: false,
};

export function isFifo(queueArn: string): boolean {
  return isFifoName(queueArn);
}

/** Whether an ARN could be a queue's. */
export function isQueueArn(arn: string): boolean {
  return parseArn(arn)?.service === 'sqs';
}

/** Services whose streams and brokers Lambda maps on AWS, and not here. */
const OTHER_SOURCES = ['dynamodb', 'kafka', 'kinesis', 'mq', 'rds'];

/** Why something that is no queue cannot be mapped. */
export function noQueue(arn: string | undefined): AwsError {
  const { service = '' } = parseArn(arn ?? '') ?? {};
  return OTHER_SOURCES.includes(service)
    ? notImplemented(`event sources other than queues: ${arn}`)
    : invalidParameter('Unrecognized event source.');
}

/**
 * With a batching window, messages wait in flight for their batch to fill; the poller hides them for long enough.
 *
 * @returns seconds to receive with, or undefined for the queue's own visibility timeout
 * @see https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html
 */
export function batchVisibilitySeconds(
  windowSeconds: number,
  functionTimeoutSeconds: number,
  queueVisibilitySeconds: number,
): number | undefined {
  const neededSeconds = windowSeconds + functionTimeoutSeconds;
  return windowSeconds > 0 && neededSeconds > queueVisibilitySeconds ? neededSeconds + 30 : undefined;
}
