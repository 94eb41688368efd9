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
import { isDeadLetterQueue } from '../queue/feed';
import { retentionSeconds } from '../queue/queue-checks';

/** How many columns a dashboard has. */
export const GRID_WIDTH = 24;

const BAND_HEIGHT = 6;
const ALARMS_WIDTH = 6;

/** How many alarms one widget can show. @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/CloudWatch-Dashboard-Body-Structure.html */
const MOST_ALARMS = 100;

/** What one graph says. */
export interface Graph {
  readonly title: string;
  readonly left: readonly IMetric[];
  readonly right?: readonly IMetric[];
  readonly lines?: readonly HorizontalAnnotation[];
}

/** Alarms by their state: those that fire first, and of those the latest first. As many widgets as it takes. */
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
 * All that is shown of one construct beside each other: its alarms, and its graphs in what is left of the width. Alarms
 * beyond what one widget shows are at the top of the dashboard alone.
 */
export function band(name: string, alarms: readonly IAlarm[], graphs: readonly Graph[]): IWidget[] {
  const states = alarmWidgets(`${name}: alarms`, alarms, ALARMS_WIDTH, BAND_HEIGHT).slice(0, 1);
  const width = Math.floor((GRID_WIDTH - states.length * ALARMS_WIDTH) / graphs.length);
  return [...states, ...graphs.map(graph => graphWidget(graph, width))];
}

/** A metric that is counted. */
export function sum(label: string, color?: string): MetricOptions {
  return { statistic: Stats.SUM, label, color };
}

/** The line at which an alarm fires. Its resource knows: the alarm itself does not hear of a threshold changed later. */
export function alarmLine({ node }: Alarm): HorizontalAnnotation[] {
  const resource = node.defaultChild;
  if (!(resource instanceof CfnAlarm) || resource.threshold === undefined) return [];
  return [{ value: resource.threshold, label: 'alarm', color: Color.ORANGE }];
}

/**
 * Where a metric of a resource is to be found, should that be another place than the stack says: an imported queue or topic
 * has its own Region and account.
 */
export function placeOf(resource: IResource): MetricOptions {
  const stack = Stack.of(resource);
  const other = (its: string, ours: string) =>
    Token.compareStrings(its, ours) === TokenComparison.DIFFERENT ? its : undefined;
  return { region: other(resource.env.region, stack.region), account: other(resource.env.account, stack.account) };
}

/** The dead letters a queue holds. */
export function waiting(queue: IQueue, label: string): Metric {
  return queue.metricApproximateNumberOfMessagesVisible({ statistic: Stats.MAXIMUM, label, ...placeOf(queue) });
}

/** How old the oldest message of a queue is, in seconds. */
export function oldest(queue: IQueue, label: string): Metric {
  return queue.metricApproximateAgeOfOldestMessage({ statistic: Stats.MAXIMUM, label, ...placeOf(queue) });
}

/** The metric of dead letters that arrive counts what is sent and not what SQS moves: of such a queue it tells nothing. */
function arrivals(queue: IQueue): Metric[] {
  const onlyMoved = isDeadLetterQueue(queue) && queue.waitingAlarm && !queue.arrivalsAlarm;
  return onlyMoved ? [] : [queue.metricNumberOfMessagesSent({ ...sum('sent here', Color.RED), ...placeOf(queue) })];
}

/** Where dead letters are gone. What SQS moved here is gone sooner, by the time it spent in its source. */
function expiryLine(queue: IQueue): HorizontalAnnotation[] {
  const value = retentionSeconds(queue);
  return value === undefined ? [] : [{ value, label: 'expired at the latest', color: Color.RED }];
}

/** The alarms of a dead-letter queue, if it is of a kind that has any. */
export function deadLetterAlarms(queue: IQueue): readonly IAlarm[] {
  return isDeadLetterQueue(queue) ? queue.alarms : [];
}

/** What is shown of a dead-letter queue. */
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
