import { logGroupArn } from '../log-arns';
import { logsPage } from '../paging';
import { anyGroup, type LogsAction } from './logs-action';

const DEFAULT_LIMIT = 50;

/** @see https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_DescribeLogGroups.html */
export const describeLogGroups: LogsAction<'DescribeLogGroups'> = {
  permission: 'logs:DescribeLogGroups',
  resourceOf: anyGroup,
  run: (state, { input }) => {
    const { logGroupNamePrefix = '', logGroupNamePattern = '', limit = DEFAULT_LIMIT } = input;
    const found = state.groups.filter(
      ({ name }) => name.startsWith(logGroupNamePrefix) && name.includes(logGroupNamePattern),
    );
    const { items, nextToken } = logsPage(found, limit, input.nextToken);
    return {
      logGroups: items.map(({ name, createdAtMs, retentionInDays, kmsKeyId, metricFilters }) => ({
        logGroupName: name,
        arn: `${logGroupArn(state.context.place, name)}:*`,
        logGroupArn: logGroupArn(state.context.place, name),
        creationTime: createdAtMs,
        retentionInDays,
        kmsKeyId,
        metricFilterCount: metricFilters.size,
        logGroupClass: 'STANDARD',
      })),
      nextToken,
    };
  },
};
