import type { PublishInput, PublishResponse } from '@aws-sdk/client-sns';
import type { EventBuses } from '../event-delivery';
import type { Api } from '../kernel/api';
import type { Caller } from '../kernel/caller';
import type { Credentials, SessionCredentials } from '../kernel/credentials';
import type { RoleTrust } from '../kernel/role-trust';
import type { ServiceContext } from '../kernel/services';
import type { LogSink } from '../kernel/telemetry';
import type { Network } from '../network/network';
import type { SqsActions } from '../sqs';
import type { LambdaHappening } from './happenings';

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
