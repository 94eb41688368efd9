import { Duration, Names, type RemovalPolicy, Stack } from 'aws-cdk-lib';
import type { Alarm, IAlarm, Metric, MetricOptions } from 'aws-cdk-lib/aws-cloudwatch';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import { Grant, type IGrantable } from 'aws-cdk-lib/aws-iam';
import { type IKey, Key } from 'aws-cdk-lib/aws-kms';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { CfnTopic, type ITopic, Topic } from 'aws-cdk-lib/aws-sns';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { type DeclaredFeed, FAIR_METADATA, FEED_METADATA, IDLE_METADATA } from '../../diagnosis/cost/declared-usage';
import { QUEUE_LIMITS, VISIBILITY_PER_TIMEOUT } from '../../policy/aws-limits';
import { fleetSection } from '../operations/dashboard-sections';
import type { DashboardSection, IWatched } from '../operations/i-watched';
import { DeadLetterQueue } from '../queue/dead-letter-queue';
import { ProcessingQueue } from '../queue/processing-queue';
import { ownedQueue, registerRelayQueue } from '../queue/queue-checks';
import { warnOfPrivateRanges } from '../relay/relay-checks';
import { RELAY_DEFAULTS } from '../relay/relay-sizing';
import { grantSend } from '../shared/access/grants';
import { AlarmSet, useAlarms, watchPart } from '../shared/alarm-set';
import { Alarms } from '../shared/alarms';
import { GRANTEE } from '../shared/cdk-shapes';
import { pathOf, throwProblems } from '../shared/checks';
import { FleetMetric, fleetMetric } from '../shared/own-metrics';
import { checkArguments, checkNew, enumValue, metricOptions } from '../shared/shapes';
import { EXPIRING, fleetRows, STALLED } from './fleet-alarms';
import { delivererSeconds, FLEET_DEFAULTS, fleetProblems, RELAY_FLEET } from './fleet-checks';
import {
  addDeliverer,
  addDispatcher,
  addProber,
  type ConfiguredFleet,
  DISPATCHER_SECONDS,
  type FleetParts,
  fleetSettings,
  KEPT,
  ofFleet,
  PARKED,
  SENT_AGAIN,
} from './fleet-functions';
import { addFleetTable, existingFleetTable, grantReadTable, grantWriteTable } from './fleet-table';
import type { RelayFleetProps } from './relay-fleet-props';

/**
 * One relay for thousands of HTTP/S endpoints that come and go at run time, such as the webhooks of customers.
 *
 * Topics and senders put events into the events queue. For each event the dispatcher finds the endpoints of its tenant
 * and type, and sends a message for each. The deliverer posts them, signed, by the retry policy of the endpoint. An
 * endpoint that is down gets only probes, its messages wait in the table, and others are not slowed down. A message
 * that an endpoint refuses, or does not accept in time, is in the dead-letter queue with the reason.
 *
 * Endpoints are not part of the template: manage them with `dlo fleet`, or with the typed client of
 * `dead-letter-office/fleet` from a program with `grantManage` and `settings`.
 *
 * Private ranges without a VPC get the warning `dead-letter-office:private-ranges-without-vpc`.
 */
export class RelayFleet extends Construct implements IWatched {
  /** The name of the fleet. */
  public readonly fleetName: string;
  /** The table of endpoints, their states, parked messages and attempts. */
  public readonly table: ITable;
  /** The key that encrypts the data keys, with which the secrets of endpoints are encrypted. */
  public readonly key: IKey;
  /** The queue of events. Subscribe it to topics with `DurableTopic.deliverToFleet`, never with raw message delivery. */
  public readonly eventsQueue: ProcessingQueue;
  /** The queue of messages, one for each event and endpoint. It is a fair queue: the message group is the endpoint. */
  public readonly deliveriesQueue: ProcessingQueue;
  /** The queue of events that are not valid, and of messages that the fleet gave up on, with the reason. */
  public readonly deadLetterQueue: DeadLetterQueue;
  /** The topic that gets a message before an endpoint is disabled and when it is. */
  public readonly noticesTopic: ITopic;
  /** The function that finds the endpoints of events. */
  public readonly dispatcher: LambdaFunction;
  /** The function that posts messages. */
  public readonly deliverer: LambdaFunction;
  /** The function that probes endpoints which are down and sends back what is parked, every minute. */
  public readonly prober: LambdaFunction;
  /** The settings as JSON, for the environment variable `FLEET_SETTINGS` of a program that uses the typed client. */
  public readonly settings: string;
  private readonly parts: ConfiguredFleet;
  private readonly watching: Alarms;

  /** @throws one error that names each property AWS or the fleet would reject, the rule and the value */
  constructor(scope: Construct, id: string, props: RelayFleetProps = {}) {
    checkNew(scope, id, props, RELAY_FLEET);
    throwProblems(pathOf(scope, id), fleetProblems(scope, props));
    super(scope, id);
    useAlarms(this, props.alarms);
    this.watching = new Alarms(this, { actions: props.alarmActions, withoutActions: 'Endpoints are down' });
    if (this.watching.set === AlarmSet.ESSENTIAL) this.watchQueues();
    const owned = addParts(this, props);
    this.settings = fleetSettings(this, owned, props);
    this.parts = { ...owned, settings: this.settings };
    const { fleetName, table, eventsQueue, deliveriesQueue, deadLetterQueue, noticesTopic } = this.parts;
    this.fleetName = fleetName;
    this.table = table.table;
    this.key = this.parts.key;
    this.eventsQueue = eventsQueue;
    this.deliveriesQueue = deliveriesQueue;
    this.deadLetterQueue = deadLetterQueue;
    this.noticesTopic = noticesTopic;
    const dispatcher = addDispatcher(this, this.parts, props);
    const deliverer = addDeliverer(this, this.parts, props);
    const prober = addProber(this, this.parts, props);
    this.dispatcher = dispatcher.handler;
    this.deliverer = deliverer.handler;
    this.prober = prober.handler;
    const maxConcurrency = props.maximumConcurrency ?? FLEET_DEFAULTS.maximumConcurrency;
    eventsQueue.addFunctionConsumer(this.dispatcher, { batchSize: BATCH_SIZE, maxConcurrency });
    deliveriesQueue.addFunctionConsumer(this.deliverer, { batchSize: BATCH_SIZE, maxConcurrency });
    this.watching.watchAll(fleetRows(this, props));
    warnOfPrivateRanges(this, props);
    for (const own of [dispatcher, deliverer, prober]) own.sealRole();
  }

  /** Its alarms, without those of its queues and its dead-letter queue. */
  public get alarms(): IAlarm[] {
    return this.watching.all;
  }

  /** The queue of its dead letters: `deadLetterQueue`. */
  public get deadLetterQueues(): IQueue[] {
    return [this.deadLetterQueue];
  }

  /** The parts that an `OpsDashboard` also shows: its queues. */
  public get watchedParts(): IWatched[] | undefined {
    return [this.eventsQueue, this.deliveriesQueue];
  }

  public dashboardSection(): DashboardSection {
    return fleetSection(this);
  }

  /** Lets a principal send events to the events queue. */
  public grantSend(grantee: IGrantable): Grant {
    checkArguments(this, { grantee }, { grantee: GRANTEE });
    return grantSend(this.eventsQueue, grantee);
  }

  /** Lets a principal list endpoints and read their states, parked messages and attempts, but not their secrets. */
  public grantRead(grantee: IGrantable): Grant {
    checkArguments(this, { grantee }, { grantee: GRANTEE });
    return grantReadTable(this.parts.table, grantee);
  }

  /**
   * Lets a principal create, change and remove endpoints, replay messages and send tests, with everything that
   * `grantRead` allows. It may decrypt with the key, so it could read the secrets of endpoints. To send events, it also
   * needs `grantSend`.
   */
  public grantManage(grantee: IGrantable): Grant {
    checkArguments(this, { grantee }, { grantee: GRANTEE });
    const { parts, key, deadLetterQueue, deliveriesQueue } = this;
    const conditions = ofFleet(this);
    const onKey = Grant.addToPrincipal({ grantee, actions: KEY_ACTIONS, resourceArns: [key.keyArn], conditions });
    return grantReadTable(parts.table, grantee)
      .combine(grantWriteTable(parts.table, grantee))
      .combine(onKey)
      .combine(grantSend(deliveriesQueue, grantee))
      .combine(deadLetterQueue.grant(grantee, ...REPLAY_ACTIONS));
  }

  /**
   * A metric of the fleet, over 5 minutes by default. Its statistic is the sum by default, the average for
   * `FleetMetric.LATENCY`, and the maximum for `OPEN_ENDPOINTS` and `OLDEST_DUE`.
   */
  public metric(metric: FleetMetric, options?: MetricOptions): Metric {
    checkArguments(this, { metric }, { metric: enumValue('FleetMetric', FleetMetric) });
    return fleetMetric(this.fleetName, metric, metricOptions(this, options));
  }

  /** The alarms of the fleet also watch its queues. */
  private watchQueues(): void {
    const parts = { [EVENTS_ID]: STALLED, [DELIVERIES_ID]: STALLED, [DEAD_LETTERS_ID]: EXPIRING };
    for (const [id, alarm] of Object.entries(parts)) watchPart(this, { id, ageAlarm: () => this.alarmOf(alarm) });
  }

  private alarmOf(id: string): Alarm {
    const alarm = this.watching.get(id);
    if (!alarm) throw new Error(`${this.node.path} has no alarm ${id} yet`);
    return alarm;
  }
}

/** The construct ids of the queues. Their logical ids are made from them, so they must not change. */
const [EVENTS_ID, DELIVERIES_ID, DEAD_LETTERS_ID] = ['Events', 'Deliveries', 'DeadLetterQueue'];

const BATCH_SIZE = 10;

const KEY_ACTIONS = ['kms:Decrypt', 'kms:GenerateDataKey'];

const REPLAY_ACTIONS = ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:ChangeMessageVisibility'];

const MAX_NAME_CHARACTERS = 80;

/** Everything of a fleet but its functions. What stores messages or makes them readable is kept when the stack is deleted. */
function addParts(scope: Construct, props: RelayFleetProps): FleetParts {
  const { alarmActions, removalPolicy, encryptionMasterKey, table } = props;
  const naming = { maxLength: MAX_NAME_CHARACTERS, separator: '-' };
  const stored = { removalPolicy, encryptionMasterKey };
  const kept = { ...stored, removalPolicy: removalPolicy ?? KEPT };
  const deadLetterQueue = new DeadLetterQueue(scope, DEAD_LETTERS_ID, { alarmActions, ...kept });
  const lateness = props.latenessAlarmThreshold ?? FLEET_DEFAULTS.latenessAlarmThreshold;
  const queue = (id: string, timeoutSeconds: number) =>
    new ProcessingQueue(scope, id, {
      // The functions decide when a message is given up. SQS moves only those on which a function crashes again and again.
      deadLetterQueue: { queue: deadLetterQueue, maxReceiveCount: QUEUE_LIMITS.receiveCount.max },
      visibilityTimeout: Duration.seconds(VISIBILITY_PER_TIMEOUT * timeoutSeconds),
      retentionPeriod: RELAY_DEFAULTS.retentionPeriod,
      ageAlarmThreshold: lateness,
      alarmActions,
      ...stored,
    });
  const eventsQueue = queue(EVENTS_ID, DISPATCHER_SECONDS);
  const deliveriesQueue = queue(DELIVERIES_ID, delivererSeconds(props));
  ownedQueue(deliveriesQueue)?.addMetadata(FAIR_METADATA, true);
  ownedQueue(deliveriesQueue)?.addMetadata(FEED_METADATA, feedOf(eventsQueue));
  registerRelayQueue(eventsQueue, 'a RelayFleet, which needs the envelope');
  return {
    fleetName: props.fleetName ?? Names.uniqueResourceName(scope, naming),
    table: table ? existingFleetTable(table) : addFleetTable(scope, stored),
    key: props.key ?? addKey(scope, removalPolicy),
    eventsQueue,
    deliveriesQueue,
    deadLetterQueue,
    noticesTopic: props.noticesTopic ?? addNoticesTopic(scope, encryptionMasterKey),
  };
}

/** The messages of the deliveries queue, for the computation of costs. */
function feedOf(eventsQueue: ProcessingQueue): DeclaredFeed {
  const owned = ownedQueue(eventsQueue);
  return {
    from: owned ? Stack.of(eventsQueue).getLogicalId(owned) : '',
    messages: 1 + SENT_AGAIN,
    assumes: `An event of a fleet is for one endpoint. Of 100 messages for endpoints, ${100 * SENT_AGAIN} are sent to the queue twice, because they wait for a turn or were parked, and ${100 * PARKED} are parked.`,
  };
}

function addKey(scope: Construct, removalPolicy: RemovalPolicy = KEPT): Key {
  const description = 'Encrypts the data keys of a fleet, with which the secrets of its endpoints are encrypted.';
  return new Key(scope, 'Key', { description, enableKeyRotation: true, removalPolicy });
}

function addNoticesTopic(scope: Construct, masterKey: IKey | undefined): Topic {
  const topic = new Topic(scope, 'Notices', { enforceSSL: true, ...(masterKey && { masterKey }) });
  // It has no messages while all endpoints are healthy.
  if (topic.node.defaultChild instanceof CfnTopic) topic.node.defaultChild.addMetadata(IDLE_METADATA, true);
  return topic;
}
