import type {
  DeliveryPolicy,
  FilterOrPolicy,
  Subscription,
  SubscriptionFilter,
  SubscriptionProtocol,
} from 'aws-cdk-lib/aws-sns';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';

/** What every delivery of a `DurableTopic` may state. */
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
   * One of its own is deleted with the delivery, when that is renamed or removed, and so are the dead letters in it.
   *
   * @default - a `DeadLetterQueue` of its own, with the topic's alarm actions, and with the topic's key, or, in another
   * account, where nobody could read by that key, a key of SQS
   */
  readonly deadLetterQueue?: IQueue;

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

/** How a topic delivers to a queue. */
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

/** How a topic delivers to a function. */
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
}

/** How a topic delivers to a Firehose stream. */
export interface FirehoseDeliveryOptions extends TopicDeliveryOptions {
  /**
   * Whether a record is the message alone, without its JSON envelope and without its attributes.
   *
   * @default false
   * @see https://docs.aws.amazon.com/sns/latest/dg/sns-large-payload-raw-message-delivery.html
   */
  readonly rawMessageDelivery?: boolean;
}

/** How a topic delivers to a mailbox. */
export interface EmailDeliveryOptions extends TopicDeliveryOptions {
  /**
   * Whether a mail holds the JSON envelope, for programs to read, in place of the message's text.
   *
   * @default false
   */
  readonly json?: boolean;
}

/** How a topic delivers to a phone, as text messages. */
export interface SmsDeliveryOptions extends TopicDeliveryOptions {}

/** How a topic delivers to a mobile device, as push notifications. */
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
}

/** One delivery of a topic: the subscription, and the queue that keeps what it could not deliver. */
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

  constructor(props: TopicDeliveryProps) {
    this.id = props.id;
    this.protocol = props.protocol;
    this.subscription = props.subscription;
    this.deadLetterQueue = props.deadLetterQueue;
  }
}
