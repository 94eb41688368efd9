import type { IAlarmAction } from 'aws-cdk-lib/aws-cloudwatch';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type {
  DeliveryPolicy,
  FilterOrPolicy,
  Subscription,
  SubscriptionFilter,
  SubscriptionProtocol,
} from 'aws-cdk-lib/aws-sns';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { asDeadLetterQueue } from '../queue/feed';
import type { IDeadLetterQueue } from '../queue/i-dead-letter-queue';
import { subscriberDestination } from '../redrive/i-redrive-destination';
import { Redrive } from '../redrive/redrive';
import type { RedriveOptions } from '../redrive/redrive-props';
import type { HttpRelay } from '../relay/http-relay';

/**
 * What every delivery of a `DurableTopic` or an `ImportedTopic` may state.
 *
 * What is delivered to may be of another account: made in a stack of that account, it is subscribed there, which the topic's
 * policy then allows, and its dead-letter queue is there too. Imported into a stack of the topic's account, it must confirm:
 * the warning `dead-letter-office:confirmation-needed` says so. A queue or function may be in another Region, and needs a
 * dead-letter queue in the topic's; what SNS does not deliver across Regions gets the warning
 * `dead-letter-office:cross-region-unsupported`.
 */
export interface TopicDeliveryOptions {
  /**
   * The queue that keeps what could not be delivered: in the topic's Region and the subscription's account, FIFO where
   * a FIFO topic delivers to a FIFO queue, and standard elsewhere: a FIFO one for what a FIFO topic delivers to a standard
   * queue gets the warning `dead-letter-office:dead-letter-queue-of-another-type`. Pass one to share it, or to set its
   * properties.
   *
   * A `DeadLetterQueue` brings its policies and its alarms, and an `ImportedDeadLetterQueue` does so for one that was made
   * elsewhere. Any other queue gets the policies, and the warning `dead-letter-office:dead-letters-unwatched`; where its
   * policy cannot be written from here, the synthesis fails and says what to add by hand.
   *
   * One of its own stays, with its letters, when the delivery is renamed or removed.
   *
   * @default - a `DeadLetterQueue` of its own, with the topic's alarm actions, and with the topic's key, or, in another
   * account, where nobody could read by that key, a key of SQS
   */
  readonly deadLetterQueue?: IQueue;

  /**
   * Who is told when an alarm of the delivery's own dead-letter queue fires; not together with `deadLetterQueue`. For one
   * in another account, pass an `OpsTopic` of that account: the topic's is refused there.
   *
   * @default - the topic's alarm actions
   */
  readonly alarmActions?: IAlarmAction[];

  /**
   * The messages wanted, by their attributes. The others are neither delivered nor dead-lettered. At most 5 names and
   * 150 combinations of values.
   *
   * @default - all messages
   * @see https://docs.aws.amazon.com/sns/latest/dg/sns-message-filtering.html
   */
  readonly filterPolicy?: { [attribute: string]: SubscriptionFilter };

  /**
   * The messages wanted, by members of their JSON body; not together with `filterPolicy`.
   *
   * @default - all messages
   */
  readonly filterPolicyWithMessageBody?: { [attribute: string]: FilterOrPolicy };
}

/**
 * How a topic delivers to a queue. Where the policy of the queue or of its key cannot be written because it was created
 * elsewhere, the delivery gets the warning `dead-letter-office:queue-policy-not-writable` or
 * `dead-letter-office:key-policy-not-writable`, each with the statement to add there. A queue of the app without a dead-letter
 * queue loses what its consumer fails on, and gets the delivery the warning `dead-letter-office:queue-keeps-nothing`; a
 * `ProcessingQueue` has one.
 */
export interface QueueDeliveryOptions extends TopicDeliveryOptions {
  /**
   * Whether the queue gets the message alone, with its attributes as SQS message attributes, and no JSON envelope.
   * A message with more than 10 attributes is then a dead letter.
   *
   * @default false
   * @see https://docs.aws.amazon.com/sns/latest/dg/sns-large-payload-raw-message-delivery.html
   */
  readonly rawMessageDelivery?: boolean;
}

/**
 * How a topic delivers to a function. One of the app with neither a `FunctionFailures` nor a dead-letter queue or on-failure
 * destination of its own gets the delivery the warning `dead-letter-office:function-keeps-nothing`. One that was created
 * elsewhere gets it the warning `dead-letter-office:function-policy-not-writable`, with the statement to add there; what it
 * keeps is not known.
 */
export interface FunctionDeliveryOptions extends TopicDeliveryOptions {}

/** How a topic delivers to an HTTP or HTTPS endpoint. */
export interface EndpointDeliveryOptions extends TopicDeliveryOptions {
  /**
   * Whether the endpoint gets the message alone, without its JSON envelope and without its attributes.
   *
   * @default false
   */
  readonly rawMessageDelivery?: boolean;

  /**
   * `SubscriptionProtocol.HTTPS` or `SubscriptionProtocol.HTTP`, for a URL whose scheme is not known before deployment.
   *
   * @default - the URL's scheme; HTTPS where a token hides it
   */
  readonly protocol?: SubscriptionProtocol;

  /**
   * When and how often a failed delivery is tried again, for 3,600 seconds in all at most.
   *
   * @default - three retries, 20 seconds apart, or the topic's own delivery policy
   * @see https://docs.aws.amazon.com/sns/latest/dg/sns-message-delivery-retries.html
   */
  readonly deliveryPolicy?: DeliveryPolicy;

  /**
   * The relay that goes on where SNS gives up: its queue is the delivery's dead-letter queue, so that what SNS could not
   * deliver is tried by the relay's schedule from then on, and only what the relay gives up is a dead letter, in the relay's
   * own dead-letter queue. Not together with `deadLetterQueue` or `alarmActions`, nor with `rawMessageDelivery`: a dead letter
   * then has no envelope, and the relay needs one.
   *
   * @default - what SNS could not deliver is kept in `deadLetterQueue`
   */
  readonly retryWith?: HttpRelay;
}

/**
 * How a topic delivers to a Firehose stream. SNS tries again for 23 days, and for 6 hours where Firehose throttles. What the
 * stream has taken is Firehose's to deliver, or to back up: SNS knows no more of it.
 */
export interface FirehoseDeliveryOptions extends TopicDeliveryOptions {
  /**
   * Whether a record is the message alone, without its JSON envelope and without its attributes.
   *
   * @default false
   * @see https://docs.aws.amazon.com/sns/latest/dg/sns-large-payload-raw-message-delivery.html
   */
  readonly rawMessageDelivery?: boolean;
}

/**
 * How a topic delivers to a mailbox. Above 10 messages a second SNS suspends the subscription, which must then be confirmed
 * anew. An address that bounced gets nothing for 7 days. Anybody who has one of the mails can unsubscribe by the link in it.
 * SNS cannot log e-mail, so of each dead letter only the queue tells.
 */
export interface EmailDeliveryOptions extends TopicDeliveryOptions {
  /**
   * Whether a mail holds the JSON envelope, for programs to read, in place of the message's text.
   *
   * @default false
   */
  readonly json?: boolean;
}

/**
 * How a topic delivers to a phone, as text messages. A phone that opted out, by answering STOP, stays subscribed: each message
 * to it is a dead letter, until it is opted in again, which SNS allows every 30 days. So is each message beyond the account's
 * monthly spend limit, and, while the account is in the SMS sandbox, each one to a number it has not verified. SNS can log no
 * text message of a subscription, so of each dead letter only the queue tells.
 */
export interface SmsDeliveryOptions extends TopicDeliveryOptions {}

/**
 * How a topic delivers to a mobile device, as push notifications. When the push service says that the device's token is no
 * longer good, SNS disables the endpoint, and each message to it is a dead letter until it is enabled again with a new token.
 */
export interface PushDeliveryOptions extends TopicDeliveryOptions {}

/** What makes a delivery. */
export interface TopicDeliveryProps {
  /**
   * What tells it from the topic's other deliveries: the id given to `deliverTo…`. A subscription that was added by
   * `addSubscription` has the unique id of its construct.
   */
  readonly id: string;

  /** How SNS delivers. */
  readonly protocol: SubscriptionProtocol;

  /** The subscription. */
  readonly subscription: Subscription;

  /** Keeps what could not be delivered. */
  readonly deadLetterQueue: IQueue;

  /** The queue delivered to. @default - it delivers to something else, or to a queue known by its ARN alone */
  readonly queue?: IQueue;

  /** The function delivered to. @default - it delivers to something else, or to a function known by its ARN alone */
  readonly handler?: IFunction;

  /** The URL delivered to, which may hold credentials. @default - it delivers by something else than HTTP/S */
  readonly url?: string;

  /** Whether the message is delivered alone, without its JSON envelope. @default false */
  readonly rawMessageDelivery?: boolean;
}

/**
 * One delivery of a topic: the subscription, the queue that keeps what it could not deliver, and to whom it delivers, so
 * that what was kept can be brought there after all.
 */
export class TopicDelivery {
  /**
   * What tells it from the topic's other deliveries: the id given to `deliverTo…`. A subscription that was added by
   * `addSubscription` has the unique id of its construct.
   */
  public readonly id: string;
  /** How SNS delivers. */
  public readonly protocol: SubscriptionProtocol;
  /** The subscription. */
  public readonly subscription: Subscription;
  /** Keeps what could not be delivered; a `DeadLetterQueue` unless you passed another kind. There always is one. */
  public readonly deadLetterQueue: IQueue;
  /** The queue delivered to; undefined where it is something else, or a queue known by its ARN alone. */
  public readonly queue?: IQueue;
  /** The function delivered to; undefined where it is something else, or a function known by its ARN alone. */
  public readonly handler?: IFunction;
  /** The URL delivered to, which may hold credentials; undefined where it delivers by something else than HTTP/S. */
  public readonly url?: string;
  /** Whether the message is delivered alone, without its JSON envelope: a dead letter looks as what was delivered. */
  public readonly rawMessageDelivery: boolean;

  constructor(props: TopicDeliveryProps) {
    this.id = props.id;
    this.protocol = props.protocol;
    this.subscription = props.subscription;
    this.deadLetterQueue = props.deadLetterQueue;
    this.queue = props.queue;
    this.handler = props.handler;
    this.url = props.url;
    this.rawMessageDelivery = props.rawMessageDelivery ?? false;
  }

  /** The dead-letter queue with its alarms and grants; undefined where you passed one that has none. */
  public get watchedDeadLetters(): IDeadLetterQueue | undefined {
    return asDeadLetterQueue(this.deadLetterQueue);
  }
  /**
   * Has what SNS could not deliver brought to the queue or function it was for: a `Redrive`. For an endpoint, make a `Redrive`
   * yourself whose destination is a relay.
   *
   * @throws if the delivery is neither to a queue nor to a function that is known as such
   */
  public redriveDeadLetters(scope: Construct, id: string, options?: RedriveOptions): Redrive {
    const from = { deadLetterQueue: this.deadLetterQueue, destination: subscriberDestination(this) };
    return new Redrive(scope, id, { ...options, ...from });
  }
}
