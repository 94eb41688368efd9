import type { LogGroup as Described, DescribeLogGroupsRequest } from '@aws-sdk/client-cloudwatch-logs';
import { notImplemented } from '../../kernel/aws-error';
import { logsConstraints } from '../constraints';
import { invalidParameter } from '../errors';
import { logGroupArn, nameInIdentifier } from '../log-arns';
import type { LogGroup } from '../log-group';
import type { LogsState } from '../logs-state';
import { logsPage, MAX_LISTED } from '../paging';
import { anyGroup, type LogsAction } from './logs-action';

/** @see https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_DescribeLogGroups.html */
export const describeLogGroups: LogsAction<'DescribeLogGroups'> = {
  permission: 'logs:DescribeLogGroups',
  resourceOf: anyGroup,
  run: (state, { input }) => {
    logsConstraints().range('limit', input.limit, 1, MAX_LISTED).check();
    const isWanted = wantedBy(input);
    const { items, nextToken } = logsPage(state.groups.filter(isWanted), input.limit, input.nextToken);
    return { logGroups: items.map(group => describe(state, group)), nextToken };
  },
};

function wantedBy(input: DescribeLogGroupsRequest): (group: LogGroup) => boolean {
  const { logGroupNamePrefix: prefix, logGroupNamePattern: pattern, logGroupIdentifiers, logGroupClass } = input;
  if (input.includeLinkedAccounts || input.accountIdentifiers) throw notImplemented('log groups of other accounts');
  if (prefix !== undefined && pattern !== undefined) {
    throw invalidParameter('logGroupNamePrefix and logGroupNamePattern are mutually exclusive parameters.');
  }
  const names = logGroupIdentifiers?.map(nameInIdentifier);
  return ({ name }) =>
    name.startsWith(prefix ?? '') &&
    name.includes(pattern ?? '') &&
    (names?.includes(name) ?? true) &&
    (logGroupClass ?? 'STANDARD') === 'STANDARD';
}

function describe({ context, nowMs }: LogsState, group: LogGroup): Described {
  const arn = logGroupArn(context.place, group.name);
  group.events(nowMs);
  return {
    logGroupName: group.name,
    arn: `${arn}:*`,
    logGroupArn: arn,
    creationTime: group.createdAtMs,
    retentionInDays: group.retentionInDays,
    kmsKeyId: group.kmsKeyId,
    metricFilterCount: group.metricFilters.size,
    storedBytes: group.storedBytes,
    logGroupClass: 'STANDARD',
    deletionProtectionEnabled: group.deletionProtectionEnabled,
  };
}
