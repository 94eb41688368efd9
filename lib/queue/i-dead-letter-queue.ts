import type { Duration } from 'aws-cdk-lib';
import type { Alarm, IAlarm, IAlarmAction, Metric, MetricOptions } from 'aws-cdk-lib/aws-cloudwatch';
import type { Grant, IGrantable } from 'aws-cdk-lib/aws-iam';
import type { IQueue, QueueProps } from 'aws-cdk-lib/aws-sqs';
import type { IConstruct, IDependable } from 'constructs';
import type { AlarmSet } from '../shared/alarm-set';

/**
 * A dead-letter queue that manages the access of its sources and the alarms they require: a `DeadLetterQueue` or an
 * `ImportedDeadLetterQueue`.
 */
export interface IDeadLetterQueue extends IQueue {
  /** Its alarms, including those that its sources require. */
  readonly alarms: IAlarm[];

  /** The sources of its dead letters, each once, in the order in which they were declared, without anchors. */
  readonly feeders: DeadLetterFeeder[];

  /**
   * Fires `timeToRespond` before the oldest dead letter may expire. For the queue of a relay with `AlarmSet.ESSENTIAL`, it
   * is the relay's alarm on messages that may expire.
   */
  readonly ageAlarm: Alarm;

  /**
   * Fires within a minute after a dead letter was sent; undefined if only queues feed it, or nothing does, or if with
   * `AlarmSet.ESSENTIAL` alarms of its sources report their dead letters: a `DurableTopic` has one for all its deliveries.
   */
  readonly arrivalsAlarm?: Alarm;

  /**
   * Fires when a dead letter that SQS moved here has arrived; undefined if no queue feeds it, or if an alarm of the relay
   * that owns the queue does.
   */
  readonly growthAlarm?: Alarm;

  /**
   * In ALARM while a dead letter that SQS moved here is waiting. It has no actions, because `growthAlarm` reports the same
   * messages. Undefined without `AlarmSet.ALL`, or if no queue feeds it.
   */
  readonly waitingAlarm?: Alarm;

  /**
   * Fires when dead letters have waited for `unattendedAfter`; undefined without `AlarmSet.ALL`, `watchUnattended` or
   * `unattendedAfter`.
   */
  readonly unattendedAlarm?: Alarm;

  /**
   * Declares a source of dead letters: a topic, function, queue, rule or schedule. Grants it what it needs, and adds the
   * alarms for its dead letters.
   *
   * @returns what must exist before the source may send, so that no message is lost before the permission exists
   */
  fedBy(source: IConstruct): IDependable;

  /** Lets a principal send messages that it gave up on. @returns what must exist before it may send */
  fedByRole(grantee: IGrantable): IDependable;

  /**
   * Declares an anchor: a queue that names this one as its dead-letter queue and sends no dead letters. @returns the
   * queue itself
   */
  anchoredBy(anchor: IQueue): IDependable;

  /** Lets a principal move dead letters to `destination` with an SQS move task, and list and cancel such tasks. */
  grantRedrive(grantee: IGrantable, destination: IQueue): Grant;

  /** Lets a principal read dead letters and return them, but not delete them. */
  grantPeek(grantee: IGrantable): Grant;

  /** Counts dead letters that were sent, without those that SQS moved. Sum over 5 minutes by default. */
  metricArrivals(options?: MetricOptions): Metric;

  /** The number of waiting dead letters, whether sent or moved. Maximum over 5 minutes by default. */
  metricWaiting(options?: MetricOptions): Metric;
}

/** How dead letters reach a queue. */
export enum DeadLetterFeederKind {
  /** SNS sends messages that a topic could not deliver. */
  TOPIC = 'TOPIC',

  /** Lambda sends events that a function failed on. */
  FUNCTION = 'FUNCTION',

  /** SQS moves messages that the consumer of a queue failed on. */
  QUEUE = 'QUEUE',

  /** EventBridge sends events that a rule could not deliver. */
  RULE = 'RULE',

  /** EventBridge Scheduler sends events that a schedule could not deliver. */
  SCHEDULE = 'SCHEDULE',

  /** A principal sends messages that it gave up on, with its own role: `fedByRole`. */
  ROLE = 'ROLE',
}

/** A source of dead letters. */
export interface DeadLetterFeeder {
  /** The kind of source. */
  readonly kind: DeadLetterFeederKind;

  /**
   * The topic, function, queue, rule, schedule or grantee that was passed to the queue.
   *
   * @default - none, if the grantee is not a construct
   */
  readonly construct?: IConstruct;
}

/** Options for the alarms of a dead-letter queue. */
export interface DeadLetterWatchOptions {
  /**
   * Which alarms are created.
   *
   * @default - that of the construct around it or of `AlarmDefaults`, and otherwise `AlarmSet.ESSENTIAL`
   */
  readonly alarms?: AlarmSet;

  /**
   * The actions of this queue's alarms, for example an `OpsTopic`. At most 5, in the Region of the alarm. One in
   * another account gets the warning `dead-letter-office:alarm-action-of-another-account`.
   *
   * @default - none, and the warning `dead-letter-office:alarm-tells-nobody` says so
   */
  readonly alarmActions?: IAlarmAction[];

  /**
   * The time that operators need to handle a dead letter. The age alarm fires this long before a dead letter may expire.
   * From 60 seconds to 14 days. For a token the default is used, with the warning
   * `dead-letter-office:duration-not-known`.
   *
   * @default Duration.days(3)
   */
  readonly timeToRespond?: Duration;

  /**
   * How long dead letters may wait before the unattended alarm fires, within about an hour: whole hours, up to 7 days.
   * The time starts again whenever the queue has no visible message, because the last one was deleted or received. For
   * a token the default is used, with the warning `dead-letter-office:duration-not-known`. Not together with
   * `watchUnattended: false`.
   *
   * @default - one day, if there is an unattended alarm
   */
  readonly unattendedAfter?: Duration;

  /**
   * Whether there is an unattended alarm. The alarms on arrivals fire once; this one is a reminder of messages that are
   * still there. It costs 0.10 US dollars a month.
   *
   * @default - true with `unattendedAfter` or `AlarmSet.ALL`
   */
  readonly watchUnattended?: boolean;
}

/**
 * Properties of a `DeadLetterQueue`. They are those of a `Queue` with these defaults: `retentionPeriod` is 14 days, the
 * queue is encrypted, `enforceSSL` is true, and `removalPolicy` is `RemovalPolicy.RETAIN`, which keeps
 * the messages (with a stated `queueName` it is `RETAIN_ON_UPDATE_OR_DELETE`, so that a failed first deployment can be repeated).
 */
export interface DeadLetterQueueProps extends QueueProps, DeadLetterWatchOptions {}
