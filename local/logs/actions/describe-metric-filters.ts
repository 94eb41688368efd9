import type { Resource } from '../../kernel/doorkeeper';
import { logsConstraints } from '../constraints';
import { invalidParameter } from '../errors';
import type { LogsState } from '../logs-state';
import { logsPage, MAX_LISTED } from '../paging';
import { anyGroup, type GroupNamed, groupNamed, type LogsAction } from './logs-action';

/** @see https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_DescribeMetricFilters.html */
export const describeMetricFilters: LogsAction<'DescribeMetricFilters'> = {
  permission: 'logs:DescribeMetricFilters',
  resourceOf: (state: LogsState, input: GroupNamed): Resource =>
    input.logGroupName === undefined ? anyGroup(state) : groupNamed(state, input),
  run: (state, { input }) => {
    const { logGroupName, filterNamePrefix = '', metricName, metricNamespace, limit, nextToken: token } = input;
    logsConstraints().range('limit', limit, 1, MAX_LISTED).check();
    if ((metricName === undefined) !== (metricNamespace === undefined)) {
      throw invalidParameter('metricName and metricNamespace must be given together');
    }
    const groups = logGroupName === undefined ? state.groups : [state.get(logGroupName)];
    const found = groups
      .flatMap(group => [...group.metricFilters.values()].map(filter => ({ group, filter })))
      .filter(({ filter: { filterName, transformation } }) => {
        if (!filterName.startsWith(filterNamePrefix)) return false;
        if (metricName === undefined) return true;
        return transformation.metricName === metricName && transformation.metricNamespace === metricNamespace;
      })
      .sort((a, b) => (a.filter.filterName < b.filter.filterName ? -1 : 1));
    const { items, nextToken } = logsPage(found, limit, token);
    return {
      metricFilters: items.map(({ group, filter: { filterName, filterPattern, transformation, createdAtMs } }) => ({
        filterName,
        filterPattern,
        metricTransformations: [transformation],
        creationTime: createdAtMs,
        logGroupName: group.name,
      })),
      nextToken,
    };
  },
};
