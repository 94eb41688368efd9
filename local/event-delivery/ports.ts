import type { PutEventsRequest, PutEventsResponse } from '@aws-sdk/client-eventbridge';
import type { PublishInput } from '@aws-sdk/client-sns';
import type { SendMessageRequest } from '@aws-sdk/client-sqs';
import type { Caller } from '../kernel/caller';
import type { EventInvocation } from '../kernel/event-invocation';

/** What is asked of SQS; SQS itself is one of these. */
export interface Queues {
  queueByArn(arn: string): { readonly url: string } | undefined;
  /** @throws AwsError as SQS would answer */
  call(action: 'SendMessage', caller: Caller, input: SendMessageRequest): unknown;
}

/** What is asked of SNS; SNS itself is one of these. */
export interface Topics {
  /** @throws AwsError as SNS would answer */
  call(action: 'Publish', caller: Caller, input: PublishInput): unknown;
}

/** What is asked of EventBridge; EventBridge itself is one of these. */
export interface EventBuses {
  /** @throws AwsError as EventBridge would answer */
  call(action: 'PutEvents', caller: Caller, input: PutEventsRequest): PutEventsResponse;
}

/** What is asked of Lambda; Lambda itself is one of these. */
export interface Functions {
  /** @throws AwsError as Lambda would answer, or rejects with it */
  call(action: 'Invoke', caller: Caller, input: EventInvocation): unknown;
}
