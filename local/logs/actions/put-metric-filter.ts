import { invalidParameter } from '../errors';
import type { LogsActions } from '../logs-actions';
import type { LogsState } from '../logs-state';
import { MetricFilter } from '../metric-filter';

/** @see https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_PutMetricFilter.html */
export const putMetricFilter =
  (state: LogsState): LogsActions['PutMetricFilter'] =>
  ({ input }) => {
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
  };
