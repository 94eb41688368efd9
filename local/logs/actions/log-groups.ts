import type { LogGroup as Described, DescribeLogGroupsRequest } from '@aws-sdk/client-cloudwatch-logs';
import { keyRefusal } from '../../kernel/access';
import { AwsError, notImplemented } from '../../kernel/aws-error';
import { serviceCaller } from '../../kernel/caller';
import { checkTags, tagList } from '../../kernel/tags';
import { checkGroupName, invalidParameter, logsConstraints, logsPage, MAX_LISTED } from '../errors';
import { type LogGroup, logGroupTags } from '../log-group';
import type { LogsState } from '../logs-state';
import { logGroupArn, logsService, nameInIdentifier } from '../ports';
import { anyGroup, type GroupNamed, groupName, groupNamed, type LogsAction } from './logs-action';

/** @see https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_CreateLogGroup.html */
export const createLogGroup: LogsAction<'CreateLogGroup'> = {
  permission: 'logs:CreateLogGroup',
  resourceOf: groupNamed,
  run: (state, { input }) => {
    const { kmsKeyId, logGroupClass, tags = {}, deletionProtectionEnabled = false } = input;
    const logGroupName = checkGroupName(input.logGroupName);
    if (logGroupClass !== undefined && logGroupClass !== 'STANDARD') {
      throw notImplemented(`log groups of the class ${logGroupClass}`);
    }
    checkTags(tagList(tags), logGroupTags(logGroupName));
    if (kmsKeyId !== undefined) checkKey(state, logGroupName, kmsKeyId);
    const group = state.create(logGroupName);
    group.kmsKeyId = kmsKeyId;
    group.deletionProtectionEnabled = deletionProtectionEnabled;
    group.tags.put(tagList(tags));
    return {};
  },
};

/** Checks that the key's policy lets CloudWatch Logs use the key for this log group. */
function checkKey({ context }: LogsState, logGroupName: string, kmsKeyId: string): void {
  const arn = logGroupArn(context.place, logGroupName);
  const logs = serviceCaller(logsService(context.place), arn, context.place.account);
  const caller = { ...logs, context: { ...logs.context, 'kms:EncryptionContext:aws:logs:arn': arn } };
  if (keyRefusal(context, { keyId: kmsKeyId, caller, via: 'logs' }, 'kms:GenerateDataKey', 'kms:Decrypt')) {
    throw invalidParameter(`The specified KMS key does not exist or is not allowed to be used with LogGroup '${arn}'`);
  }
}

/** @see https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_AssociateKmsKey.html */
export const associateKmsKey: LogsAction<'AssociateKmsKey'> = {
  permission: 'logs:AssociateKmsKey',
  resourceOf: (state, { logGroupName, resourceIdentifier }) =>
    groupNamed(state, keyed(logGroupName, resourceIdentifier)),
  run: (state, { input: { logGroupName, resourceIdentifier, kmsKeyId = '' } }) => {
    const group = state.get(groupName(keyed(logGroupName, resourceIdentifier)));
    checkKey(state, group.name, kmsKeyId);
    group.kmsKeyId = kmsKeyId;
    return {};
  },
};

/** @see https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_DisassociateKmsKey.html */
export const disassociateKmsKey: LogsAction<'DisassociateKmsKey'> = {
  permission: 'logs:DisassociateKmsKey',
  resourceOf: (state, { logGroupName, resourceIdentifier }) =>
    groupNamed(state, keyed(logGroupName, resourceIdentifier)),
  run: (state, { input: { logGroupName, resourceIdentifier } }) => {
    state.get(groupName(keyed(logGroupName, resourceIdentifier))).kmsKeyId = undefined;
    return {};
  },
};

/** The log group whose key changes. The key of query results is not simulated. */
function keyed(logGroupName: string | undefined, resourceIdentifier: string | undefined): GroupNamed {
  if (resourceIdentifier?.includes(':query-result:')) throw notImplemented('a key for query results');
  return { logGroupName, logGroupIdentifier: resourceIdentifier };
}

/** @see https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_DeleteLogGroup.html */
export const deleteLogGroup: LogsAction<'DeleteLogGroup'> = {
  permission: 'logs:DeleteLogGroup',
  resourceOf: groupNamed,
  run: (state, { input }) => {
    const group = state.get(groupName(input));
    if (group.deletionProtectionEnabled) {
      throw new AwsError('ValidationException', `The log group ${group.name} is protected from deletion.`);
    }
    state.delete(group);
    return {};
  },
};

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

/** @see https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_PutLogGroupDeletionProtection.html */
export const putLogGroupDeletionProtection: LogsAction<'PutLogGroupDeletionProtection'> = {
  permission: 'logs:PutLogGroupDeletionProtection',
  resourceOf: groupNamed,
  run: (state, { input }) => {
    state.get(groupName(input)).deletionProtectionEnabled = input.deletionProtectionEnabled ?? false;
    return {};
  },
};

const DAYS = [1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653];

/** @see https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_PutRetentionPolicy.html */
export const putRetentionPolicy: LogsAction<'PutRetentionPolicy'> = {
  permission: 'logs:PutRetentionPolicy',
  resourceOf: groupNamed,
  run: (state, { input }) => {
    const { logGroupName = '', retentionInDays = 0 } = input;
    if (!DAYS.includes(retentionInDays)) {
      throw invalidParameter(`retentionInDays must be one of ${DAYS.join(', ')}, got ${retentionInDays}`);
    }
    state.get(logGroupName).retentionInDays = retentionInDays;
    return {};
  },
};

/** @see https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_DeleteRetentionPolicy.html */
export const deleteRetentionPolicy: LogsAction<'DeleteRetentionPolicy'> = {
  permission: 'logs:DeleteRetentionPolicy',
  resourceOf: groupNamed,
  run: (state, { input: { logGroupName = '' } }) => {
    state.get(logGroupName).retentionInDays = undefined;
    return {};
  },
};
