import { constrainName, logsConstraints } from '../constraints';
import { invalidParameter } from '../errors';
import { MetricFilter } from '../metric-filter';
import { checkQuota, refuseSelections } from './filter-rules';
import { groupNamed, type LogsAction } from './logs-action';

const MAX_METRIC_FILTERS = 100;

/** @see https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_PutMetricFilter.html */
export const putMetricFilter: LogsAction<'PutMetricFilter'> = {
  permission: 'logs:PutMetricFilter',
  resourceOf: groupNamed,
  run: (state, { input }) => {
    const { logGroupName = '', filterName = '', filterPattern = '', metricTransformations = [] } = input;
    constrainName(logsConstraints(), 'filterName', input.filterName).check();
    refuseSelections(input, input.emitSystemFieldDimensions);
    const group = state.get(logGroupName);
    const [transformation, ...others] = metricTransformations;
    if (!transformation || others.length > 0) {
      throw invalidParameter(
        `A metric filter has exactly one metric transformation, got ${metricTransformations.length}`,
      );
    }
    const filter = new MetricFilter(filterName, filterPattern, transformation, state.nowMs);
    checkQuota(group, group.metricFilters, filterName, filter, MAX_METRIC_FILTERS);
    group.metricFilters.set(filterName, filter);
    return {};
  },
};
