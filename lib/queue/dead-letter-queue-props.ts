import type { Duration } from 'aws-cdk-lib';
import type { IAlarmAction } from 'aws-cdk-lib/aws-cloudwatch';
import type { QueueProps } from 'aws-cdk-lib/aws-sqs';

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
