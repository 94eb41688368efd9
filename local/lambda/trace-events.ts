import type { Refused, ServiceContext } from '../kernel/service-api';
import type { Invocation } from './invocation';

interface OfFunction {
  readonly functionArn: string;
}

interface OfRequest extends OfFunction {
  /** The request id, which all attempts of an event share. */
  readonly requestId: string;
}

type OfMapping = OfFunction & {
  /** The event source mapping's UUID. */
  readonly mappingId: string;
} & (
    | { readonly queueArn: string; readonly streamArn?: never }
    /** A stream of Kinesis or DynamoDB. Its records have sequence numbers in place of message ids. */
    | { readonly streamArn: string; readonly queueArn?: never }
  );

export type RetryReason = 'function-error' | 'throttled' | 'system-error';

/** Why a queued event is no longer retried. */
export type Condition = 'RetriesExhausted' | 'EventAgeExceeded';

/** The trace events of Lambda. They never contain a complete event or response. */
export type LambdaTraceEvent =
  | (OfFunction & { readonly type: 'lambda.function-created' })
  /** An event was queued for an asynchronous invocation. */
  | (OfRequest & {
      readonly type: 'lambda.event-queued';
      /** The version or alias that was invoked, if any. */
      readonly qualifier?: string;
      readonly bytes: number;
      /** The ids of the SNS messages in the event, so that a message can be traced into the function. */
      readonly messageIds: readonly string[];
    })
  /** A handler starts. */
  | (OfRequest & {
      readonly type: 'lambda.invoked';
      readonly trigger: Invocation['trigger'];
      readonly attempt: number;
      /** The execution environment's number, from 1. */
      readonly environment: number;
      readonly coldStart: boolean;
      /** The version or alias that was invoked, if any, and the version that runs. */
      readonly qualifier?: string;
      readonly version?: string;
    })
  | (OfRequest & {
      readonly type: 'lambda.finished';
      readonly outcome: 'success' | 'error' | 'timeout';
      readonly durationMs: number;
      readonly errorType?: string;
      /** The first 256 characters. */
      readonly errorMessage?: string;
      /**
       * Set when the watchdog stopped an endless loop. The watchdog measures wall-clock time (`watchdogMs`), so this is
       * the only outcome that may differ on a much slower machine.
       */
      readonly decidedBy?: 'watchdog';
    })
  /** The function had no concurrency left. */
  | (OfRequest & {
      readonly type: 'lambda.throttled';
      readonly trigger: Invocation['trigger'];
      /** Set when AWS would have run the function: this machine provides only `LambdaOptions.maxThreads` threads. */
      readonly reason?: 'maxThreads';
    })
  /** Lambda stopped a recursive loop: this chain of requests has invoked the function 16 times. */
  | (OfRequest & {
      readonly type: 'lambda.recursion-stopped';
      readonly trigger: Invocation['trigger'];
      /** The messages of the event source mapping that caused the invocation. They stay in the queue. */
      readonly messageIds?: readonly string[];
    })
  | (OfRequest & {
      readonly type: 'lambda.retry-scheduled';
      readonly reason: RetryReason;
      readonly delaySeconds: number;
    })
  /** An event that will not be retried was sent to the function's dead-letter queue or topic. */
  | (OfRequest & {
      readonly type: 'lambda.dead-lettered';
      readonly targetArn: string;
      readonly condition: Condition;
      readonly attempts: number;
    })
  | (OfRequest & {
      readonly type: 'lambda.destination-delivered';
      readonly destinationArn: string;
      readonly condition: Condition | 'Success';
    })
  /** A dead-letter target or destination rejected what Lambda sent. */
  | (OfRequest & {
      readonly type: 'lambda.dead-letter-failed' | 'lambda.destination-failed';
      readonly targetArn: string;
      readonly code: string;
      readonly reason: string;
    })
  /** An event that will not be retried is lost: no dead-letter target or destination has it. */
  | (OfRequest & {
      readonly type: 'lambda.lost';
      readonly condition: Condition;
      readonly attempts: number;
      readonly reason: string;
    })
  /**
   * The function's log lines could not be written, because of a missing permission or an injected fault. They are lost,
   * as on AWS.
   */
  | (OfFunction & { readonly type: 'lambda.logs-refused'; readonly reason: string })
  | (OfFunction & { readonly type: 'lambda.function-updated' | 'lambda.function-deleted' })
  /** A mapping was created, updated or deleted. */
  | (OfMapping & { readonly type: 'lambda.mapping-created' | 'lambda.mapping-updated' | 'lambda.mapping-deleted' })
  /** On AWS a mapping would run more batches than this machine has threads for. They wait. Recorded once. */
  | (OfMapping & { readonly type: 'lambda.scaling-limited'; readonly reason: 'maxThreads' })
  /**
   * The function, version or alias of a mapping does not exist. The mapping receives nothing until it does. Recorded
   * once.
   */
  | (OfMapping & { readonly type: 'lambda.mapping-without-function'; readonly reason: string })
  /** A mapping started or stopped receiving. */
  | (OfMapping & { readonly type: 'lambda.mapping-enabled' | 'lambda.mapping-disabled' })
  /** Messages that match no filter of the mapping were deleted. */
  | (OfMapping & { readonly type: 'lambda.messages-filtered-out'; readonly messageIds: readonly string[] })
  | (OfMapping & {
      readonly type: 'lambda.batch-received';
      readonly requestId: string;
      readonly messageIds: readonly string[];
    })
  | (OfMapping & {
      readonly type: 'lambda.batch-finished';
      readonly requestId: string;
      readonly outcome: 'success' | 'error' | 'timeout' | 'throttled';
      readonly deleted: number;
      /** The messages that will become visible again. */
      readonly failedMessageIds: readonly string[];
    })
  /** Records of a stream failed too often, or became too old. They are lost unless a destination has a message about them. */
  | (OfMapping & {
      readonly type: 'lambda.records-discarded';
      readonly requestId: string;
      readonly condition: 'RetryAttemptsExhausted' | 'RecordAgeExceeded';
      readonly sequenceNumbers: readonly string[];
      /** The queue or topic that has a message about them. @default - none has */
      readonly destinationArn?: string;
    })
  /** Records of a stream expired while the mapping was disabled, or were unprocessed when it was deleted. */
  | (OfMapping & {
      readonly type: 'lambda.records-unread';
      readonly reason: 'Expired' | 'MappingDeleted';
      readonly sequenceNumbers: readonly string[];
    })
  /** The mapping could not receive, or could not delete. */
  | (OfMapping & {
      readonly type: 'lambda.queue-refused';
      readonly action: 'ReceiveMessage' | 'GetRecords' | 'DeleteMessageBatch';
      readonly code: string;
      readonly reason: string;
    })
  | Refused<'lambda'>;

export type LambdaContext = ServiceContext<LambdaTraceEvent>;
