import type { Fix } from '../fixes/fix';
import type { SampledMessage } from './evidence';

/** What failed to process or deliver a message. */
export type Failed =
  /** SNS, at the endpoint of a subscription. */
  | 'subscription'
  /** A function that was invoked with an event. */
  | 'function'
  /** One of our relays, at its endpoint. */
  | 'relay'
  /** One of our fleets, at an endpoint of a tenant. */
  | 'fleet'
  /** A consumer of a queue: SQS moved messages that were received too often. */
  | 'consumer'
  /** EventBridge, at the target of a rule. */
  | 'rule'
  /** EventBridge Scheduler, at the target of a schedule. */
  | 'schedule'
  /** One of our redrives, which had moved the message before. */
  | 'redrive'
  /** SNS, at the dead-letter queue itself: the message is lost. */
  | 'dead-letter-queue';

/** Failures with the same key have the same cause. */
export interface CauseKey {
  readonly failed: Failed;
  /** The ARN of what failed, if it has one: for a subscription, its topic; for a consumer, its queue. */
  readonly by: string;
  /** The answer, without parts that change: `403 AccessDenied`, `Error: no such order #`. */
  readonly code: string;
  /** The destination: an ARN, a URL or an address. */
  readonly destination: string;
}

export interface CauseExample {
  /** The id of SNS or SQS; for an event that failed in a function, Lambda's request id. */
  readonly messageId: string;
  readonly answer: string;
  /** How many attempts were made. @default - unknown */
  readonly attempts?: number;
  /** From the publication until the last attempt began. @default - unknown */
  readonly dwellTimeMs?: number;
  /** The lines of a log about it, and the name of the log group. @default - none */
  readonly log?: { readonly group: string; readonly lines: readonly string[] };
}

interface PossibleFailure {
  /** The text of the log, without parts that change. */
  readonly code: string;
  /** How often the log contains it. */
  readonly times: number;
  readonly lastAtMs: number;
}

/** Why messages became dead letters, and what removes the cause. */
export interface Cause {
  readonly key: CauseKey;
  /** The id of the rule that found it. @default - its fix never has calls */
  readonly rule?: string;
  /** What happened, in one or two sentences. */
  readonly says: string;
  /**
   * Whether the cause is only inferred, for all its messages: from the current configuration, or as the most frequent
   * of several.
   */
  readonly isInferred: boolean;
  /** How many of the sampled messages have this cause. */
  readonly messages: number;
  readonly messageIds: readonly string[];
  /** How many log records in the period have this cause. */
  readonly deliveries: number;
  readonly firstAtMs: number;
  readonly lastAtMs: number;
  readonly example: CauseExample;
  /**
   * Possible failures, the most frequent first; the cause describes the first. Each message failed because of one of
   * them, but it is unknown which. Empty if there is only one.
   */
  readonly oneOf: readonly PossibleFailure[];
  /** Other facts that matter for the cause, a sentence each. */
  readonly details: readonly string[];
  /** @default - none is known */
  readonly fix?: Fix;
  /**
   * The commands of `dlo` that send its messages again once the cause is fixed, as words: `fleet replay acme/orders`. Empty if a redrive
   * sends them.
   */
  readonly replays: readonly Replay[];
}

/** A command after `dlo`, as words. */
export type Replay = readonly string[];

/** Messages without a known cause. */
export interface Unexplained {
  /** Why nothing is known. It completes a sentence that begins with the number of messages: `have no record: …`. */
  readonly says: string;
  readonly messages: number;
  readonly firstAtMs: number;
  readonly lastAtMs: number;
  /** SQS's id of one of the messages. */
  readonly example: string;
}

/** Something that prevents causes from being found, and how to change it. */
export interface Note {
  readonly says: string;
  /** @default - no call changes it */
  readonly fix?: Fix;
}

/** Everything that the evidence shows. */
export interface Explanation {
  /** The causes with the most messages first. */
  readonly causes: readonly Cause[];
  readonly unexplained: readonly Unexplained[];
  readonly notes: readonly Note[];
}

/** What happened, and what fixes it. */
export interface Diagnosis {
  /** The id of the rule that found it. @default - its fix never has calls */
  readonly rule?: string;
  readonly says: string;
  /** @default - there is only one */
  readonly oneOf?: readonly PossibleFailure[];
  readonly details?: readonly string[];
  readonly fix?: Fix;
}

/** What one piece of evidence shows about one message, or about several that failed in the same way. */
export interface FailureRecord {
  readonly key: CauseKey;
  readonly firstAtMs: number;
  readonly lastAtMs: number;
  /** In the queue. */
  readonly messages: number;
  /** Records in a log. */
  readonly deliveries: number;
  /** Whether it is inferred from the current configuration. @default false */
  readonly isInferred?: boolean;
  readonly example: CauseExample;
  /** Called once per cause. */
  diagnose(): Diagnosis;
}

export function failureOfMessage(
  { decoded: { message } }: SampledMessage,
  failure: Pick<FailureRecord, 'key' | 'diagnose' | 'isInferred'> & {
    readonly atMs?: number;
    readonly example: Partial<CauseExample>;
  },
): FailureRecord {
  const { atMs = message.sentAtMs, example, ...rest } = failure;
  return {
    ...rest,
    firstAtMs: atMs,
    lastAtMs: atMs,
    messages: 1,
    deliveries: 0,
    example: { messageId: message.messageId, answer: '', ...example },
  };
}

/** Parts of an error that differ each time: ids of requests and messages, and other numbers. */
const CHANGING: readonly (readonly [RegExp, string])[] = [
  [/RequestId: [\w-]+ (Error: )?/g, ''],
  [/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/gi, '#'],
  [/\b0x[0-9a-f]+\b/gi, '#'],
  [/\d+(\.\d+)?/g, '#'],
];

/** How many characters of an error distinguish it from others: enough for its type and the start of its message. */
const MOST_CHARACTERS = 120;

/** The part of an error that all errors of its kind share. */
export function commonText(text: string): string {
  const [line = ''] = text.trim().split('\n');
  const common = CHANGING.reduce((rest, [pattern, sign]) => rest.replace(pattern, sign), line);
  return common.slice(0, MOST_CHARACTERS).trim();
}
