import type { Alarm, IAlarm, IAlarmAction, Metric, MetricOptions } from 'aws-cdk-lib/aws-cloudwatch';
import type { AddToResourcePolicyResult, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IDeliveryStream } from 'aws-cdk-lib/aws-kinesisfirehose';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { type ITopic, type ITopicSubscription, type Subscription, TopicBase } from 'aws-cdk-lib/aws-sns';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { deadLetterQueuesOf, topicSection } from '../operations/dashboard-sections';
import type { DashboardSection, IWatched } from '../operations/i-watched';
import type { HttpRelay } from '../relay/http-relay';
import type { RelayedEndpointOptions } from '../relay/http-relay-props';
import { Deliveries } from './deliveries';
import type { IDurableTopic } from './i-durable-topic';
import { failedToRedrive, redriven, TopicAlarms } from './topic-alarms';
import type {
  EmailDeliveryOptions,
  EndpointDeliveryOptions,
  FirehoseDeliveryOptions,
  FunctionDeliveryOptions,
  PushDeliveryOptions,
  QueueDeliveryOptions,
  SmsDeliveryOptions,
  TopicDelivery,
  TopicDeliveryOptions,
} from './topic-delivery';

/** Properties of an `ImportedTopic`. */
export interface ImportedTopicProps {
  /** The topic: `Topic.fromTopicArn`, or `Topic.fromTopicAttributes` where you publish to it and it has a key. */
  readonly topic: ITopic;

  /**
   * Who is told when an alarm of this stack on the topic, or of a dead-letter queue made for a delivery, fires. An
   * `OpsTopic` is such an action. At most 5, in the Region of the alarm.
   *
   * @default - nobody, and the warning `dead-letter-office:alarm-tells-nobody` says so
   */
  readonly alarmActions?: IAlarmAction[];
}

/**
 * A topic that was made elsewhere, by another stack, team or account: what this app subscribes to it is judged, has a
 * dead-letter queue that can be reached and is watched, and waits for that queue's policy, as on a `DurableTopic`.
 *
 * The topic itself stays as it is. What is its owner's to do:
 *
 * - delivery-status logging, without which nothing says why SNS gave up on a message;
 * - a delivery policy for all endpoints, which may overrule that of a delivery here;
 * - in another account, letting this one subscribe: the warning `dead-letter-office:topic-of-another-account` has the
 *   statement for the topic's policy, without which the deployment fails;
 * - in another account or Region, the alarm on messages that SNS could put into no dead-letter queue, which this stack
 *   cannot see: the warning `dead-letter-office:losses-counted-elsewhere` names the metric. Elsewhere it is made here, and
 *   rings for what any subscription of the topic loses.
 *
 * Whether an endpoint is subscribed already, and how many subscriptions the topic has, is known of this app's alone.
 * `Topic.fromTopicArn` with `addSubscription` has none of that, and so has `DurableTopic.fromTopicArn`.
 *
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-send-message-to-sqs-cross-account.html
 */
export class ImportedTopic extends TopicBase implements IDurableTopic, IWatched {
  /** The ARN of the topic. */
  public readonly topicArn: string;
  /** The name of the topic. */
  public readonly topicName: string;
  /** The key of the topic, where the import named one. Dead-letter queues made here have a key of SQS. */
  public readonly masterKey?: IKey;
  /** Whether the topic is FIFO. */
  public readonly fifo: boolean;
  /** Whether the topic makes deduplication ids of what is published, as far as the import says. */
  public readonly contentBasedDeduplication: boolean;

  protected readonly autoCreatePolicy: boolean = false;
  private readonly original: ITopic;
  private readonly watching: TopicAlarms;
  private readonly delivering: Deliveries;

  /** @throws if there are more than five alarm actions, or one is in another Region */
  constructor(scope: Construct, id: string, props: ImportedTopicProps) {
    const { topic, alarmActions = [] } = props;
    super(scope, id, { account: topic.env.account, region: topic.env.region });
    this.original = topic;
    this.topicArn = topic.topicArn;
    this.topicName = topic.topicName;
    this.fifo = topic.fifo;
    this.contentBasedDeduplication = topic.contentBasedDeduplication;
    if (topic.masterKey) this.masterKey = topic.masterKey;
    this.watching = new TopicAlarms(this, { alarmActions });
    this.delivering = new Deliveries(this, { alarms: this.watching });
  }

  /** Its alarms in this stack; not those of its dead-letter queues. There are none before the first delivery. */
  public get alarms(): IAlarm[] {
    return this.watching.all;
  }

  /**
   * Fires when SNS could not even reach a dead-letter queue of the topic's, and a message is lost; undefined before the
   * first delivery, and where the topic is of another account or Region.
   */
  public get lostMessagesAlarm(): Alarm | undefined {
    return this.watching.lostMessages;
  }

  /** The dead-letter queues of all that is subscribed to it in this app by now, in whatever stack. */
  public get deadLetterQueues(): IQueue[] {
    return deadLetterQueuesOf(this);
  }

  /** Its deliveries made in this app, in order, and the added subscriptions that have a dead-letter queue. */
  public get deliveries(): TopicDelivery[] {
    return this.delivering.all;
  }

  /**
   * As on a `DurableTopic`.
   *
   * @throws one error that names each property SNS would reject, the rule and the value
   */
  public deliverToQueue(id: string, queue: IQueue, options: QueueDeliveryOptions = {}): TopicDelivery {
    return this.delivering.toQueue(id, queue, options);
  }

  /**
   * As on a `DurableTopic`.
   *
   * @throws one error that names each property SNS would reject, the rule and the value
   */
  public deliverToFunction(id: string, handler: IFunction, options: FunctionDeliveryOptions = {}): TopicDelivery {
    return this.delivering.toFunction(id, handler, options);
  }

  /**
   * As on a `DurableTopic`.
   *
   * @throws one error that names each property SNS would reject, the rule and the value
   */
  public deliverToEndpoint(id: string, url: string, options: EndpointDeliveryOptions = {}): TopicDelivery {
    return this.delivering.toEndpoint(id, url, options);
  }

  /**
   * As on a `DurableTopic`.
   *
   * @throws one error that names each property SNS would reject, the rule and the value
   */
  public deliverToFirehose(id: string, stream: IDeliveryStream, options: FirehoseDeliveryOptions = {}): TopicDelivery {
    return this.delivering.toFirehose(id, stream, options);
  }

  /**
   * As on a `DurableTopic`.
   *
   * @throws one error that names each property SNS would reject, the rule and the value
   */
  public deliverToEmail(id: string, address: string, options: EmailDeliveryOptions = {}): TopicDelivery {
    return this.delivering.toEmail(id, address, options);
  }

  /**
   * As on a `DurableTopic`.
   *
   * @throws one error that names each property SNS would reject, the rule and the value
   */
  public deliverToSms(id: string, phoneNumber: string, options: SmsDeliveryOptions = {}): TopicDelivery {
    return this.delivering.toSms(id, phoneNumber, options);
  }

  /**
   * As on a `DurableTopic`.
   *
   * @throws one error that names each property SNS would reject, the rule and the value
   */
  public deliverToPush(id: string, endpointArn: string, options: PushDeliveryOptions = {}): TopicDelivery {
    return this.delivering.toPush(id, endpointArn, options);
  }

  /** Delivers through a relay that is there, by its queue, under `id`: see `deliverToQueue`. */
  public deliverToRelay(id: string, relay: HttpRelay, options: TopicDeliveryOptions = {}): TopicDelivery {
    return this.delivering.toQueue(id, relay.queue, options);
  }

  /** Delivers to an endpoint through an `HttpRelay` made for it, with this topic's key and alarm actions by default. */
  public relayToEndpoint(id: string, url: string, options: RelayedEndpointOptions = {}): HttpRelay {
    return this.delivering.throughRelay(id, url, options);
  }

  /**
   * As on a `DurableTopic`. Without a dead-letter queue it gets the warning `dead-letter-office:no-dead-letter-queue`.
   *
   * @throws one error that names each property SNS would reject, the rule and the value
   */
  public override addSubscription(topicSubscription: ITopicSubscription): Subscription {
    return this.delivering.adopt(topicSubscription, judged => super.addSubscription(judged));
  }

  /** As on the topic that was passed: on one of the app it adds to the policy, on an imported one it does nothing. */
  public override addToResourcePolicy(statement: PolicyStatement): AddToResourcePolicyResult {
    return this.original.addToResourcePolicy(statement);
  }

  /** What an `OpsDashboard` shows of it. */
  public dashboardSection(): DashboardSection {
    return topicSection(this);
  }

  /** Messages moved to a dead-letter queue. Sum over 5 minutes by default. */
  public metricNotificationsRedrivenToDlq(options?: MetricOptions): Metric {
    return redriven(this, options);
  }

  /** Messages that could not be moved to their dead-letter queue, and are lost. Sum over 5 minutes by default. */
  public metricNotificationsFailedToRedriveToDlq(options?: MetricOptions): Metric {
    return failedToRedrive(this, options);
  }
}
