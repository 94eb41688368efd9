import { type IResource, Stack, Token, TokenComparison } from 'aws-cdk-lib';
import {
  type Alarm,
  AlarmStatusWidget,
  AlarmStatusWidgetSortBy,
  CfnAlarm,
  Color,
  GraphWidget,
  type HorizontalAnnotation,
  type IAlarm,
  type IMetric,
  type IWidget,
  type Metric,
  type MetricOptions,
  Stats,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { isDeadLetterQueue } from '../queue/feeder-registry';
import { DeadLetterFeederKind } from '../queue/i-dead-letter-queue';
import { retentionSeconds } from '../queue/queue-checks';

/** The number of columns of a dashboard. */
export const GRID_WIDTH = 24;

const BAND_HEIGHT = 6;
const ALARMS_WIDTH = 6;

/**
 * The maximum number of alarms in one widget.
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/CloudWatch-Dashboard-Body-Structure.html
 */
const MOST_ALARMS = 100;

/** What one graph shows. */
export interface Graph {
  readonly title: string;
  readonly left: readonly IMetric[];
  readonly right?: readonly IMetric[];
  readonly lines?: readonly HorizontalAnnotation[];
}

/** Widgets with the states of alarms: alarms that fire come first, the latest of them on top. */
export function alarmWidgets(title: string, alarms: readonly IAlarm[], width: number, height: number): IWidget[] {
  const count = Math.ceil(alarms.length / MOST_ALARMS);
  return Array.from({ length: count }, (_, i) => {
    const some = alarms.slice(i * MOST_ALARMS, (i + 1) * MOST_ALARMS);
    const sortBy = AlarmStatusWidgetSortBy.STATE_UPDATED_TIMESTAMP;
    return new AlarmStatusWidget({ title, alarms: some, sortBy, width, height });
  });
}

function graphWidget({ title, left, right = [], lines = [] }: Graph, width: number): GraphWidget {
  return new GraphWidget({
    title,
    left: [...left],
    right: [...right],
    leftAnnotations: [...lines],
    leftYAxis: { min: 0, showUnits: false },
    rightYAxis: { min: 0, showUnits: false },
    width,
    height: BAND_HEIGHT,
  });
}

/**
 * A row of widgets for one construct: its alarms, and its graphs in the remaining width. Alarms beyond the limit of one
 * widget are only at the top of the dashboard.
 */
export function band(name: string, alarms: readonly IAlarm[], graphs: readonly Graph[]): IWidget[] {
  const states = alarmWidgets(`${name}: alarms`, alarms, ALARMS_WIDTH, BAND_HEIGHT).slice(0, 1);
  const width = Math.floor((GRID_WIDTH - states.length * ALARMS_WIDTH) / graphs.length);
  return [...states, ...graphs.map(graph => graphWidget(graph, width))];
}

export function sum(label: string, color?: string): MetricOptions {
  return { statistic: Stats.SUM, label, color };
}

/**
 * The threshold of an alarm on one metric as a line. It is read from the resource, because the construct does not see
 * later changes of it.
 */
export function alarmLine({ node }: Alarm): HorizontalAnnotation[] {
  const resource = node.defaultChild;
  if (!(resource instanceof CfnAlarm) || resource.threshold === undefined || resource.metrics) return [];
  return [{ value: resource.threshold, label: 'alarm', color: Color.ORANGE }];
}

/** The account and Region of a resource's metrics, which for an imported queue or topic differ from the stack's. */
export function placeOf(resource: IResource): MetricOptions {
  const stack = Stack.of(resource);
  const other = (its: string, ours: string) =>
    Token.compareStrings(its, ours) === TokenComparison.DIFFERENT ? its : undefined;
  return { region: other(resource.env.region, stack.region), account: other(resource.env.account, stack.account) };
}

export function waiting(queue: IQueue, label: string): Metric {
  return queue.metricApproximateNumberOfMessagesVisible({ statistic: Stats.MAXIMUM, label, ...placeOf(queue) });
}

/** The age of the oldest message of a queue, in seconds. */
export function oldest(queue: IQueue, label: string): Metric {
  return queue.metricApproximateAgeOfOldestMessage({ statistic: Stats.MAXIMUM, label, ...placeOf(queue) });
}

/**
 * The metrics of arriving dead letters. SQS counts messages that are sent, and not messages that it moves itself, so a
 * queue fed by SQS shows none.
 */
function arrivals(queue: IQueue): Metric[] {
  const feeders = isDeadLetterQueue(queue) ? queue.feeders : [];
  const onlyMoved = feeders.length > 0 && feeders.every(({ kind }) => kind === DeadLetterFeederKind.QUEUE);
  return onlyMoved ? [] : [queue.metricNumberOfMessagesSent({ ...sum('sent here', Color.RED), ...placeOf(queue) })];
}

/**
 * The age at which dead letters expire. Messages that SQS moved expire sooner, because their age includes the time in
 * the source queue.
 */
function expiryLine(queue: IQueue): HorizontalAnnotation[] {
  const value = retentionSeconds(queue);
  return value === undefined ? [] : [{ value, label: 'expired at the latest', color: Color.RED }];
}

/** The alarms of a dead-letter queue, if it has any. */
export function deadLetterAlarms(queue: IQueue): readonly IAlarm[] {
  return isDeadLetterQueue(queue) ? queue.alarms : [];
}

export function deadLetterQueueRows(queue: IQueue): IWidget[][] {
  const name = queue.queueName;
  const lines = [...(isDeadLetterQueue(queue) ? alarmLine(queue.ageAlarm) : []), ...expiryLine(queue)];
  return [
    band(name, deadLetterAlarms(queue), [
      { title: `${name}: dead letters`, left: [waiting(queue, 'waiting'), ...arrivals(queue)] },
      { title: `${name}: age of the oldest, seconds`, left: [oldest(queue, 'oldest')], lines },
    ]),
  ];
}
