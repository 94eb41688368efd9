import type { IAlarmAction } from 'aws-cdk-lib/aws-cloudwatch';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import {
  type DeliveryPolicy,
  type FilterOrPolicy,
  type Subscription,
  type SubscriptionFilter,
  SubscriptionProtocol,
} from 'aws-cdk-lib/aws-sns';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { asDeadLetterQueue } from '../queue/feeder-registry';
import type { IDeadLetterQueue } from '../queue/i-dead-letter-queue';
import { subscriberDestination } from '../redrive/i-redrive-destination';
import { Redrive } from '../redrive/redrive';
import type { RedriveOptions } from '../redrive/redrive-props';
import { REDRIVE_OPTIONS } from '../redrive/redrive-shapes';
import type { HttpRelay } from '../relay/http-relay';
import { FUNCTION, QUEUE } from '../shared/cdk-shapes';
import {
  BOOLEAN,
  checkArguments,
  checkProps,
  enumValue,
  having,
  optional,
  SCOPE,
  struct,
  TEXT,
} from '../shared/shapes';

/**
 * Options of every delivery of a `DurableTopic` or an `ImportedTopic`.
 *
 * The endpoint may be in another account. If it is created in a stack of that account, the subscription and its
 * dead-letter queue are created there too, and the topic policy allows it. If it is imported into a stack of the
 * topic's account, its owner must confirm the subscription: the warning `dead-letter-office:confirmation-needed` says
 * so. A queue or function may be in another Region. It then needs a dead-letter queue in the topic's Region.
 * Unsupported cross-Region deliveries get the warning `dead-letter-office:cross-region-unsupported`.
 */
export interface TopicDeliveryOptions {
  /**
   * The queue for messages that could not be delivered. It must be in the topic's Region and the subscription's
   * account. It must be FIFO if a FIFO topic delivers to a FIFO queue, and standard otherwise. A FIFO one for a
   * delivery from a FIFO topic to a standard queue gets the warning
   * `dead-letter-office:dead-letter-queue-of-another-type`. Pass a queue to share it, or to set its properties.
   *
   * A `DeadLetterQueue` creates its policies and alarms, and so does an `ImportedDeadLetterQueue` for a queue that this
   * app does not create. Any other queue gets the policies, and the warning
   * `dead-letter-office:dead-letters-unwatched`. If this app cannot change its policy, the synthesis fails and shows
   * the statement to add.
   *
   * The delivery's own queue is retained, with its messages, when the delivery is renamed or removed.
   *
   * @default - a `DeadLetterQueue` of its own, with the topic's alarm actions and the topic's key, or that of the topic
   * if it has `sharedDeadLetterQueue`, or that of the relay for a relay in the account and Region of the topic. In
   * another account, where no principal could decrypt with that key, it uses a key
   * of SQS
   */
  readonly deadLetterQueue?: IQueue;

  /**
   * The actions of the alarms of the delivery's own dead-letter queue; not together with `deadLetterQueue`, nor where
   * the topic has `sharedDeadLetterQueue`. For a
   * delivery in another account, pass an `OpsTopic` of that account, because the topic's own actions are rejected
   * there.
   *
   * @default - the topic's alarm actions
   */
  readonly alarmActions?: IAlarmAction[];

  /**
   * A filter on message attributes. Messages that do not match are neither delivered nor dead-lettered. At most 5 names
   * and 150 combinations of values.
   *
   * @default - all messages
   * @see https://docs.aws.amazon.com/sns/latest/dg/sns-message-filtering.html
   */
  readonly filterPolicy?: { [attribute: string]: SubscriptionFilter };

  /**
   * A filter on members of the JSON body; not together with `filterPolicy`.
   *
   * @default - all messages
   */
  readonly filterPolicyWithMessageBody?: { [attribute: string]: FilterOrPolicy };
}

/**
 * How a topic delivers to a queue. If this app cannot change the policy of the queue or of its key, the delivery gets
 * the warning `dead-letter-office:queue-policy-not-writable` or `dead-letter-office:key-policy-not-writable`, with the
 * statement to add. A queue of the app without a dead-letter queue loses the messages its consumer fails on, and the
 * delivery gets the warning `dead-letter-office:queue-keeps-nothing`. A `ProcessingQueue` has a dead-letter queue.
 */
export interface QueueDeliveryOptions extends TopicDeliveryOptions {
  /**
   * Whether the queue gets only the message, with its attributes as SQS message attributes and without the JSON
   * envelope. A message with more than 10 attributes then becomes a dead letter.
   *
   * @default false
   * @see https://docs.aws.amazon.com/sns/latest/dg/sns-large-payload-raw-message-delivery.html
   */
  readonly rawMessageDelivery?: boolean;
}

/**
 * How a topic delivers to a function. If a function of the app has neither a `FunctionFailures` nor a dead-letter queue
 * or on-failure destination of its own, the delivery gets the warning `dead-letter-office:function-keeps-nothing`. An
 * imported function gets the warning `dead-letter-office:function-policy-not-writable`, with the statement to add;
 * whether it keeps failed events is not known.
 */
export interface FunctionDeliveryOptions extends TopicDeliveryOptions {}

/** How a topic delivers to an HTTP or HTTPS endpoint. */
export interface EndpointDeliveryOptions extends TopicDeliveryOptions {
  /**
   * Whether the endpoint gets only the message, without the JSON envelope and without its attributes.
   *
   * @default false
   */
  readonly rawMessageDelivery?: boolean;

  /**
   * `SubscriptionProtocol.HTTPS` or `SubscriptionProtocol.HTTP`, for a URL whose scheme is not known before deployment.
   *
   * @default - the scheme of the URL; HTTPS if the URL is a token
   */
  readonly protocol?: SubscriptionProtocol;

  /**
   * When and how often SNS retries a failed delivery, for at most 3,600 seconds in all.
   *
   * @default - three retries, 20 seconds apart, or the topic's own delivery policy
   * @see https://docs.aws.amazon.com/sns/latest/dg/sns-message-delivery-retries.html
   */
  readonly deliveryPolicy?: DeliveryPolicy;

  /**
   * A relay that continues after SNS's retries. Its queue is the delivery's dead-letter queue, so messages that SNS
   * could not deliver are retried by the relay's schedule. Only messages that the relay gives up on go to its own
   * dead-letter queue. Not together with `deadLetterQueue` or `alarmActions`, nor with `rawMessageDelivery`, because
   * the relay needs the envelope.
   *
   * @default - messages that SNS could not deliver go to `deadLetterQueue`
   */
  readonly retryWith?: HttpRelay;
}

/**
 * How a topic delivers to a Firehose stream. SNS retries for 23 days, or for 6 hours if Firehose throttles. Once the
 * stream has accepted a message, Firehose delivers it or backs it up, and SNS does not see the result.
 */
export interface FirehoseDeliveryOptions extends TopicDeliveryOptions {
  /**
   * Whether a record contains only the message, without the JSON envelope and without its attributes.
   *
   * @default false
   * @see https://docs.aws.amazon.com/sns/latest/dg/sns-large-payload-raw-message-delivery.html
   */
  readonly rawMessageDelivery?: boolean;
}

/**
 * How a topic delivers to an email address. Above 10 messages per second SNS suspends the subscription, which must then
 * be confirmed again. An address that bounced gets nothing for 7 days. Any reader of an email can unsubscribe with the
 * link in it. SNS cannot log email, so only the dead-letter queue shows failed deliveries.
 */
export interface EmailDeliveryOptions extends TopicDeliveryOptions {
  /**
   * Whether an email contains the JSON envelope, for programs, instead of the message text.
   *
   * @default false
   */
  readonly json?: boolean;
}

/**
 * How a topic delivers to a phone, as text messages. A phone that opted out, by answering STOP, stays subscribed. Each
 * message to it becomes a dead letter until it is opted in again, which SNS allows every 30 days. So does each message
 * beyond the account's monthly spend limit and, while the account is in the SMS sandbox, each message to an unverified
 * number. SNS cannot log text messages of a subscription, so only the dead-letter queue shows failed deliveries.
 */
export interface SmsDeliveryOptions extends TopicDeliveryOptions {}

/**
 * How a topic delivers to a mobile device, as push notifications. If the push service reports that the device's token
 * is invalid, SNS disables the endpoint. Each message to it becomes a dead letter until it is enabled again with a new
 * token.
 */
export interface PushDeliveryOptions extends TopicDeliveryOptions {}

/** Properties of a `TopicDelivery`. */
export interface TopicDeliveryProps {
  /**
   * The id passed to `deliverTo…`, unique within the topic. A subscription added with `addSubscription` has the unique
   * id of its construct.
   */
  readonly id: string;

  /** The protocol of the subscription. */
  readonly protocol: SubscriptionProtocol;

  /** The subscription. */
  readonly subscription: Subscription;

  /** The queue for messages that could not be delivered. */
  readonly deadLetterQueue: IQueue;

  /** The subscribed queue. @default - the endpoint is not a queue, or is a queue known only by its ARN */
  readonly queue?: IQueue;

  /** The subscribed function. @default - the endpoint is not a function, or is a function known only by its ARN */
  readonly handler?: IFunction;

  /** The subscribed URL, which may contain credentials. @default - the protocol is not HTTP/S */
  readonly url?: string;

  /** Whether the message is delivered without its JSON envelope. @default false */
  readonly rawMessageDelivery?: boolean;
}

const PROPS = struct<TopicDeliveryProps>({
  id: TEXT,
  protocol: enumValue('SubscriptionProtocol', SubscriptionProtocol),
  subscription: having<Subscription>('a Subscription', 'node', 'deadLetterQueue'),
  deadLetterQueue: QUEUE,
  queue: optional(QUEUE),
  handler: optional(FUNCTION),
  url: optional(TEXT),
  rawMessageDelivery: optional(BOOLEAN),
});

/**
 * One delivery of a topic: the subscription, its dead-letter queue, and its endpoint, to which dead letters can be
 * redriven.
 */
export class TopicDelivery {
  /**
   * The id passed to `deliverTo…`, unique within the topic. A subscription added with `addSubscription` has the unique
   * id of its construct.
   */
  public readonly id: string;
  /** The protocol of the subscription. */
  public readonly protocol: SubscriptionProtocol;
  /** The subscription. */
  public readonly subscription: Subscription;
  /**
   * The queue for messages that could not be delivered; a `DeadLetterQueue` unless you passed another kind. It always
   * exists.
   */
  public readonly deadLetterQueue: IQueue;
  /** The subscribed queue; undefined if the endpoint is not a queue, or is known only by its ARN. */
  public readonly queue?: IQueue;
  /** The subscribed function; undefined if the endpoint is not a function, or is known only by its ARN. */
  public readonly handler?: IFunction;
  /** The subscribed URL, which may contain credentials; undefined if the protocol is not HTTP/S. */
  public readonly url?: string;
  /**
   * Whether the message is delivered without its JSON envelope. A dead letter has the same format as a delivered
   * message.
   */
  public readonly rawMessageDelivery: boolean;

  /** @throws one error that names each property that is absent or has the wrong shape, the rule and the value */
  constructor(props: TopicDeliveryProps) {
    checkProps('TopicDelivery', props, PROPS);
    this.id = props.id;
    this.protocol = props.protocol;
    this.subscription = props.subscription;
    this.deadLetterQueue = props.deadLetterQueue;
    this.queue = props.queue;
    this.handler = props.handler;
    this.url = props.url;
    this.rawMessageDelivery = props.rawMessageDelivery ?? false;
  }

  /** The dead-letter queue with its alarms and grants; undefined if you passed a queue without them. */
  public get watchedDeadLetters(): IDeadLetterQueue | undefined {
    return asDeadLetterQueue(this.deadLetterQueue);
  }
  /**
   * Creates a `Redrive` that moves messages which SNS could not deliver to the subscribed queue or function. For an
   * endpoint, create a `Redrive` yourself with a relay as destination.
   *
   * @throws if the delivery is neither to a queue nor to a function that is known as such
   */
  public redriveDeadLetters(scope: Construct, id: string, options?: RedriveOptions): Redrive {
    checkArguments(
      this.subscription,
      { scope, id, options },
      { scope: SCOPE, id: TEXT, options: optional(REDRIVE_OPTIONS) },
    );
    const from = { deadLetterQueue: this.deadLetterQueue, destination: subscriberDestination(this) };
    return new Redrive(scope, id, { ...options, ...from });
  }
}
