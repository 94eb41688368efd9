import { formatNumber } from '../../policy/format-text';
import { DAY_SECONDS } from '../../policy/time-units';

/** What a template cannot state, and the costs depend on. */
export interface CostAssumptions {
  /** The size of a message, in KB. SNS and SQS bill each 64 KB of it. */
  readonly messageKilobytes: number;
  /** How many messages a consumer receives and deletes with one request, and a function processes in one invocation. */
  readonly batchSize: number;
  /** How long an invocation runs, in seconds. Functions of this package state their own. */
  readonly invocationSeconds: number;
}

export const DEFAULT_ASSUMPTIONS: CostAssumptions = { messageKilobytes: 1, batchSize: 1, invocationSeconds: 0.3 };

const MONTH_DAYS = 30;

export const MONTH_SECONDS = MONTH_DAYS * DAY_SECONDS;

export const MILLION = 1_000_000;

/** A request or a publish is billed for each 64 KB. */
export const CHUNK_KILOBYTES = 64;

/** AWS bills logs by 10^9 bytes closely enough: a GB is a million KB. */
export const KILOBYTES_IN_A_GIGABYTE = 1_000_000;

/** SNS writes about a kilobyte for a delivery: the record has the addresses, the answer and the times. */
export const STATUS_RECORD_KILOBYTES = 1;

/** Lambda's own lines of an invocation (START, END, REPORT), and a line of the function. */
export const INVOCATION_LOG_KILOBYTES = 0.5;

export const ACCESS_LOG_KILOBYTES = 0.5;

/**
 * How many pollers a mapping begins with, and keeps if it has a maximum concurrency. With little traffic Lambda can go down to two.
 * **Assumption LAMBDA-17:** AWS publishes this for standard queues. A mapping of a FIFO queue has as many.
 * @see https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-scaling.html
 */
export const MAPPING_POLLERS = 5;

export const LONG_POLL_SECONDS = 20;

/** How long SNS and SQS use a data key, by default. */
export const DATA_KEY_SECONDS = 300;

export function assumptionTexts({ messageKilobytes, batchSize, invocationSeconds }: CostAssumptions): string[] {
  const batches = batchSize === 1 ? 'one message' : `${formatNumber(batchSize)} messages`;
  return [
    `A month has ${MONTH_DAYS} days. A message has ${formatNumber(messageKilobytes)} KB, and each of the million passes every filter and is delivered at the first attempt.`,
    `A request receives, and an invocation processes, ${batches}. An invocation takes ${formatNumber(invocationSeconds)} s, unless the function is one of this package, which states its own time.`,
    `A delivery-status record has ${STATUS_RECORD_KILOBYTES} KB, the log of an invocation ${INVOCATION_LOG_KILOBYTES} KB, a line of an access log ${ACCESS_LOG_KILOBYTES} KB.`,
    `An event source mapping of a queue polls with ${MAPPING_POLLERS} pollers, ${LONG_POLL_SECONDS} s at a time, also while its queue is empty.`,
    'A metric filter with dimensions is counted as one metric, and AWS bills one for each combination of their values.',
    'With a customer managed key, messages are spread over the month, with one producer and one consumer of each topic and queue.',
  ];
}

/** What is never counted. */
export const NOT_COUNTED: readonly string[] = [
  'data transfer, taxes and the storage of logs and tables',
  'failures: retries, dead letters and redrives',
  'rotations of KMS keys: the first two of a key cost a dollar a month each, later ones nothing',
  'calls that functions make, except those that functions of this package state',
];
