import type { DimensionFilter } from '@aws-sdk/client-cloudwatch';
import { notImplemented } from '../../kernel/aws-error';
import { Constraints, cloudWatchPage } from '../errors';
import { dimensionList, type MetricSeries } from '../metrics/metric-series';
import type { CloudWatchAction } from './cloud-watch-action';

const HOUR_MS = 3_600_000;
/** AWS does not list a metric without new data in the past two weeks. */
const LISTED_FOR_MS = 14 * 24 * HOUR_MS;
const RECENT_MS = 3 * HOUR_MS;
const PAGE_SIZE = 500;
const MOST_FILTERS = 10;

/** @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_ListMetrics.html */
export const listMetrics: CloudWatchAction<'ListMetrics'> = {
  permission: 'cloudwatch:ListMetrics',
  resourceOf: () => ({ arn: '*' }),
  run: ({ metrics, context }, { input }) => {
    if (input.IncludeLinkedAccounts || input.OwningAccount) throw notImplemented("ListMetrics's linked accounts");
    new Constraints()
      .length('dimensions', input.Dimensions, 0, MOST_FILTERS)
      .oneOf('recentlyActive', input.RecentlyActive, ['PT3H'])
      .check();
    const sinceMs = context.timeline.nowMs - (input.RecentlyActive ? RECENT_MS : LISTED_FOR_MS);
    const found = metrics.reported.filter(
      ({ identity: { namespace, name, dimensions }, reportedAtMs = Number.NEGATIVE_INFINITY }) =>
        reportedAtMs >= sinceMs &&
        (input.Namespace ?? namespace) === namespace &&
        (input.MetricName ?? name) === name &&
        (input.Dimensions ?? []).every(filter => has(dimensions, filter)),
    );
    const { items, nextToken } = cloudWatchPage(found, PAGE_SIZE, input.NextToken);
    return { Metrics: items.map(metric), NextToken: nextToken };
  },
};

/** A filter without a value accepts any value. */
function has(dimensions: Readonly<Record<string, string>>, { Name = '', Value }: DimensionFilter): boolean {
  return Object.hasOwn(dimensions, Name) && (Value ?? dimensions[Name]) === dimensions[Name];
}

const metric = ({ identity: { namespace, name, dimensions } }: MetricSeries) => ({
  Namespace: namespace,
  MetricName: name,
  Dimensions: dimensionList(dimensions),
});
