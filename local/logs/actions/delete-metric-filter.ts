import { filterMissing } from '../errors';
import { groupNamed, type LogsAction } from './logs-action';

/** @see https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_DeleteMetricFilter.html */
export const deleteMetricFilter: LogsAction<'DeleteMetricFilter'> = {
  permission: 'logs:DeleteMetricFilter',
  resourceOf: groupNamed,
  run: (state, { input: { logGroupName = '', filterName = '' } }) => {
    if (!state.get(logGroupName).metricFilters.delete(filterName)) throw filterMissing('metric');
    return {};
  },
};
