import { Duration } from 'aws-cdk-lib';
import {
  Alarm,
  ComparisonOperator,
  type IAlarmAction,
  type Metric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import { runbookUrl } from './runbook-url';

/** The section of docs/runbook.md that says what an alarm means, how to look, and what to do. */
export enum RunbookSection {
  DEAD_LETTERS_ARRIVED = 'dead-letters-arrived',
  DEAD_LETTERS_WAITING = 'dead-letters-waiting',
  DEAD_LETTERS_AGEING = 'dead-letters-ageing',
  DEAD_LETTERS_LOST = 'dead-letters-lost',
  QUEUE_NOT_KEEPING_UP = 'queue-not-keeping-up',
  QUEUE_IN_FLIGHT_LIMIT = 'queue-in-flight-limit',
  FUNCTION_DEAD_LETTERS_LOST = 'function-dead-letters-lost',
  FUNCTION_DESTINATION_FAILED = 'function-destination-failed',
  FUNCTION_EVENTS_DROPPED = 'function-events-dropped',
  FUNCTION_LOOP_STOPPED = 'function-loop-stopped',
}

/** What sets one alarm of ours apart from another; the rest is the same for all. */
export interface AlarmOptions {
  readonly metric: Metric;
  /** The alarm fires above this. */
  readonly threshold: number;
  readonly runbook: RunbookSection;
  /** What has happened, in a sentence; the link to the runbook is added. */
  readonly meaning: string;
  /** @default - CloudFormation makes one up */
  readonly name?: string;
  /** @default - nobody is told */
  readonly actions?: IAlarmAction[];
}

/**
 * An alarm that fires in the first minute above its threshold. A missing datapoint is no news: the metrics it watches
 * are either sent only when something happens, or stop when a queue has been idle for six hours.
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarms-and-missing-data.html
 */
export function alarmAbove(scope: Construct, id: string, options: AlarmOptions): Alarm {
  const alarm = new Alarm(scope, id, {
    alarmName: options.name,
    alarmDescription: `${options.meaning} ${runbookUrl(scope)}#${options.runbook}`,
    metric: options.metric.with({ period: Duration.minutes(1) }),
    threshold: options.threshold,
    comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
    evaluationPeriods: 1,
    datapointsToAlarm: 1,
    treatMissingData: TreatMissingData.NOT_BREACHING,
  });
  alarm.addAlarmAction(...(options.actions ?? []));
  return alarm;
}
