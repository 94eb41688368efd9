import type { FilterReason } from '../../policy/filter/filter-policy';
import type { Protocol } from '../../policy/outcome/protocol';
import type { Refused } from '../kernel/service-api';

interface SubscriberMessage {
  readonly topicArn: string;
  readonly messageId: string;
  readonly subscriptionArn: string;
}

/** A message published directly to one phone or device. */
interface Direct {
  readonly protocol: 'application' | 'sms';
  /** A phone number, or the ARN of a device. */
  readonly endpoint: string;
  readonly messageId: string;
}

/** Why a message did not reach its endpoint or its dead-letter queue. */
export interface Cause {
  readonly kind: /** The endpoint does not exist or refuses the message. SNS does not retry it. */
    | 'client-error'
    /** The first attempt and all retries failed. */
    | 'retries-exhausted'
    /** The throttle policy of the subscription would have held the message for more than an hour. */
    | 'held-too-long'
    /** The subscription was deleted while the message waited for a retry. */
    | 'unsubscribed';
  /** From the last attempt that got a response. */
  readonly statusCode?: number;
  readonly errorCode?: string;
  /** For people. */
  readonly reason: string;
}

/** Why a topic had no confirmed subscription when a message was published. */
export type UnreceivedReason =
  /** A subscription that received its messages has been deleted. */
  | 'unsubscribed'
  /** No endpoint has confirmed its subscription yet. */
  | 'unconfirmed'
  | 'never-subscribed';

/**
 * The trace events of SNS. After `sns.published`, each confirmed subscription records exactly one of `filtered`,
 * `delivered`, `dead-lettered` and `lost`. `unreceived` follows if there is no confirmed subscription.
 */
export type SnsTraceEvent =
  | { readonly type: 'sns.topic-created'; readonly topicArn: string }
  | { readonly type: 'sns.topic-deleted'; readonly topicArn: string }
  | {
      readonly type: 'sns.subscribed';
      readonly topicArn: string;
      readonly subscriptionArn: string;
      readonly protocol: Protocol;
      readonly endpoint: string;
      /** Whether the endpoint must confirm it first. */
      readonly pending: boolean;
    }
  | {
      /** SNS sent a subscription confirmation or an unsubscribe confirmation. */
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
      readonly sizeBytes: number;
    }
  | {
      /** SNS accepted a message and dropped it, because the topic had no confirmed subscription. */
      readonly type: 'sns.unreceived';
      readonly topicArn: string;
      readonly messageId: string;
      readonly reason: UnreceivedReason;
    }
  | {
      /** A FIFO topic ignored a message with a deduplication id that it had seen. */
      readonly type: 'sns.deduplicated';
      readonly topicArn: string;
      readonly messageId: string;
      readonly deduplicationId: string;
    }
  | Refused<'sns'>
  | ({ readonly type: 'sns.filtered'; readonly reason: FilterReason } & SubscriberMessage)
  | ({
      readonly type: 'sns.attempt';
      readonly protocol: Protocol;
      /** 1 for the initial attempt, 2 for the first retry. */
      readonly attempt: number;
      readonly outcome: 'delivered' | 'retry' | 'dead';
      readonly reason: string;
      /** Delay before the next attempt, if there is one. */
      readonly delaySeconds?: number;
    } & SubscriberMessage)
  | ({ readonly type: 'sns.delivered'; readonly protocol: Protocol; readonly attempts: number } & SubscriberMessage)
  | ({
      /** An attempt to send to the dead-letter queue failed. */
      readonly type: 'sns.dead-letter-attempt';
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
      /** Attempts to deliver to the endpoint. */
      readonly attempts: number;
      readonly cause: Cause;
    } & SubscriberMessage)
  | ({
      readonly type: 'sns.lost';
      readonly protocol: Protocol;
      readonly attempts: number;
      readonly cause: Cause;
      /** Why the dead-letter queue did not accept it, if the subscription has one. */
      readonly deadLetterFailure?: string;
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
      /** SNS could not write a delivery-status record. */
      readonly type: 'sns.status-log-refused';
      /** Missing for a message published directly to a phone or device. */
      readonly topicArn?: string;
      readonly logGroupName: string;
      readonly roleArn: string;
      readonly reason: string;
    };
