import { parseArn } from '../../../../policy/arn';

/**
 * What only mappings of streams have.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/services-kinesis-parameters.html
 * @see https://docs.aws.amazon.com/lambda/latest/dg/services-ddb-params.html
 */
export interface StreamConfiguration {
  readonly startingPosition: StartingPosition;
  /** Milliseconds since the Unix epoch. Only with `AT_TIMESTAMP`. */
  readonly startingAtMs: number | undefined;
  /** -1 retries until the records expire. */
  readonly maximumRetryAttempts: number;
  /** -1 keeps records until they expire. */
  readonly maximumRecordAgeSeconds: number;
  readonly bisectBatchOnFunctionError: boolean;
  /** 1 to 10. */
  readonly parallelizationFactor: number;
  /** A queue or a topic. */
  readonly onFailureArn: string | undefined;
}

export const STARTING_POSITIONS = ['TRIM_HORIZON', 'LATEST', 'AT_TIMESTAMP'] as const;
type StartingPosition = (typeof STARTING_POSITIONS)[number];

export type StreamService = 'kinesis' | 'dynamodb';

/** The service of a stream's ARN; undefined for any other ARN. */
export function streamServiceOf(arn: string): StreamService | undefined {
  const { service } = parseArn(arn) ?? {};
  return service === 'kinesis' || service === 'dynamodb' ? service : undefined;
}

/** Whether the message about discarded records goes to a queue or a topic. Other destinations are not simulated. */
export const isKeptAsMessage = (arn: string): boolean => ['sqs', 'sns'].includes(parseArn(arn)?.service ?? '');

/**
 * Whether an ARN names a consumer with enhanced fan-out: `stream/orders/consumer/c:1700000000`. Mappings of those are not
 * simulated.
 */
export const isConsumerArn = (arn: string): boolean => streamServiceOf(arn) === 'kinesis' && /\/consumer\//.test(arn);
