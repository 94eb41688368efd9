import type { NowMs, Wait } from '../../mover/aws/clock';
import type { NotificationEnvelope } from '../../policy/messages/envelope';
import type { QueueAttributes } from '../../policy/messages/queue-attributes';
import type { FailedAttempt } from '../../policy/relay/attempt-verdict';
import type { RelaySettings } from '../../policy/relay/relay-settings';
import type { Posted } from '../shared/http-endpoint';
import type { Again } from '../shared/http-send';
import type { VisibilityChange } from '../shared/queue-calls';
import type { RelayMessage } from './message';

/** The endpoint, with its secrets read. */
export interface Ready {
  readonly kind: 'ready';
  /** The endpoint, as logs may show it. */
  readonly destination: string;
  /**
   * Posts a notification.
   * @param body the body of the queue's message, byte for byte
   * @param again asked for a second request if the first met a dead connection
   */
  readonly post: (envelope: NotificationEnvelope, body: string, again: Again) => Promise<Posted>;
  /** Whether a secret has changed since it was read for this endpoint. Takes at most `MAX_SECRET_READ_MS`. */
  readonly hasOldSecrets: () => Promise<boolean>;
}

/** Two calls of Secrets Manager of up to seven seconds each, one after the other: the signing secret has two versions. */
export const MAX_SECRET_READ_MS = 14_000;

/** No request can be made. */
export interface NotReady {
  readonly kind: 'not-ready';
  readonly destination: string;
  readonly verdict: FailedAttempt;
}

/** Reads where to deliver to. */
export type Endpoint = () => Promise<Ready | NotReady>;

export interface RelayQueues {
  /** Changes visibility timeouts. Resolves with the reason for each message whose timeout was not changed; never rejects. */
  readonly changeVisibility: (changes: readonly VisibilityChange[]) => Promise<ReadonlyMap<string, string>>;
  /** Sends a message to the dead-letter queue with attributes. Rejects if that fails. */
  readonly deadLetterMessage: (relayMessage: RelayMessage, attributes: QueueAttributes) => Promise<void>;
}

/** Prints a log line: an object as JSON, a text as it is. */
export type Print = (line: object | string) => void;

/** What the handler needs. */
export interface RelayPorts {
  readonly settings: RelaySettings;
  /** `AWS_LAMBDA_FUNCTION_NAME`. */
  readonly functionName: string;
  readonly endpoint: Endpoint;
  readonly queues: RelayQueues;
  readonly nowMs: NowMs;
  readonly wait: Wait;
  /** From 0 to 1. */
  readonly chance: () => number;
  readonly print: Print;
}
