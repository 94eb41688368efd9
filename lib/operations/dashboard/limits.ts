import type { IWidget } from 'aws-cdk-lib/aws-cloudwatch';
import type { Problem } from '../../../policy/problem';

/** @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/cloudwatch_limits.html */
const MOST = { widgets: 500, metricsOfOneWidget: 500, metrics: 2_500 } as const;

/** As far as it matters here. */
interface WidgetJson {
  readonly properties?: { readonly metrics?: readonly unknown[] };
}

/** What CloudWatch would reject of a dashboard that shows too much. */
export function dashboardLimitProblems(shown: IWidget): Problem[] {
  const widgets: readonly WidgetJson[] = shown.toJson();
  const metrics = widgets.map(({ properties }) => properties?.metrics?.length ?? 0);
  const counts: Record<keyof typeof MOST, number> = {
    widgets: widgets.length,
    metricsOfOneWidget: Math.max(0, ...metrics),
    metrics: metrics.reduce((sum, count) => sum + count, 0),
  };
  return (Object.keys(MOST) as (keyof typeof MOST)[])
    .filter(property => counts[property] > MOST[property])
    .map(property => {
      const rule = `must be at most ${MOST[property].toLocaleString('en-US')}, so share what it shows among two dashboards`;
      return { property, rule, value: counts[property] };
    });
}
