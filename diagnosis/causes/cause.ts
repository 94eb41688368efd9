import type { Fix } from '../fixes/fix';
import type { SeenMessage } from './evidence';

/** Who failed at a message. */
export type Failed =
  /** SNS, at the endpoint of a subscription. */
  | 'subscription'
  /** A function that was invoked with an event. */
  | 'function'
  /** A relay of ours, at its endpoint. */
  | 'relay'
  /** Whoever receives from a queue: SQS moved what was received too often. */
  | 'consumer'
  /** EventBridge, at the target of a rule. */
  | 'rule'
  /** EventBridge Scheduler, at the target of a schedule. */
  | 'schedule'
  /** A redrive of ours, which had sent it home before. */
  | 'redrive'
  /** SNS, at the dead-letter queue itself: the message is lost. */
  | 'dead-letter-queue';

/** What makes two deaths the same. */
export interface CauseKey {
  readonly failed: Failed;
  /** Of whoever failed, an ARN where there is one: of a subscription its topic's, of a consumer its queue's. */
  readonly by: string;
  /** What was answered, without what differs from time to time: `403 AccessDenied`, `Error: no such order #`. */
  readonly code: string;
  /** Where it was to go: an ARN, a URL, an address. */
  readonly destination: string;
}

/** One message that died of it. */
export interface CauseExample {
  /** SNS's id, or SQS's; of an event that failed in a function, Lambda's request id. */
  readonly messageId: string;
  /** What the other side said, in its own words. */
  readonly answer: string;
  /** How often it was tried. @default - nobody tells */
  readonly attempts?: number;
  /** From the publication until the last attempt began. @default - nobody tells */
  readonly dwellTimeMs?: number;
  /** What a log says of it: the name of its log group, and the lines. @default - nothing */
  readonly log?: { readonly group: string; readonly lines: readonly string[] };
}

/** A failure of which letters may have died. */
export interface PossibleFailure {
  /** In the log's words, without what differs from time to time. */
  readonly code: string;
  /** How often the log has it. */
  readonly times: number;
  readonly lastAtMs: number;
}

/** Why messages died, and what takes that away. */
export interface Cause {
  readonly key: CauseKey;
  /** What happened, in a sentence or two. */
  readonly says: string;
  /** Whether nobody told it, of none of them: it follows from how things are configured now, or is the most frequent of several. */
  readonly isInferred: boolean;
  /** Of those looked at in the queue. */
  readonly messages: number;
  /** Records of it in a log, within the window. */
  readonly deliveries: number;
  readonly firstAtMs: number;
  readonly lastAtMs: number;
  readonly example: CauseExample;
  /**
   * The failures each of the letters died of one of, the most frequent first: that is the one the cause tells of. Nobody knows
   * which letter died of which. None where there is no choice.
   */
  readonly oneOf: readonly PossibleFailure[];
  /** What else is known that bears on it, a sentence each. */
  readonly details: readonly string[];
  /** @default - nobody knows one */
  readonly fix?: Fix;
}

/** Letters nobody says anything of. */
export interface Unexplained {
  /** Why nothing is known, in a sentence that begins after the number of letters: `have no record: …`. */
  readonly says: string;
  readonly messages: number;
  readonly firstAtMs: number;
  readonly lastAtMs: number;
  /** SQS's id of one of them. */
  readonly example: string;
}

/** Something that keeps causes from being told, and what changes that. */
export interface Note {
  readonly says: string;
  /** @default - nothing does */
  readonly fix?: Fix;
}

/** All that the evidence says. */
export interface Explanation {
  /** Those that most letters died of first. */
  readonly causes: readonly Cause[];
  readonly unexplained: readonly Unexplained[];
  readonly notes: readonly Note[];
}

/** What is made of an answer: what happened, and what mends it. */
export interface Diagnosis {
  readonly says: string;
  /** @default - there is no choice */
  readonly oneOf?: readonly PossibleFailure[];
  readonly details?: readonly string[];
  readonly fix?: Fix;
}

/** What one piece of evidence says: of one message, or of some that died alike. */
export interface FailureRecord {
  readonly key: CauseKey;
  readonly firstAtMs: number;
  readonly lastAtMs: number;
  /** Of the queue. */
  readonly messages: number;
  /** Records in a log. */
  readonly deliveries: number;
  /** Whether nobody told it: it follows from how things are configured now. @default false */
  readonly isInferred?: boolean;
  readonly example: CauseExample;
  /** Asked once a cause. */
  diagnose(): Diagnosis;
}

/** A death that a letter itself tells of. */
export function deathOfMessage(
  { decoded: { message } }: SeenMessage,
  death: Pick<FailureRecord, 'key' | 'diagnose' | 'isInferred'> & {
    readonly atMs?: number;
    readonly example: Partial<CauseExample>;
  },
): FailureRecord {
  const { atMs = message.sentAtMs, example, ...rest } = death;
  return {
    ...rest,
    firstAtMs: atMs,
    lastAtMs: atMs,
    messages: 1,
    deliveries: 0,
    example: { messageId: message.messageId, answer: '', ...example },
  };
}

/** What cannot be the same twice: ids of requests and messages, other numbers. */
const CHANGING: readonly (readonly [RegExp, string])[] = [
  [/RequestId: [\w-]+ (Error: )?/g, ''],
  [/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/gi, '#'],
  [/\b0x[0-9a-f]+\b/gi, '#'],
  [/\d+(\.\d+)?/g, '#'],
];

/** How much of an error tells it from others. Our choice. */
const MOST_CHARACTERS = 120;

/** An error as all that failed alike have it. */
export function commonText(text: string): string {
  const [line = ''] = text.trim().split('\n');
  const common = CHANGING.reduce((rest, [pattern, sign]) => rest.replace(pattern, sign), line);
  return common.slice(0, MOST_CHARACTERS).trim();
}
