import type { Fix } from '../fixes/fix';
import type { CauseExample, CauseKey, PossibleFailure } from './cause';
import type { SeenMessage } from './evidence';

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
