/**
 * How a function is fed from a queue.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/api/API_CreateEventSourceMapping.html
 */
export interface MappingConfiguration {
  readonly queueArn: string;
  /** 1 to 10,000; above 10 a batching window is needed. @default 10 */
  readonly batchSize: number;
  /** 0 to 300; 0 sends each batch at once. @default 0 */
  readonly maximumBatchingWindowSeconds: number;
  /** `FunctionResponseTypes: ['ReportBatchItemFailures']`. @default false */
  readonly reportBatchItemFailures: boolean;
  /** 2 to 1,000. @default 1,000, reached step by step */
  readonly maximumConcurrency?: number;
  /** @default true */
  readonly enabled: boolean;
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
