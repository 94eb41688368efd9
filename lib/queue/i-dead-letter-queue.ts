import type { Duration } from 'aws-cdk-lib';
import type { Alarm, IAlarm, IAlarmAction, Metric, MetricOptions } from 'aws-cdk-lib/aws-cloudwatch';
import type { IRule } from 'aws-cdk-lib/aws-events';
import type { Grant, IGrantable } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { ISchedule } from 'aws-cdk-lib/aws-scheduler';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { IQueue, QueueProps } from 'aws-cdk-lib/aws-sqs';
import type { IConstruct, IDependable } from 'constructs';

/**
 * A dead-letter queue that looks after itself: it lets in whoever feeds it, and has the alarms that follow from who that
 * is. A `DeadLetterQueue` is one, and an `ImportedDeadLetterQueue`.
 */
export interface IDeadLetterQueue extends IQueue {
  /** Its alarms, those that who feeds it brought included. */
  readonly alarms: IAlarm[];

  /** Who feeds it, each once, in the order in which it was told. An anchor does not. */
  readonly feeders: DeadLetterFeeder[];

  /** Fires `timeToRespond` before the oldest dead letter may expire. */
  readonly ageAlarm: Alarm;

  /** Fires in the minute in which somebody sends a dead letter; undefined while only queues feed it, or nobody. */
  readonly arrivalsAlarm?: Alarm;

  /** Fires while a dead letter that SQS moved here waits to be seen to; undefined while no queue feeds it. */
  readonly waitingAlarm?: Alarm;

  /** Fires when dead letters have waited for `unattendedAfter`; undefined where `watchUnattended` is false. */
  readonly unattendedAlarm?: Alarm;

  /** Lets a topic send here what it could not deliver. @returns what a subscription must depend on */
  fedByTopic(topic: ITopic): IDependable;

  /** Lets a function's role send here the events the function failed on. @returns what must be there before it may */
  fedByFunction(handler: IFunction): IDependable;

  /** Says that SQS moves here what `source` could not get processed. @returns the queue itself */
  fedByQueue(source: IQueue): IDependable;

  /** Lets a queue name this one as its dead-letter queue that brings no dead letters. @returns the queue itself */
  anchoredBy(anchor: IQueue): IDependable;

  /** Lets EventBridge send here the events that a rule could not deliver. @returns what must be there before it may */
  fedByRule(rule: IRule): IDependable;

  /** Lets a schedule's role send here what the schedule could not deliver. @returns what must be there before it may */
  fedBySchedule(schedule: ISchedule): IDependable;

  /** Lets somebody send here what they gave up on. @returns what must be there before they may */
  fedByRole(grantee: IGrantable): IDependable;

  /** Lets somebody move dead letters to `destination` by a move task of SQS, watch it, and cancel it. */
  grantRedrive(grantee: IGrantable, destination: IQueue): Grant;

  /** Lets somebody look at dead letters, and put them back, but not take them out. */
  grantPeek(grantee: IGrantable): Grant;

  /** Dead letters sent here; not those SQS moved. Sum over 5 minutes by default. */
  metricArrivals(options?: MetricOptions): Metric;

  /** Dead letters waiting to be seen to, whoever sent or moved them. Maximum over 5 minutes by default. */
  metricWaiting(options?: MetricOptions): Metric;
}

/** What puts dead letters into a queue: by which method it was told of it. */
export enum DeadLetterFeederKind {
  /** SNS sends what a topic could not deliver: `fedByTopic`. */
  TOPIC = 'TOPIC',

  /** Lambda sends what a function failed on: `fedByFunction`. */
  FUNCTION = 'FUNCTION',

  /** SQS moves what the consumer of a queue failed on: `fedByQueue`. */
  QUEUE = 'QUEUE',

  /** EventBridge sends what a rule could not deliver: `fedByRule`. */
  RULE = 'RULE',

  /** EventBridge Scheduler sends what a schedule could not deliver: `fedBySchedule`. */
  SCHEDULE = 'SCHEDULE',

  /** Somebody sends what they gave up on, by a role of their own: `fedByRole`. */
  ROLE = 'ROLE',
}

/** Who feeds a dead-letter queue. */
export interface DeadLetterFeeder {
  /** What it is. */
  readonly kind: DeadLetterFeederKind;

  /**
   * The topic, function, queue, rule, schedule or grantee that the queue was told of.
   *
   * @default - none: the grantee is no construct
   */
  readonly construct?: IConstruct;
}

/** How a dead-letter queue is watched. */
export interface DeadLetterWatchOptions {
  /**
   * Who is told when an alarm of this queue fires. An `OpsTopic` is such an action.
   * At most 5, in the Region of the alarm; one in another account gets the warning
   * `dead-letter-office:alarm-action-of-another-account`.
   *
   * @default - nobody, and the warning `dead-letter-office:alarm-tells-nobody` says so
   */
  readonly alarmActions?: IAlarmAction[];

  /**
   * How long before a dead letter may expire the age alarm fires: the time you need to see to it. From 60 seconds to 14
   * days. A token counts as the default, and gets the warning `dead-letter-office:duration-not-known`.
   *
   * @default Duration.days(3)
   */
  readonly timeToRespond?: Duration;

  /**
   * How long dead letters may lie before the unattended alarm fires, give or take an hour: whole hours, up to 7 days. A
   * moment without any to receive, when the last was taken out or is in somebody's hands, begins it anew. A token counts
   * as the default, and gets the warning `dead-letter-office:duration-not-known`. Not together with `watchUnattended: false`.
   *
   * @default Duration.days(1)
   */
  readonly unattendedAfter?: Duration;

  /**
   * Whether there is an unattended alarm. The alarms on what arrives fire once; this one reminds you of what was left
   * lying. It costs 0.10 US dollars a month.
   *
   * @default true
   */
  readonly watchUnattended?: boolean;
}

/**
 * Properties of a `DeadLetterQueue`: those of a `Queue`, of which `retentionPeriod` is 14 days unless you say otherwise,
 * `encryption` is there, `enforceSSL` is true, and `removalPolicy` is `RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE`, which
 * keeps the letters.
 */
export interface DeadLetterQueueProps extends QueueProps, DeadLetterWatchOptions {}
