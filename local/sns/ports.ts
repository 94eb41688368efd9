import type { SendMessageRequest, SendMessageResult } from '@aws-sdk/client-sqs';
import type { RoleTrust } from '../kernel/access';
import type { Caller } from '../kernel/caller';
import type { LazyText } from '../kernel/messaging';
import type { EventInvocation } from '../kernel/service-call';
import type { LogSink } from '../kernel/telemetry';
import type { Network } from '../network/network';
import type { Directory } from './topic/directory';
import type { Recipients, Streams } from './transports/recorded-transport';

/** A message to a queue. Its body can be a `LazyText`: the envelope is then built when the message is first read. */
export type MessageToQueue = Omit<SendMessageRequest, 'MessageBody'> & { readonly MessageBody: string | LazyText };

export interface QueueSender {
  /** @throws AwsError the error of SQS */
  call(action: 'SendMessage', caller: Caller, input: MessageToQueue): SendMessageResult;
  /** Calls `listener` whenever a queue is deleted. */
  whenDeleted(listener: (queueArn: string) => void): void;
}

export interface InvocationAnswer {
  /** 202 for an accepted event. */
  readonly StatusCode?: number;
}

export interface FunctionInvoker {
  /** @throws AwsError the error of Lambda, thrown or as a rejection */
  call(action: 'Invoke', caller: Caller, input: EventInvocation): InvocationAnswer | Promise<InvocationAnswer>;
}

export interface SnsDependencies {
  readonly sqs: QueueSender;
  readonly lambda: FunctionInvoker;
  readonly network: Network;
  readonly logs: LogSink;
  readonly roles: RoleTrust;
  /** People, devices and streams, which all accounts and Regions share. @default - those of this account and Region */
  readonly recipients?: Recipients;
  /** The topics of all accounts in the Region, with their subscriptions. @default - those of this account */
  readonly directories?: () => readonly Directory[];
  /** What Firehose says about a stream that is gone. @default - no stream is */
  readonly streams?: Streams;
}
