import { invalidParameter } from '../errors';
import { MetricFilter } from '../metric-filter';
import { groupNamed, type LogsAction } from './logs-action';

/** @see https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_PutMetricFilter.html */
export const putMetricFilter: LogsAction<'PutMetricFilter'> = {
  permission: 'logs:PutMetricFilter',
  resourceOf: groupNamed,
  run: (state, { input }) => {
    const { logGroupName = '', filterName = '', filterPattern = '', metricTransformations = [] } = input;
    const group = state.get(logGroupName);
    const [transformation, ...others] = metricTransformations;
    if (!transformation || others.length > 0) {
      throw invalidParameter(
        `A metric filter has exactly one metric transformation, got ${metricTransformations.length}`,
      );
    }
    group.metricFilters.set(filterName, new MetricFilter(filterName, filterPattern, transformation));
    return {};
  },
};
