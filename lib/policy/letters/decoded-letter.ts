import type { NotificationEnvelope } from './envelope';
import type { QueueAttributes } from './queue-attributes';

/** A message of a queue, as whoever received it has it. */
export interface Letter {
  /** SQS's id, which a move or a redrive makes anew. */
  readonly messageId: string;
  readonly body: string;
  readonly attributes: QueueAttributes;
  /** When it was first put into a queue: SQS's own moves keep it, on a standard queue. */
  readonly sentAtMs: number;
  readonly firstReceivedAtMs: number;
  /** This receive included. */
  readonly receiveCount: number;
  /** Of a FIFO queue, and of fair ones. */
  readonly groupId?: string;
  readonly deduplicationId?: string;
  readonly sequenceNumber?: string;
  /** The queue SQS moved it from, by a redrive policy. */
  readonly movedFromArn?: string;
  /** X-Ray's. */
  readonly traceHeader?: string;
}

/** Who wrote a letter, and what it is at heart. */
export type DecodedKind =
  /** SNS: an envelope, in a queue or among the dead letters of any subscription. */
  | { readonly kind: 'notification'; readonly envelope: NotificationEnvelope }
  /** Lambda's dead letter of an event: the body is the event, the attributes say why. */
  | {
      readonly kind: 'function-event';
      readonly errorCode: string;
      readonly errorMessage: string;
      readonly requestId: string;
    }
  /** Lambda's record of a failed invocation or batch, for a destination on failure. */
  | {
      readonly kind: 'invocation-record';
      readonly functionArn: string;
      readonly condition: string;
      readonly error?: string;
    }
  /** EventBridge's or Scheduler's dead letter: the body is the event or input. */
  | {
      readonly kind: 'undelivered-event';
      readonly by: 'rule' | 'schedule';
      readonly byArn?: string;
      readonly targetArn?: string;
      readonly errorCode: string;
      readonly errorMessage: string;
    }
  /** A relay of ours gave it up, and said why. */
  | {
      readonly kind: 'relayed';
      readonly cause: string;
      readonly reason: string;
      readonly destination: string;
      readonly statusCode?: number;
    }
  /** Nobody says. */
  | { readonly kind: 'plain' };

/** A letter, understood. */
export interface DecodedLetter {
  readonly letter: Letter;
  readonly who: DecodedKind;
  /** What was meant to be delivered: of an envelope its message, of a record what was to be processed, else the body. */
  readonly payload: string;
  /** The payload as JSON has it, where it is. */
  readonly data?: unknown;
}
