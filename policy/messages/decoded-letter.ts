import type { NotificationEnvelope } from './envelope';
import type { QueueAttributes } from './queue-attributes';

/** A message of a queue, as whoever received it has it. */
export interface QueueMessage {
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

/** The records of a stream or topic a function failed at, which are in the source and not in the letter. */
export interface FailedBatch {
  readonly sourceArn?: string;
  readonly records?: number;
}

/** One thing that is said of a letter: who said it, and what. */
export type DecodedKind =
  /** SNS: an envelope, in a queue or among the dead letters of any subscription, or the event of a function. */
  | { readonly kind: 'notification'; readonly envelope: NotificationEnvelope }
  /** Lambda's dead letter of an event: the body is the event, the attributes say why. */
  | {
      readonly kind: 'function-event';
      /** As of HTTP: 200 where the function ran and failed, 429 where it was throttled, 403 where its role may not. */
      readonly errorCode: string;
      readonly errorMessage: string;
      readonly requestId: string;
    }
  /** Lambda's record of a failed invocation or batch, for a destination on failure. */
  | {
      readonly kind: 'invocation-record';
      /** With its version or alias. */
      readonly functionArn: string;
      /** Why Lambda gave up: `RetriesExhausted`, `EventAgeExceeded`. */
      readonly condition: string;
      /** What the function threw, `Type: message`. @default - it never ran, or answered nothing readable */
      readonly error?: string;
      readonly requestId?: string;
      readonly statusCode?: number;
      readonly invokeCount?: number;
      /** @default - the record is of an invocation, and holds its event */
      readonly batch?: FailedBatch;
    }
  /** EventBridge's or Scheduler's dead letter: the body is the event or input. */
  | {
      readonly kind: 'undelivered-event';
      readonly by: 'rule' | 'schedule';
      readonly byArn?: string;
      readonly targetArn?: string;
      readonly errorCode: string;
      readonly errorMessage: string;
      /** `MaximumRetryAttempts` or `MaximumEventAgeInSeconds`. @default - it was not tried again */
      readonly exhausted?: string;
      readonly retries?: number;
      /** Whether the body is only the beginning of the input. */
      readonly isTruncated?: boolean;
    }
  /** A relay of ours gave it up, and said why. */
  | {
      readonly kind: 'relayed';
      readonly cause: string;
      readonly reason: string;
      readonly destination: string;
      readonly statusCode?: number;
      readonly attemptsSpent?: number;
      readonly deadLetteredAtMs?: number;
    }
  /** A redrive of ours put it into a quarantine, and said why. */
  | {
      readonly kind: 'quarantined';
      readonly cause: string;
      readonly reason: string;
      readonly fromArn?: string;
      readonly quarantinedAtMs?: number;
    }
  /** Nobody says. */
  | { readonly kind: 'plain' };

/** A letter, understood. */
export interface DecodedMessage {
  readonly message: QueueMessage;
  /** Who spoke last. */
  readonly who: DecodedKind;
  /** Who spoke before that, the latest first: of a relay's letter the notification it was to deliver. */
  readonly before: readonly DecodedKind[];
  /** The notifications of SNS it holds, however they are wrapped: several where it is a batch. */
  readonly notifications: readonly NotificationEnvelope[];
  /**
   * What was meant to be delivered, without all that was put around it: of an envelope its message, of a record the event of
   * the invocation, else the body. A batch stays whole. Where it was inside JSON, it is that JSON written anew.
   */
  readonly payload: string;
  /** The payload as JSON has it, where it is. */
  readonly data?: unknown;
}
