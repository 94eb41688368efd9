import type { SendMessageRequest, SendMessageResult } from '@aws-sdk/client-sqs';
import type { RoleTrust } from '../kernel/access';
import type { Caller } from '../kernel/caller';
import type { LazyText } from '../kernel/messaging';
import type { EventInvocation } from '../kernel/service-call';
import type { LogSink } from '../kernel/telemetry';
import type { Network } from '../network/network';

/** A message to a queue; its envelope may be made when somebody reads it. */
export type MessageToQueue = Omit<SendMessageRequest, 'MessageBody'> & { readonly MessageBody: string | LazyText };

/** What SNS asks of SQS; SQS itself is one of these. */
export interface QueueSender {
  /** @throws AwsError as SQS would answer */
  call(action: 'SendMessage', caller: Caller, input: MessageToQueue): SendMessageResult;
  /** Calls `listener` whenever a queue is deleted. */
  whenDeleted(listener: (queueArn: string) => void): void;
}

export interface InvocationAnswer {
  /** 202 for an event taken. */
  readonly StatusCode?: number;
}

/** What SNS asks of Lambda; Lambda itself is one of these. */
export interface FunctionInvoker {
  /** @throws AwsError as Lambda would answer, or rejects with it */
  call(action: 'Invoke', caller: Caller, input: EventInvocation): InvocationAnswer | Promise<InvocationAnswer>;
}

/** Everything SNS delivers to, or writes to. */
export interface SnsDependencies {
  readonly sqs: QueueSender;
  readonly lambda: FunctionInvoker;
  readonly network: Network;
  readonly logs: LogSink;
  readonly roles: RoleTrust;
}
