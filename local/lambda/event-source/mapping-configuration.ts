import { parseArn } from '../../../policy/arn';
import { type AwsError, notImplemented } from '../../kernel/aws-error';
import { isFifoName } from '../../kernel/messaging';
import { invalidParameter } from '../errors';
import type { StreamConfiguration } from './stream/stream-configuration';

/**
 * The configuration of an event source mapping.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/api/API_CreateEventSourceMapping.html
 */
export interface MappingConfiguration {
  /** The ARN of the queue, or of the stream. */
  readonly queueArn: string;
  /** 1 to 10,000. Above 10 it requires a batching window. At most 10 for a FIFO queue. @default 10 */
  readonly batchSize: number;
  /** 0 to 300. 0 invokes the function immediately, and is the only value for a FIFO queue. @default 0 */
  readonly maximumBatchingWindowSeconds: number;
  /** `FunctionResponseTypes: ['ReportBatchItemFailures']`. @default false */
  readonly reportBatchItemFailures: boolean;
  /** 2 to 1,000. @default 1,000, to which the mapping scales up in steps */
  readonly maximumConcurrency?: number;
  /** `ProvisionedPollerConfig`. Excludes `maximumConcurrency`. @default - pollers scale with the messages */
  readonly provisionedPollers?: ProvisionedPollers | undefined;
  /** The patterns of `FilterCriteria`, as they were given. A message must match one of them. @default every message */
  readonly filters: readonly string[];
  /** `MetricsConfig: { Metrics: ['EventCount'] }`. @default false */
  readonly countsEvents: boolean;
  /** What only mappings of streams have. @default - the source is a queue */
  readonly stream?: StreamConfiguration;
}

/**
 * Dedicated event pollers of a mapping. Each runs at most ten batches at once.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/api/API_ProvisionedPollerConfig.html
 */
export interface ProvisionedPollers {
  /** 2 to 200. @default 2 */
  readonly minimum: number;
  /** 2 to 2,000, and at least `minimum`. @default 200 */
  readonly maximum: number;
}

/** AWS's defaults for provisioned pollers. */
export const DEFAULT_POLLERS: ProvisionedPollers = { minimum: 2, maximum: 200 };

/** AWS's defaults. */
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

export function isQueueArn(arn: string): boolean {
  return parseArn(arn)?.service === 'sqs';
}

/** Event sources that AWS supports but the embedded AWS does not. */
const OTHER_SOURCES = ['dynamodb', 'kafka', 'kinesis', 'mq', 'rds'];

/** Whether AWS can read from a source, but the embedded AWS cannot. */
export function isOtherSource(arn: string): boolean {
  return OTHER_SOURCES.includes(parseArn(arn)?.service ?? '');
}

export function noQueue(arn: string | undefined): AwsError {
  return isOtherSource(arn ?? '')
    ? notImplemented(`event sources other than queues and streams: ${arn}`)
    : invalidParameter('Unrecognized event source.');
}

/**
 * With a batching window, received messages wait until their batch is full. The poller makes them invisible for long
 * enough.
 *
 * @returns the visibility timeout to receive with, in seconds; undefined for the queue's own
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
