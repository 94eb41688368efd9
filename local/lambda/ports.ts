import type { PublishInput, PublishResponse } from '@aws-sdk/client-sns';
import type { EventBuses } from '../event-delivery';
import type { Credentials, RoleTrust, SessionCredentials } from '../kernel/access';
import type { Caller } from '../kernel/caller';
import type { Api, Refused, ServiceContext } from '../kernel/service-api';
import type { LogSink } from '../kernel/telemetry';
import type { Network } from '../network/network';
import type { SqsActions } from '../sqs';
import type { Invocation } from './invocation';

export type LambdaContext = ServiceContext<LambdaHappening>;

/** What Lambda asks of SQS; SQS itself is one of these. */
export interface Queues extends Api<SqsActions> {
  queueByArn(arn: string): { readonly name: string; readonly arn: string; readonly url: string } | undefined;
  /** Calls `listener` whenever messages of the queue have become receivable. @returns stops the calls */
  whenReceivable(queueArn: string, listener: () => void): () => void;
}

/** What Lambda asks of SNS; SNS itself is one of these. */
export interface Topics {
  /** @throws AwsError as SNS would answer */
  call(action: 'Publish', caller: Caller, input: PublishInput): PublishResponse;
}

/** What Lambda asks of whoever issues the credentials of its functions. */
export interface FunctionCredentials extends Credentials {
  /** Nobody will use them again: they are forgotten. */
  end(credentials: SessionCredentials): void;
}

/** Everything Lambda and its functions reach. */
export interface LambdaNeighbours {
  readonly sqs: Queues;
  /** A getter, because SNS is built with Lambda as its neighbour in turn. */
  readonly sns: () => Topics;
  /** A getter, because EventBridge is built with Lambda as its neighbour in turn. */
  readonly events: () => EventBuses;
  readonly network: Network;
  readonly logs: LogSink;
  readonly credentials: FunctionCredentials;
  readonly roles: RoleTrust;
}

export interface LambdaOptions {
  /**
   * How long, by the wall clock, a function's code may run without coming to rest before it is taken for an endless loop.
   *
   * @default 10,000 ms
   */
  readonly watchdogMs?: number;
  /** How many functions the account may run at once. @default 1,000 */
  readonly accountConcurrency?: number;
  /**
   * How many functions may really run at once, each in a thread of its own of about 10 MB; idle execution environments come
   * on top. AWS has no such limit. Our choice, rather than take this machine's memory: an event source mapping scales no
   * further and waits (`lambda.scaling-limited` in the trace), and any other invocation is throttled, with `maxThreads` as the
   * reason in the trace.
   *
   * @default 256
   */
  readonly maxThreads?: number;
  /** How many filters a mapping may have; AWS raises it to ten on request. @default 5 */
  readonly filtersPerMapping?: number;
  /** How many idle execution environments keep their thread once time moves on. @default 32 */
  readonly idleEnvironments?: number;
}

interface OfFunction {
  readonly functionArn: string;
}

interface OfRequest extends OfFunction {
  /** The request id, the same for every attempt at one event. */
  readonly requestId: string;
}

interface OfMapping extends OfFunction {
  /** The event source mapping's UUID. */
  readonly mappingId: string;
  readonly queueArn: string;
}

/** Why an event that was queued is tried again. */
export type RetryReason = 'function-error' | 'throttled' | 'system-error';

/** Why an event that was queued is no longer tried. */
export type Condition = 'RetriesExhausted' | 'EventAgeExceeded';

/** What Lambda writes into the trace: never an event or an answer in full. */
export type LambdaHappening =
  | (OfFunction & { readonly type: 'lambda.function-created' })
  /** An event was taken for an asynchronous invocation. */
  | (OfRequest & {
      readonly type: 'lambda.event-queued';
      /** The version or alias it is for, where it is for one. */
      readonly qualifier?: string;
      readonly bytes: number;
      /** The SNS messages the event carries, so that a message can be followed into the function. */
      readonly messageIds: readonly string[];
    })
  /** A handler begins to run. */
  | (OfRequest & {
      readonly type: 'lambda.invoked';
      readonly trigger: Invocation['trigger'];
      readonly attempt: number;
      /** The execution environment's number, from 1. */
      readonly environment: number;
      readonly coldStart: boolean;
      /** The version or alias it was invoked by, where it was by one, and the version that runs. */
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
       * Present when the watchdog took the code for an endless loop. It judges by the wall clock (`watchdogMs`), so this is
       * the one outcome that may differ on a machine that is much slower.
       */
      readonly decidedBy?: 'watchdog';
    })
  /** There was no concurrency left to run it. */
  | (OfRequest & {
      readonly type: 'lambda.throttled';
      readonly trigger: Invocation['trigger'];
      /** Present when AWS would have run it: this machine has no more threads for functions than `LambdaOptions.maxThreads`. */
      readonly reason?: 'maxThreads';
    })
  /** The function feeds itself: this request's chain has invoked it 16 times, so Lambda stops there. */
  | (OfRequest & {
      readonly type: 'lambda.recursion-stopped';
      readonly trigger: Invocation['trigger'];
      /** Of an event source mapping: the messages it would have been invoked for, which stay in the queue. */
      readonly messageIds?: readonly string[];
    })
  | (OfRequest & {
      readonly type: 'lambda.retry-scheduled';
      readonly reason: RetryReason;
      readonly delaySeconds: number;
    })
  /** An event nobody will try again was sent to the function's dead-letter queue or topic. */
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
  /** A dead-letter target or destination would not take what Lambda sent it. */
  | (OfRequest & {
      readonly type: 'lambda.dead-letter-failed' | 'lambda.destination-failed';
      readonly targetArn: string;
      readonly code: string;
      readonly reason: string;
    })
  /** An event nobody will try again, and that nobody has kept. */
  | (OfRequest & {
      readonly type: 'lambda.lost';
      readonly condition: Condition;
      readonly attempts: number;
      readonly reason: string;
    })
  /** The function's logs could not be written, for want of permission or by a fault: they are gone, as on AWS. */
  | (OfFunction & { readonly type: 'lambda.logs-refused'; readonly reason: string })
  | (OfFunction & { readonly type: 'lambda.function-updated' | 'lambda.function-deleted' })
  /** A mapping is there, has changed, or is gone. */
  | (OfMapping & { readonly type: 'lambda.mapping-created' | 'lambda.mapping-updated' | 'lambda.mapping-deleted' })
  /** A mapping would have more batches in its function on AWS than this machine has threads for: they wait. Told once. */
  | (OfMapping & { readonly type: 'lambda.scaling-limited'; readonly reason: 'maxThreads' })
  /** The function, version or alias that a mapping feeds is gone: it receives nothing until that is back. Told once. */
  | (OfMapping & { readonly type: 'lambda.mapping-without-function'; readonly reason: string })
  /** A mapping begins to receive, or receives nothing more. */
  | (OfMapping & { readonly type: 'lambda.mapping-enabled' | 'lambda.mapping-disabled' })
  /** Messages that match no filter of the mapping: they are deleted. */
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
      /** Messages that will become visible again. */
      readonly failedMessageIds: readonly string[];
    })
  /** The mapping could not receive, or not delete. */
  | (OfMapping & {
      readonly type: 'lambda.queue-refused';
      readonly action: 'ReceiveMessage' | 'DeleteMessageBatch';
      readonly code: string;
      readonly reason: string;
    })
  | Refused<'lambda'>;
