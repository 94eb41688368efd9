import type { Alarm, IAlarm, IAlarmAction, Metric, MetricOptions } from 'aws-cdk-lib/aws-cloudwatch';
import type { AddToResourcePolicyResult, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IDeliveryStream } from 'aws-cdk-lib/aws-kinesisfirehose';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { type ITopic, type ITopicSubscription, type Subscription, TopicBase } from 'aws-cdk-lib/aws-sns';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import type { RelayFleet } from '../fleet/relay-fleet';
import { deadLetterQueuesOf, topicSection } from '../operations/dashboard-sections';
import type { DashboardSection, IWatched } from '../operations/i-watched';
import type { HttpRelay } from '../relay/http-relay';
import type { RelayedEndpointOptions } from '../relay/http-relay-props';
import { ALARM_SET, type AlarmSet, useAlarms } from '../shared/alarm-set';
import { ALARM_ACTIONS, TOPIC } from '../shared/cdk-shapes';
import { pathOf, throwProblems } from '../shared/checks';
import { BOOLEAN, checkNew, optional, struct } from '../shared/shapes';
import { DeliveryBuilder } from './delivery-builder';
import { sharedQueueOfFifoProblems } from './durable-topic-props';
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
  /**
   * The topic: from `Topic.fromTopicArn`, or from `Topic.fromTopicAttributes` if you publish to it and it has a key.
   */
  readonly topic: ITopic;

  /**
   * Which alarms are created for the topic and the dead-letter queues and relays it creates.
   *
   * @default - that of the construct around it or of `AlarmDefaults`, and otherwise `AlarmSet.ESSENTIAL`
   */
  readonly alarms?: AlarmSet;

  /**
   * The actions of this stack's alarms on the topic, and of the dead-letter queues created for deliveries, for example
   * an `OpsTopic`. At most 5, in the Region of the alarm.
   *
   * @default - none, and the warning `dead-letter-office:alarm-tells-nobody` says so
   */
  readonly alarmActions?: IAlarmAction[];

  /**
   * Whether all deliveries of this app that pass no `deadLetterQueue` share one dead-letter queue, as on a
   * `DurableTopic`. Not for a FIFO topic, nor for a topic in another Region.
   *
   * @default false
   */
  readonly sharedDeadLetterQueue?: boolean;
}

const PROPS = struct<ImportedTopicProps>({
  topic: TOPIC,
  alarms: optional(ALARM_SET),
  alarmActions: optional(ALARM_ACTIONS),
  sharedDeadLetterQueue: optional(BOOLEAN),
});

/**
 * A topic of another stack, team or account. The subscriptions of this app are checked, have a dead-letter queue that
 * is reachable and monitored, and depend on that queue's policy. Its methods are those of a `DurableTopic`.
 *
 * The topic itself does not change. Its owner must provide:
 *
 * - delivery-status logging, without which nothing shows why SNS gave up on a message;
 * - a delivery policy for all endpoints, which may override that of a delivery here;
 * - in another account, permission to subscribe: the warning `dead-letter-office:topic-of-another-account` shows the
 *   statement for the topic policy, without which the deployment fails;
 * - in another account or Region, the alarm on messages that SNS could not dead-letter, whose metric this stack cannot
 *   see: the warning `dead-letter-office:losses-counted-elsewhere` names it. Otherwise the alarm is created here, and
 *   reports the losses of all subscriptions of the topic.
 *
 * Duplicate subscriptions and quotas are checked only within this app. `Topic.fromTopicArn` with `addSubscription`, and
 * `DurableTopic.fromTopicArn`, provide none of this.
 *
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-send-message-to-sqs-cross-account.html
 */
export class ImportedTopic extends TopicBase implements IDurableTopic, IWatched {
  /** The ARN of the topic. */
  public readonly topicArn: string;
  /** The name of the topic. */
  public readonly topicName: string;
  /** The key of the topic, if the import named one. Dead-letter queues created here use a key of SQS. */
  public readonly masterKey?: IKey;
  /** Whether the topic is FIFO. */
  public readonly fifo: boolean;
  /** Whether the topic generates deduplication ids from the message body, if the import says so. */
  public readonly contentBasedDeduplication: boolean;

  protected readonly autoCreatePolicy: boolean = false;
  private readonly original: ITopic;
  private readonly watching: TopicAlarms;
  private readonly delivering: DeliveryBuilder;

  /**
   * @throws if there are more than five alarm actions, or one is in another Region, or if a FIFO topic has a
   * `sharedDeadLetterQueue`
   */
  constructor(scope: Construct, id: string, props: ImportedTopicProps) {
    checkNew(scope, id, props, PROPS);
    const { topic, alarmActions = [], sharedDeadLetterQueue = false } = props;
    throwProblems(pathOf(scope, id), sharedQueueOfFifoProblems(sharedDeadLetterQueue, topic.fifo));
    super(scope, id, { account: topic.env.account, region: topic.env.region });
    useAlarms(this, props.alarms);
    this.original = topic;
    this.topicArn = topic.topicArn;
    this.topicName = topic.topicName;
    this.fifo = topic.fifo;
    this.contentBasedDeduplication = topic.contentBasedDeduplication;
    if (topic.masterKey) this.masterKey = topic.masterKey;
    this.watching = new TopicAlarms(this, { alarmActions });
    this.delivering = new DeliveryBuilder(this, { alarms: this.watching, sharedDeadLetterQueue });
  }

  /** Its alarms in this stack, without those of its dead-letter queues. There are none before the first delivery. */
  public get alarms(): IAlarm[] {
    return this.watching.all;
  }

  /**
   * Fires when SNS could not deliver to a dead-letter queue of the topic, and a message is lost; undefined before the
   * first delivery, and if the topic is in another account or Region.
   */
  public get lostMessagesAlarm(): Alarm | undefined {
    return this.watching.lostMessages;
  }

  /** The dead-letter queues of all its subscriptions in this app, in any stack. */
  public get deadLetterQueues(): IQueue[] {
    return deadLetterQueuesOf(this);
  }

  public get deliveries(): TopicDelivery[] {
    return this.delivering.all;
  }

  public deliverToQueue(id: string, queue: IQueue, options: QueueDeliveryOptions = {}): TopicDelivery {
    return this.delivering.toQueue(id, queue, options);
  }

  public deliverToFunction(id: string, handler: IFunction, options: FunctionDeliveryOptions = {}): TopicDelivery {
    return this.delivering.toFunction(id, handler, options);
  }

  public deliverToEndpoint(id: string, url: string, options: EndpointDeliveryOptions = {}): TopicDelivery {
    return this.delivering.toEndpoint(id, url, options);
  }

  public deliverToFirehose(id: string, stream: IDeliveryStream, options: FirehoseDeliveryOptions = {}): TopicDelivery {
    return this.delivering.toFirehose(id, stream, options);
  }

  public deliverToEmail(id: string, address: string, options: EmailDeliveryOptions = {}): TopicDelivery {
    return this.delivering.toEmail(id, address, options);
  }

  public deliverToSms(id: string, phoneNumber: string, options: SmsDeliveryOptions = {}): TopicDelivery {
    return this.delivering.toSms(id, phoneNumber, options);
  }

  public deliverToPush(id: string, endpointArn: string, options: PushDeliveryOptions = {}): TopicDelivery {
    return this.delivering.toPush(id, endpointArn, options);
  }

  public deliverToRelay(id: string, relay: HttpRelay, options: TopicDeliveryOptions = {}): TopicDelivery {
    return this.delivering.toRelay(id, relay, options);
  }

  public deliverToFleet(id: string, fleet: RelayFleet, options: TopicDeliveryOptions = {}): TopicDelivery {
    return this.delivering.toFleet(id, fleet, options);
  }

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

  /**
   * As on the topic that was passed: adds to the policy of a topic of this app, and does nothing for an imported one.
   */
  public override addToResourcePolicy(statement: PolicyStatement): AddToResourcePolicyResult {
    return this.original.addToResourcePolicy(statement);
  }

  public dashboardSection(): DashboardSection {
    return topicSection(this);
  }

  public metricNotificationsRedrivenToDlq(options?: MetricOptions): Metric {
    return redriven(this, options);
  }

  public metricNotificationsFailedToRedriveToDlq(options?: MetricOptions): Metric {
    return failedToRedrive(this, options);
  }
}
