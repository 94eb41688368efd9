import type { Duration, RemovalPolicy } from 'aws-cdk-lib';
import type { IAlarm, IAlarmAction } from 'aws-cdk-lib/aws-cloudwatch';
import type { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { IStringParameter } from 'aws-cdk-lib/aws-ssm';
import type { IRedriveDestination } from './i-redrive-destination';
import type { Quarantine } from './quarantine';

/** One step of a run: how fast letters go home, and how many of them before the next step. */
export interface RedriveStep {
  /** Letters a second: 1 to 500. */
  readonly messagesPerSecond: number;

  /**
   * After how many letters the step is over: 1 or more. SQS is looked at once a minute, and so moves some more: up to two minutes
   * and ten seconds of them.
   *
   * @default - all there are: the last step, and no other
   */
  readonly messages?: number;
}

/** Everything of a `Redrive` but what it empties, and where to. */
export interface RedriveOptions {
  /**
   * Whether it acts by itself. Until then neither a schedule nor an alarm nor the minute invokes the function; invoked by hand, it
   * writes into its log what it would do. With neither `schedules` nor `recoveryAlarms` it begins a run only by hand, and the
   * warning is `dead-letter-office:redrive-by-hand-alone`.
   *
   * @default false
   */
  readonly enabled?: boolean;

  /**
   * When to redrive: expressions of EventBridge Scheduler, each with its time zone.
   *
   * A letter that expires before the next of them is not redriven: a rate no shorter than letters may lie gets the warning
   * `dead-letter-office:redrive-after-expiry`. Nobody reckons that of a cron expression.
   *
   * @default - by no schedule
   * @see https://docs.aws.amazon.com/scheduler/latest/UserGuide/schedule-types.html
   */
  readonly schedules?: ScheduleExpression[];

  /**
   * Alarms of this account and Region whose return from ALARM to OK starts a run, once they have been OK for `healthyFor`. Whatever
   * is wrong with the destination shows in them: its error rate, or the breaker of a relay. They are health alarms too.
   *
   * Of a composite alarm, and of one that was made elsewhere and may be one, CloudWatch tells the function only by a permission on
   * `*`, which it then has.
   *
   * @default - no recovery starts one
   */
  readonly recoveryAlarms?: IAlarm[];

  /**
   * Alarms of this account and Region that must be OK for a run to begin, and that end it when they fire. One without data is not
   * OK: unless it takes missing data as `NOT_BREACHING` or `IGNORE`, it gets the warning
   * `dead-letter-office:redrive-shut-without-data`. One that fires because letters lie in the dead-letter queue keeps them there:
   * `dead-letter-office:redrive-bars-itself`. Both hold for `recoveryAlarms` as well.
   *
   * @default - those of `recoveryAlarms` alone
   */
  readonly healthAlarms?: IAlarm[];

  /**
   * For how long the alarms must have been OK: whole seconds, up to a day.
   *
   * @default Duration.minutes(5)
   */
  readonly healthyFor?: Duration;

  /**
   * The most messages that may wait in the destination, where it is a queue, for a run to begin or go on: 0 or more. While a
   * step moves letters there, as many of them may wait beside as it moves in `settle` and two minutes.
   *
   * @default - no matter how many
   */
  readonly maxBacklog?: number;

  /**
   * The oldest the oldest message may be that waits in the destination, where it is a queue: whole seconds, up to 14 days. While a
   * step moves letters there, its own may have waited for `settle` and two minutes at least.
   *
   * @default - no matter how old
   */
  readonly maxAge?: Duration;

  /**
   * Whether somebody must have deleted messages from the destination, after the first step of a run, for the next one: by the metric
   * `NumberOfMessagesDeleted`. Not where a function is invoked, which deletes nothing.
   *
   * @default - true where the destination is a queue
   */
  readonly proofOfHealth?: boolean;

  /**
   * The steps of a run, each faster than the one before: the first is the canary, and the last goes on to the end. Not together
   * with `maxMessagesPerSecond`.
   *
   * 10 at most, for SQS tells of the last ten tasks of a queue.
   *
   * @default - Our choice: 10 messages at 1 a second, 100 at 10 a second, and all others at `maxMessagesPerSecond`
   */
  readonly steps?: RedriveStep[];

  /**
   * The fastest of the default steps: 1 to 500 letters a second.
   *
   * @default 50
   */
  readonly maxMessagesPerSecond?: number;

  /**
   * The most of a hundred moved letters that may come back for a run to go on: 0 to 100.
   *
   * @default 25
   */
  readonly maxReturnedPercent?: number;

  /**
   * How long what fails again may take to come back, which is waited for after each step: whole seconds, 3 minutes to a day, and less
   * than letters are kept. Shorter than a message takes that is received as often as it can be, it gets the warning
   * `dead-letter-office:redrive-judged-too-soon`.
   *
   * @default - what the destination needs, and 3 minutes at least: its receives times its visibility timeout; for a function
   * Lambda's two retries; 15 minutes for a relay, which goes on trying for days, and where nobody knows
   */
  readonly settle?: Duration;

  /**
   * After a run whose letters came back: how long no schedule starts another. A recovery waits for half an hour after a run that was
   * stopped, twice as long after each further one of a day, and no longer than this; an operator never. Whole seconds, up to a day.
   *
   * @default Duration.hours(12)
   */
  readonly restAfterReturn?: Duration;

  /**
   * The most runs within 24 hours: 1 to 10. No run begins either whose steps SQS could not tell of beside the tasks of the last 24
   * hours: of ten, and no budget can be kept without them. A run that is stopped at its canary takes one.
   *
   * @default 6
   */
  readonly runsPerDay?: number;

  /**
   * The most letters moved within 24 hours, by whomever. A letter that comes back counts each time. It must be as many at least as
   * the first step can move before SQS is looked at, twice, and told to stop: 131 at 1 a second.
   *
   * @default 100_000
   */
  readonly messagesPerDay?: number;

  /**
   * The SSM parameter that switches it on and off: a String, `on` or `off`. Whatever else it says, or where it cannot be read, nothing
   * starts, and what runs is cancelled. Pass one to switch several at once: that of another redrive, or one that was made elsewhere.
   * One that an app makes CloudFormation sets back to the value there whenever it changes anything of it, be it a tag of the stack.
   *
   * @default - one of its own, which no app makes: it is `on` until somebody puts it there, and no deployment sets it back
   * @see https://github.com/aws/aws-cdk/issues/25949
   */
  readonly killSwitch?: IStringParameter;

  /**
   * Where an event goes that came back after it was replayed, with its reasons; only where a function is invoked. A
   * `RedriveLane` brings one of its own.
   *
   * @default - it stays among the dead letters
   */
  readonly quarantine?: Quarantine;

  /**
   * The standard topic of this Region that is told how each run ended that went well; of others an alarm tells. Where it belongs to
   * another account, the warning `dead-letter-office:topic-of-another-account` has the statement its policy needs.
   *
   * @default - nobody is told
   */
  readonly resultsTopic?: ITopic;

  /**
   * Who is told when a run ends for a cause, or the function fails. An `OpsTopic` is such an action.
   * At most 5, in the Region of the alarm; one in another account gets the warning
   * `dead-letter-office:alarm-action-of-another-account`.
   *
   * @default - nobody, and the warning `dead-letter-office:alarm-tells-nobody` says so
   */
  readonly alarmActions?: IAlarmAction[];

  /**
   * Whether a FIFO queue may be redriven. Letters of a group then come after those that were sent meanwhile: order is not kept, and the
   * warning `dead-letter-office:redrive-reorders` says so.
   *
   * @default false
   */
  readonly allowFifo?: boolean;

  /**
   * Whether a queue is made to which nobody sends, and whose redrive policy names the dead-letter queue: SQS moves letters only of
   * a queue that another names so. It costs nothing.
   *
   * @default - one is made where SQS is to move letters, and no queue of the app names theirs
   * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-configure-dead-letter-queue-redrive.html
   */
  readonly anchor?: boolean;

  /**
   * How long the log of the function is kept: a record of each run among it.
   *
   * @default RetentionDays.THREE_MONTHS
   */
  readonly logRetention?: RetentionDays;

  /**
   * What becomes of the log when it is taken out of the app, or its stack deleted.
   *
   * @default - it stays
   */
  readonly removalPolicy?: RemovalPolicy;
}

/** Properties of a `Redrive`. */
export interface RedriveProps extends RedriveOptions {
  /**
   * The dead-letter queue that is emptied: of a queue, a subscription or a function, in the account and Region of the stack. A
   * `Quarantine` is refused, and so is a queue that has a dead-letter queue itself, one that a function of the app consumes, one
   * whose letters were meant for several consumers, and one that has a `Redrive` already. A quarantine of another app is known
   * for one only where it is imported by `Quarantine.fromQueueArn`.
   */
  readonly deadLetterQueue: IQueue;

  /** Where its letters go home to. */
  readonly destination: IRedriveDestination;
}
