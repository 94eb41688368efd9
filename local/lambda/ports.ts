import type { PublishInput, PublishResponse } from '@aws-sdk/client-sns';
import type { EventBuses } from '../event-delivery';
import type { Credentials, RoleTrust, SessionCredentials } from '../kernel/access';
import type { Caller } from '../kernel/caller';
import type { Api, Refused, ServiceContext } from '../kernel/service-api';
import type { LogSink } from '../kernel/telemetry';
import type { Network } from '../network/network';
import type { SqsActions } from '../sqs';
import type { Invocation } from './invocation';

export type LambdaContext = ServiceContext<LambdaTraceEvent>;

/** The part of SQS that Lambda uses. */
export interface Queues extends Api<SqsActions> {
  queueByArn(arn: string): { readonly name: string; readonly arn: string; readonly url: string } | undefined;
  /** Calls `listener` whenever messages of the queue become available. @returns a function that stops the calls */
  whenReceivable(queueArn: string, listener: () => void): () => void;
}

/** The part of SNS that Lambda uses. */
interface Topics {
  /** @throws AwsError that SNS answers with */
  call(action: 'Publish', caller: Caller, input: PublishInput): PublishResponse;
}

/** Issues the credentials of functions. */
interface FunctionCredentials extends Credentials {
  /** Called when credentials are no longer used. */
  end(credentials: SessionCredentials): void;
}

/** The services that Lambda and its functions call. */
export interface LambdaDependencies {
  readonly sqs: Queues;
  /** A function, because SNS is constructed with Lambda as one of its services. */
  readonly sns: () => Topics;
  /** A function, because EventBridge is constructed with Lambda as one of its services. */
  readonly events: () => EventBuses;
  readonly network: Network;
  readonly logs: LogSink;
  readonly credentials: FunctionCredentials;
  readonly roles: RoleTrust;
}

export interface LambdaOptions {
  /**
   * How long a function's code may compute, in wall-clock time, before it counts as an endless loop.
   *
   * @default 10,000 ms
   */
  readonly watchdogMs?: number;
  /** The account's concurrency limit. @default 1,000 */
  readonly accountConcurrency?: number;
  /**
   * How many functions may really run at once, each in a thread of about 10 MB. Idle execution environments need
   * additional threads. AWS has no such limit; it protects the memory of this machine. When it is reached, event source
   * mappings do not scale further and wait (`lambda.scaling-limited` in the trace). Any other invocation is throttled,
   * with the reason `maxThreads` in the trace.
   *
   * @default 256
   */
  readonly maxThreads?: number;
  /** The maximum number of filters of a mapping. AWS raises it to ten on request. @default 5 */
  readonly filtersPerMapping?: number;
  /** How many idle execution environments keep their threads when time advances. @default 32 */
  readonly idleEnvironments?: number;
}

interface OfFunction {
  readonly functionArn: string;
}

interface OfRequest extends OfFunction {
  /** The request id, which all attempts of an event share. */
  readonly requestId: string;
}

interface OfMapping extends OfFunction {
  /** The event source mapping's UUID. */
  readonly mappingId: string;
  readonly queueArn: string;
}

/** Why a queued event is retried. */
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
  /** The mapping could not receive, or could not delete. */
  | (OfMapping & {
      readonly type: 'lambda.queue-refused';
      readonly action: 'ReceiveMessage' | 'DeleteMessageBatch';
      readonly code: string;
      readonly reason: string;
    })
  | Refused<'lambda'>;
