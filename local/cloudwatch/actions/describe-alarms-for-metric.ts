import type { DescribeAlarmsForMetricInput } from '@aws-sdk/client-cloudwatch';
import { MetricAlarm } from '../alarms/metric-alarm';
import { Constraints } from '../constraints';
import { dimensionsOf } from '../dimensions';
import { anyAlarm, type CloudWatchAction } from './cloud-watch-action';
import { describedMetricAlarm } from './described-alarm';

/**
 * Alarms on expressions are not among them, as on AWS.
 *
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_DescribeAlarmsForMetric.html
 */
export const describeAlarmsForMetric: CloudWatchAction<'DescribeAlarmsForMetric'> = {
  permission: 'cloudwatch:DescribeAlarmsForMetric',
  resourceOf: anyAlarm,
  run: ({ alarms }, { input }) => {
    new Constraints().notNull('metricName', input.MetricName).notNull('namespace', input.Namespace).check();
    const found = alarms.all.filter(alarm => alarm instanceof MetricAlarm).filter(alarm => watches(alarm, input));
    return { MetricAlarms: found.map(describedMetricAlarm) };
  },
};

function watches({ configuration: { watched } }: MetricAlarm, input: DescribeAlarmsForMetricInput): boolean {
  if (watched.kind !== 'metric') return false;
  const { namespace, name, dimensions, statistic, unit } = watched.metric;
  const wanted = dimensionsOf(input.Dimensions);
  const names = Object.keys(wanted);
  return (
    namespace === input.Namespace &&
    name === input.MetricName &&
    names.length === Object.keys(dimensions).length &&
    names.every(dimension => wanted[dimension] === dimensions[dimension]) &&
    (input.Statistic ?? input.ExtendedStatistic ?? statistic.name) === statistic.name &&
    (input.Period ?? watched.periodSeconds) === watched.periodSeconds &&
    (input.Unit ?? unit) === unit
  );
}
