import type { NowMs, Wait } from '../../mover/clock';
import type { NotificationEnvelope } from '../../policy/messages/envelope';
import type { QueueAttributes } from '../../policy/messages/queue-attributes';
import type { FailedAttempt, RelayVerdict } from '../../policy/relay/attempt-verdict';
import type { RelaySettings } from '../../policy/relay/relay-settings';
import type { Again } from '../shared/http-send';
import type { RelayMessage } from './message';

/** What one request came to. */
export interface Posted {
  readonly verdict: RelayVerdict;
  /**
   * Of the answer.
   * @default - none came
   */
  readonly statusCode?: number;
  /**
   * Why the answer's body is not whole.
   * @default - it is, or there is none
   */
  readonly cut?: string;
  /** 2 where the first met a connection that was dead, 1 as a rule. */
  readonly requests: number;
  /** What the other side said, or why it said nothing; no secret is in it. */
  readonly answer: string;
  /**
   * What the answer's `Retry-After` asks for.
   * @default - nothing
   */
  readonly retryAfterSeconds?: number;
}

/** The endpoint as it is just now, with its secrets read. */
export interface Ready {
  readonly kind: 'ready';
  /** The endpoint, as records may show it. */
  readonly destination: string;
  /**
   * @param body what the queue has, to the byte
   * @param again whether there is a turn for a second request, where the first met a connection that was dead
   */
  readonly post: (envelope: NotificationEnvelope, body: string, again: Again) => Promise<Posted>;
  /** Whether the secrets it posts with are others by now, as far as seconds ago. Takes `LONGEST_LOOK_MS` at most. */
  readonly hasOldSecrets: () => Promise<boolean>;
}

/** Two questions of seven seconds, one after the other, for a key that signs. */
export const MAX_SECRET_READ_MS = 14_000;

/** Nothing can be posted. */
export interface NotReady {
  readonly kind: 'not-ready';
  readonly destination: string;
  readonly verdict: FailedAttempt;
}

/** Where the relay delivers to. */
export type Endpoint = () => Promise<Ready | NotReady>;

/** How long a message stays hidden from now on. */
export interface VisibilityChange {
  readonly messageId: string;
  readonly receiptHandle: string;
  readonly seconds: number;
}

/** The relay's queue and its dead-letter queue. */
export interface Queues {
  /** Hides messages for other times than the queue's own. Answers why it did not, by message; it never rejects. */
  readonly changeVisibility: (hidings: readonly VisibilityChange[]) => Promise<ReadonlyMap<string, string>>;
  /** Sends a message to the dead-letter queue as it is, with attributes. Rejects where that did not come about. */
  readonly deadLetterMessage: (relayMessage: RelayMessage, attributes: QueueAttributes) => Promise<void>;
}

/** Prints a line of the log: JSON, or text that is some already. */
export type Print = (line: object | string) => void;

/** What the handler needs of the world. */
export interface Ports {
  readonly settings: RelaySettings;
  /** `AWS_LAMBDA_FUNCTION_NAME`. */
  readonly functionName: string;
  readonly endpoint: Endpoint;
  readonly queues: Queues;
  readonly nowMs: NowMs;
  readonly wait: Wait;
  /** From 0 to 1. */
  readonly chance: () => number;
  readonly print: Print;
}
