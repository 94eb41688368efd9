import {
  AlarmStatusWidget,
  AlarmStatusWidgetSortBy,
  GraphWidget,
  type HorizontalAnnotation,
  type IAlarm,
  type IMetric,
  type IWidget,
} from 'aws-cdk-lib/aws-cloudwatch';

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
