import type { PublishInput, PublishResponse } from '@aws-sdk/client-sns';
import type { EventBuses } from '../event-delivery/targets';
import type { Credentials, RoleTrust, SessionCredentials } from '../kernel/access';
import type { Caller } from '../kernel/caller';
import type { Api } from '../kernel/service-api';
import type { LogSink } from '../kernel/telemetry';
import type { Network } from '../network/network';
import type { SqsActions } from '../sqs';
import type { Interruptions } from './environment/interruptions';

export interface Queues extends Api<SqsActions> {
  queueByArn(arn: string): { readonly name: string; readonly arn: string; readonly url: string } | undefined;
  /** Calls `listener` whenever messages of the queue become available. @returns a function that stops the calls */
  whenReceivable(queueArn: string, listener: () => void): () => void;
}

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
  /** How long a Kinesis stream keeps records. @default - a day */
  readonly streamRetentionMs?: (streamArn: string) => number | undefined;
  /** The interruptions of all functions. @default - those of this account and Region */
  readonly interruptions?: Interruptions;
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
