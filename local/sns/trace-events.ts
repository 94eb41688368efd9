import type { Protocol } from '../../policy/outcome/protocol';
import type { Refused } from '../kernel/service-api';

/** A message to one subscriber, as every happening on its way names it. */
interface SubscriberMessage {
  readonly topicArn: string;
  readonly messageId: string;
  readonly subscriptionArn: string;
}

/** A message to one phone or device and no topic. */
interface Direct {
  readonly protocol: 'application' | 'sms';
  /** A phone number, or the ARN of a device. */
  readonly endpoint: string;
  readonly messageId: string;
}

/** Why a message did not reach its endpoint, or its dead-letter queue. */
export interface Cause {
  readonly kind: /** The endpoint is gone or refuses: no retry. */
    | 'client-error'
    /** Every retry of the schedule failed as well. */
    | 'retries-exhausted'
    /** The subscription's throttle would have held it for longer than an hour. */
    | 'held-too-long'
    /** The subscription was deleted while the message waited for a retry. */
    | 'unsubscribed';
  /** Of the last attempt, where it was answered. */
  readonly statusCode?: number;
  readonly errorCode?: string;
  /** In words. */
  readonly reason: string;
}

/** Which rule of a filter policy turned a message away, after the metric that counts it. */
export type FilterReason =
  | 'MessageAttributes'
  | 'NoMessageAttributes'
  | 'InvalidAttributes'
  | 'MessageBody'
  | 'InvalidMessageBody';

/** What SNS writes down. From a `published` every confirmed subscriber reaches exactly one of filtered, delivered, dead-lettered and lost. */
export type SnsTraceEvent =
  | { readonly type: 'sns.topic-created'; readonly topicArn: string }
  | { readonly type: 'sns.topic-deleted'; readonly topicArn: string }
  | {
      readonly type: 'sns.subscribed';
      readonly topicArn: string;
      readonly subscriptionArn: string;
      readonly protocol: Protocol;
      readonly endpoint: string;
      /** Whether it waits for its endpoint to confirm. */
      readonly pending: boolean;
    }
  | {
      /** The endpoint was asked to confirm, or offered the subscription back that was deleted. */
      readonly type: 'sns.confirmation-attempt';
      readonly topicArn: string;
      readonly subscriptionArn: string;
      readonly messageType: 'SubscriptionConfirmation' | 'UnsubscribeConfirmation';
      readonly attempt: number;
      readonly outcome: 'delivered' | 'retry' | 'dead';
      readonly reason: string;
    }
  | { readonly type: 'sns.confirmed'; readonly topicArn: string; readonly subscriptionArn: string }
  | { readonly type: 'sns.unsubscribed'; readonly topicArn: string; readonly subscriptionArn: string }
  | {
      readonly type: 'sns.published';
      readonly topicArn: string;
      readonly messageId: string;
      /** Of the message and its attributes. */
      readonly sizeBytes: number;
    }
  | {
      /** A FIFO topic had this message already, under the same deduplication id: it was answered, and goes nowhere. */
      readonly type: 'sns.deduplicated';
      readonly topicArn: string;
      /** Of the first one. */
      readonly messageId: string;
      readonly deduplicationId: string;
    }
  | Refused<'sns'>
  | ({ readonly type: 'sns.filtered'; readonly reason: FilterReason } & SubscriberMessage)
  | ({
      readonly type: 'sns.attempt';
      readonly protocol: Protocol;
      /** 1 for the initial attempt, one more for each retry. */
      readonly attempt: number;
      readonly outcome: 'delivered' | 'retry' | 'dead';
      readonly reason: string;
      /** Before the next attempt, where there is one. */
      readonly delaySeconds?: number;
    } & SubscriberMessage)
  | ({ readonly type: 'sns.delivered'; readonly protocol: Protocol; readonly attempts: number } & SubscriberMessage)
  | ({
      /** The dead-letter queue did not take the message. */
      readonly type: 'sns.redrive-attempt';
      readonly deadLetterQueueArn: string;
      readonly attempt: number;
      readonly outcome: 'retry' | 'dead';
      readonly reason: string;
      readonly delaySeconds?: number;
    } & SubscriberMessage)
  | ({
      readonly type: 'sns.dead-lettered';
      readonly protocol: Protocol;
      readonly deadLetterQueueArn: string;
      /** To the endpoint. */
      readonly attempts: number;
      readonly cause: Cause;
    } & SubscriberMessage)
  | ({
      readonly type: 'sns.lost';
      readonly protocol: Protocol;
      readonly attempts: number;
      readonly cause: Cause;
      /** Why the dead-letter queue did not take it, where the subscription has one. */
      readonly redriveFailure?: string;
    } & SubscriberMessage)
  | ({ readonly type: 'sns.direct-published'; readonly sizeBytes: number } & Direct)
  | ({
      readonly type: 'sns.direct-attempt';
      readonly attempt: number;
      readonly outcome: 'delivered' | 'retry' | 'dead';
      readonly reason: string;
      readonly delaySeconds?: number;
    } & Direct)
  | ({ readonly type: 'sns.direct-delivered'; readonly attempts: number } & Direct)
  | ({ readonly type: 'sns.direct-lost'; readonly attempts: number; readonly cause: Cause } & Direct)
  | {
      /** A delivery-status record that could not be written. */
      readonly type: 'sns.status-log-refused';
      /** Missing where no topic was published to. */
      readonly topicArn?: string;
      readonly logGroupName: string;
      readonly roleArn: string;
      readonly reason: string;
    };
