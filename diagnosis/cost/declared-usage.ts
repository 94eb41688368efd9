import { isObject, type JsonObject } from '../../policy/json-members';

/** The key of a function's metadata in the template. */
export const USAGE_METADATA = 'dead-letter-office:usage';

/** The key of a topic's metadata that says that it has no messages while all is well. */
export const IDLE_METADATA = 'dead-letter-office:idle';

/** The key of a queue's metadata that says that it is used as a fair queue: its messages have message groups. */
export const FAIR_METADATA = 'dead-letter-office:fair';

/** The key of a queue's metadata that says of which queue's messages functions make its messages: see `DeclaredFeed`. */
export const FEED_METADATA = 'dead-letter-office:feed';

/** From where a queue gets its messages, which no property of its template states. */
export interface DeclaredFeed {
  /** The logical id of a queue of the same template. */
  readonly from: string;
  /** How many messages the queue gets for each message of that one. */
  readonly messages: number;
  readonly assumes: string;
}

/** Reads the feed from a queue's metadata. Undefined if it states none. */
export function feedIn(metadata: JsonObject): DeclaredFeed | undefined {
  const feed = metadata[FEED_METADATA];
  if (!isObject(feed)) return undefined;
  const { from, messages, assumes } = feed;
  const isFeed = typeof from === 'string' && typeof assumes === 'string' && isCount(messages);
  return isFeed ? { from, messages, assumes } : undefined;
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}

/**
 * What a function of this package uses, which no property of its template states. The construct writes it into the
 * metadata of the function.
 */
export interface DeclaredUsage {
  /** How long an invocation runs, in seconds, without the time for its messages. */
  readonly invocationSeconds: number;
  /** How much longer it runs for each message, in seconds. @default 0 */
  readonly messageSeconds?: number;
  /** The log of an invocation, in KB. @default - like any function's */
  readonly invocationLogKilobytes?: number;
  /** The log of a message, in KB. @default 0 */
  readonly messageLogKilobytes?: number;
  /** Requests to SQS in each invocation. @default 0 */
  readonly queueRequests?: number;
  /** Requests to CloudWatch in each invocation, each for a metric or an alarm. @default 0 */
  readonly metricRequests?: number;
  /** Read request units of DynamoDB in each invocation. @default 0 */
  readonly readUnits?: number;
  /** Read request units for each message. @default 0 */
  readonly messageReadUnits?: number;
  /** Write request units for each message. @default 0 */
  readonly messageWriteUnits?: number;
  /** The number of custom metrics that have data while nothing happens. @default 0 */
  readonly idleMetrics?: number;
  /** The number of custom metrics that have data in hours with messages, in addition to the idle ones. @default 0 */
  readonly busyMetrics?: number;
}

function numberIn(usage: JsonObject, name: keyof DeclaredUsage): number | undefined {
  const value = usage[name];
  return isCount(value) ? value : undefined;
}

const OPTIONAL = [
  'messageSeconds',
  'invocationLogKilobytes',
  'messageLogKilobytes',
  'queueRequests',
  'metricRequests',
  'readUnits',
  'messageReadUnits',
  'messageWriteUnits',
  'idleMetrics',
  'busyMetrics',
] as const satisfies readonly (keyof DeclaredUsage)[];

/** Reads the usage from a function's metadata. Undefined if it states none. */
export function usageIn(metadata: JsonObject): DeclaredUsage | undefined {
  const usage = metadata[USAGE_METADATA];
  if (!isObject(usage)) return undefined;
  const invocationSeconds = numberIn(usage, 'invocationSeconds');
  if (invocationSeconds === undefined) return undefined;
  const others = OPTIONAL.map(name => [name, numberIn(usage, name)] as const).filter(([, it]) => it !== undefined);
  return { invocationSeconds, ...Object.fromEntries(others) };
}
