import type { Duration, RemovalPolicy } from 'aws-cdk-lib';
import type { IAlarm, IAlarmAction } from 'aws-cdk-lib/aws-cloudwatch';
import type { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { IStringParameter } from 'aws-cdk-lib/aws-ssm';
import type { AlarmSet } from '../shared/alarm-set';
import type { IRedriveDestination } from './i-redrive-destination';
import type { Quarantine } from './quarantine';

/** One step of a run: the rate, and the number of messages before the next step. */
export interface RedriveStep {
  /** Messages per second: 1 to 500. */
  readonly messagesPerSecond: number;

  /**
   * The number of messages of the step: 1 or more. The function checks SQS once a minute, so a step moves some more: up
   * to two minutes and ten seconds at its rate.
   *
   * @default - all remaining messages, which only the last step may have
   */
  readonly messages?: number;
}

/** All properties of a `Redrive` except its dead-letter queue and its destination. */
export interface RedriveOptions {
  /**
   * Whether it runs automatically. While false, no schedule, alarm or timer invokes the function; if an operator
   * invokes it, it logs what it would do. If true without `schedules` and `recoveryAlarms`, only an operator can start
   * a run, and there is the warning `dead-letter-office:redrive-by-hand-alone`.
   *
   * @default false
   */
  readonly enabled?: boolean;

  /**
   * When to redrive: expressions of EventBridge Scheduler, each with its time zone.
   *
   * Messages that expire before the next run are not redriven. A rate that is not shorter than the time messages are
   * kept gets the warning `dead-letter-office:redrive-after-expiry`. Cron expressions are not checked.
   *
   * @default - no schedule
   * @see https://docs.aws.amazon.com/scheduler/latest/UserGuide/schedule-types.html
   */
  readonly schedules?: ScheduleExpression[];

  /**
   * Alarms of this account and Region. When one returns from ALARM to OK and all have been OK for `healthyFor`, a run
   * starts. Use alarms that show failures of the destination, such as its error rate or the breaker of a relay. They
   * are health alarms too.
   *
   * CloudWatch returns composite alarms only with a permission on `*`. The function has that permission if one of these
   * alarms is a composite alarm, or is imported and so may be one.
   *
   * @default - no run starts on recovery
   */
  readonly recoveryAlarms?: IAlarm[];

  /**
   * Alarms of this account and Region that must be OK for a run to start, and that stop it when they fire. An alarm
   * without data is not OK. Unless it treats missing data as `NOT_BREACHING` or `IGNORE`, there is the warning
   * `dead-letter-office:redrive-shut-without-data`. An alarm that fires because of the dead letters themselves prevents
   * redriving them: `dead-letter-office:redrive-bars-itself`. Both apply to `recoveryAlarms` as well.
   *
   * The names of all alarms must fit into the 4 KB of the function's environment, which is about 60 names of 50
   * characters. Combine more in a composite alarm.
   *
   * @default - only those of `recoveryAlarms`
   */
  readonly healthAlarms?: IAlarm[];

  /**
   * How long the alarms must have been OK: whole seconds, up to a day.
   *
   * @default Duration.minutes(5)
   */
  readonly healthyFor?: Duration;

  /**
   * The maximum number of messages waiting in a destination queue at which a run may start or continue: 0 or more.
   * While a step moves messages there, the limit is higher by the number it moves in `settle` and two minutes.
   *
   * @default - no limit
   */
  readonly maxBacklog?: number;

  /**
   * The maximum age of the oldest message in a destination queue: whole seconds, up to 14 days. While a step moves
   * messages there, the limit is at least `settle` and two minutes, because its own messages may wait that long.
   *
   * @default - no limit
   */
  readonly maxAge?: Duration;

  /**
   * Whether, after the first step of a run, messages must have been deleted from the destination before the next step
   * starts, according to the metric `NumberOfMessagesDeleted`. Not if a function is invoked, which deletes no messages.
   *
   * @default - true if the destination is a queue
   */
  readonly proofOfHealth?: boolean;

  /**
   * The steps of a run, each faster than the one before. The first is the canary, and the last moves all remaining
   * messages. Not together with `maxMessagesPerSecond`.
   *
   * At most 10, because SQS returns only the last ten tasks of a queue.
   *
   * @default - 10 messages at 1 per second, 100 at 10 per second, and all others at `maxMessagesPerSecond`: a failing
   * destination shows at the first 10
   */
  readonly steps?: RedriveStep[];

  /**
   * The rate of the last default step: 1 to 500 messages per second.
   *
   * @default 50
   */
  readonly maxMessagesPerSecond?: number;

  /**
   * The maximum percentage of moved messages that may return for a run to continue: 0 to 100.
   *
   * @default 25
   */
  readonly maxReturnedPercent?: number;

  /**
   * How long to wait after each step for messages that fail again: whole seconds, 3 minutes to a day, and less than the
   * retention of the dead-letter queue. If a failing message needs longer to reach its maximum receive count, there is
   * the warning `dead-letter-office:redrive-judged-too-soon`.
   *
   * @default - the time the destination needs, but at least 3 minutes: for a queue its receives times its visibility
   * timeout; for a function 3 minutes; 15 minutes for a relay, which retries for days, and if the time is
   * unknown
   */
  readonly settle?: Duration;

  /**
   * How long no schedule starts another run after messages returned: whole seconds, up to a day. After a stopped run, a
   * recovery waits for half an hour, doubled for each further stopped run of the day, but not longer than this. An
   * operator can start a run at any time.
   *
   * @default Duration.hours(12)
   */
  readonly restAfterReturn?: Duration;

  /**
   * The maximum number of runs within 24 hours: 1 to 10. SQS returns only the last ten tasks, without which no budget
   * can be computed. So no run starts if its steps and the tasks of the last 24 hours would be more than ten. A run
   * that is stopped at its canary counts.
   *
   * @default 6
   */
  readonly runsPerDay?: number;

  /**
   * The maximum number of messages moved within 24 hours, by this redrive or otherwise. A message that returns counts
   * each time. It must be at least the number the first step can move before two checks and the cancellation: 131 at 1
   * per second.
   *
   * @default 100_000
   */
  readonly messagesPerDay?: number;

  /**
   * The SSM parameter that switches the redrive: a String, `on` or `off`. With any other value, or if it cannot be
   * read, nothing starts and running moves are cancelled. Pass one parameter to several redrives to switch them
   * together: that of another redrive, or an imported one. CloudFormation resets a parameter that an app creates to its
   * template value whenever it changes anything of it, such as a stack tag.
   *
   * @default - its own parameter, which no template creates: it counts as `on` until an operator creates it, and no
   * deployment resets it
   * @see https://github.com/aws/aws-cdk/issues/25949
   */
  readonly killSwitch?: IStringParameter;

  /**
   * The queue for events on which the function failed again when they were replayed, with the reasons; only if a function
   * is invoked. A `RedriveLane` has its own. Without it, each run replays such events again. If they are more than
   * `maxReturnedPercent` of the first messages, no run gets past its canary.
   *
   * @default - the messages stay in the dead-letter queue
   */
  readonly quarantine?: Quarantine;

  /**
   * The standard topic of this Region that is notified of each successful run; an alarm reports the others. If it
   * belongs to another account, the warning `dead-letter-office:topic-of-another-account` shows the statement its
   * policy needs.
   *
   * @default - no notifications
   */
  readonly resultsTopic?: ITopic;

  /**
   * Which alarms are created.
   *
   * @default - that of the construct around it or of `AlarmDefaults`, and otherwise `AlarmSet.ESSENTIAL`
   */
  readonly alarms?: AlarmSet;

  /**
   * The actions of the alarms on stopped runs and on failures of the function, for example an `OpsTopic`. At most 5, in
   * the Region of the alarm. One in another account gets the warning
   * `dead-letter-office:alarm-action-of-another-account`.
   *
   * @default - none, and the warning `dead-letter-office:alarm-tells-nobody` says so
   */
  readonly alarmActions?: IAlarmAction[];

  /**
   * Whether a FIFO queue may be redriven. The redriven messages of a group come after those sent meanwhile, so their
   * order changes. The warning `dead-letter-office:redrive-reorders` says so.
   *
   * @default false
   */
  readonly allowFifo?: boolean;

  /**
   * Whether to create an empty queue whose redrive policy names the dead-letter queue. SQS moves messages only from a
   * queue that another queue names. It costs nothing.
   *
   * @default - true if SQS moves the messages and no queue of the app names the dead-letter queue
   * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-configure-dead-letter-queue-redrive.html
   */
  readonly anchor?: boolean;

  /**
   * How long the log of the function is stored. It contains a record of each run.
   *
   * @default RetentionDays.THREE_MONTHS
   */
  readonly logRetention?: RetentionDays;

  /**
   * What happens to the log when it is removed from the app or its stack is deleted.
   *
   * @default - the log group is retained
   */
  readonly removalPolicy?: RemovalPolicy;
}

/** Properties of a `Redrive`. */
export interface RedriveProps extends RedriveOptions {
  /**
   * The dead-letter queue of a queue, a subscription or a function, in the account and Region of the stack. Rejected
   * are: a `Quarantine`, a queue that has a dead-letter queue itself, a queue that a function of the app consumes, a
   * queue with messages for several consumers, and a queue that already has a `Redrive`. A quarantine of another app is
   * recognized only if it is imported with `Quarantine.fromQueueArn`.
   */
  readonly deadLetterQueue: IQueue;

  /** Where its messages are moved: one of the factory methods of `RedriveDestination`. */
  readonly destination: IRedriveDestination;
}
