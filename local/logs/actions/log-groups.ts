import type {
  LogGroup as DescribedGroup,
  LogStream as DescribedStream,
  DescribeLogGroupsRequest,
} from '@aws-sdk/client-cloudwatch-logs';
import { parseArn } from '../../../policy/arn';
import { keyRefusal } from '../../kernel/access';
import { AwsError, notImplemented } from '../../kernel/aws-error';
import { serviceCaller } from '../../kernel/caller';
import type { Resource } from '../../kernel/service-api';
import { checkTags, tagList } from '../../kernel/tags';
import {
  checkGroupName,
  constrainName,
  constrainText,
  invalidParameter,
  logsConstraints,
  logsPage,
  MAX_LISTED,
  resourceMissing,
  streamExists,
} from '../errors';
import type { LogStream } from '../log-events';
import { type LogGroup, logGroupTags } from '../log-group';
import type { LogsState } from '../logs-state';
import { logGroupArn, logStreamArn, logsService, nameInIdentifier } from '../ports';
import { anyGroup, type GroupNamed, groupName, groupNamed, type LogsFamily, streamNamed } from './logs-action';

const DAYS = [1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653];

const byName = (a: LogStream, b: LogStream): number => (a.name < b.name ? -1 : 1);

const byLastEvent = (a: LogStream, b: LogStream): number =>
  (a.events.last?.atMs ?? 0) - (b.events.last?.atMs ?? 0) || byName(a, b);

const taggedResource = (
  _: LogsState,
  { resourceArn = '' }: { readonly resourceArn: string | undefined },
): Resource => ({ arn: resourceArn });

export const logGroupActions = {
  CreateLogGroup: {
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
  },

  AssociateKmsKey: {
    resourceOf: (state, { logGroupName, resourceIdentifier }) =>
      groupNamed(state, keyed(logGroupName, resourceIdentifier)),
    run: (state, { input: { logGroupName, resourceIdentifier, kmsKeyId = '' } }) => {
      const group = state.get(groupName(keyed(logGroupName, resourceIdentifier)));
      checkKey(state, group.name, kmsKeyId);
      group.kmsKeyId = kmsKeyId;
      return {};
    },
  },

  DisassociateKmsKey: {
    resourceOf: (state, { logGroupName, resourceIdentifier }) =>
      groupNamed(state, keyed(logGroupName, resourceIdentifier)),
    run: (state, { input: { logGroupName, resourceIdentifier } }) => {
      state.get(groupName(keyed(logGroupName, resourceIdentifier))).kmsKeyId = undefined;
      return {};
    },
  },

  DeleteLogGroup: {
    resourceOf: groupNamed,
    run: (state, { input }) => {
      const group = state.get(groupName(input));
      if (group.deletionProtectionEnabled) {
        throw new AwsError('ValidationException', `The log group ${group.name} is protected from deletion.`);
      }
      state.delete(group);
      return {};
    },
  },

  DescribeLogGroups: {
    resourceOf: anyGroup,
    run: (state, { input }) => {
      logsConstraints().range('limit', input.limit, 1, MAX_LISTED).check();
      const isWanted = wantedBy(input);
      const { items, nextToken } = logsPage(state.groups.filter(isWanted), input.limit, input.nextToken);
      return { logGroups: items.map(group => describedGroup(state, group)), nextToken };
    },
  },

  PutLogGroupDeletionProtection: {
    resourceOf: groupNamed,
    run: (state, { input }) => {
      state.get(groupName(input)).deletionProtectionEnabled = input.deletionProtectionEnabled ?? false;
      return {};
    },
  },

  PutRetentionPolicy: {
    resourceOf: groupNamed,
    run: (state, { input }) => {
      const { logGroupName = '', retentionInDays = 0 } = input;
      if (!DAYS.includes(retentionInDays)) {
        throw invalidParameter(`retentionInDays must be one of ${DAYS.join(', ')}, got ${retentionInDays}`);
      }
      state.get(logGroupName).retentionInDays = retentionInDays;
      return {};
    },
  },

  DeleteRetentionPolicy: {
    resourceOf: groupNamed,
    run: (state, { input: { logGroupName = '' } }) => {
      state.get(logGroupName).retentionInDays = undefined;
      return {};
    },
  },

  CreateLogStream: {
    resourceOf: streamNamed,
    run: (state, { input }) => {
      const { logStreamName: name = '' } = input;
      constrainName(logsConstraints(), 'logStreamName', input.logStreamName).check();
      const group = state.get(input.logGroupName ?? '');
      if (group.streams.has(name)) throw streamExists();
      group.addStream(name, state.nowMs);
      return {};
    },
  },

  DeleteLogStream: {
    resourceOf: streamNamed,
    run: (state, { input: { logGroupName = '', logStreamName = '' } }) => {
      state.get(logGroupName).deleteStream(state.stream(logGroupName, logStreamName));
      return {};
    },
  },

  DescribeLogStreams: {
    resourceOf: groupNamed,
    run: (state, { input }) => {
      const { logStreamNamePrefix, orderBy = 'LogStreamName', descending = false, limit, nextToken: token } = input;
      logsConstraints().range('limit', limit, 1, MAX_LISTED).check();
      if (orderBy === 'LastEventTime' && logStreamNamePrefix !== undefined) {
        throw invalidParameter('Cannot order by LastEventTime with a logStreamNamePrefix.');
      }
      const group = state.get(groupName(input));
      group.events(state.nowMs);
      const found = [...group.streams.values()]
        .filter(({ name }) => name.startsWith(logStreamNamePrefix ?? ''))
        .sort(orderBy === 'LastEventTime' ? byLastEvent : byName);
      const { items, nextToken } = logsPage(descending ? found.reverse() : found, limit, token);
      const arnOf = (name: string) => logStreamArn(state.context.place, group.name, name);
      return { logStreams: items.map(stream => describedStream(stream, arnOf(stream.name))), nextToken };
    },
  },

  PutResourcePolicy: {
    run: (state, { input }) => {
      if (input.resourceArn) throw notImplemented('resource policies of a single log group');
      const { policyName: name = '', policyDocument: document = '' } = input;
      const constraints = constrainText(logsConstraints(), 'policyName', input.policyName, 256);
      constrainText(constraints, 'policyDocument', input.policyDocument, 5120).check();
      return { resourcePolicy: state.resourcePolicies.put(name, document, state.nowMs) };
    },
  },

  DeleteResourcePolicy: {
    run: (state, { input: { policyName = '' } }) => {
      state.resourcePolicies.delete(policyName);
      return {};
    },
  },

  DescribeResourcePolicies: {
    run: (state, { input: { limit, nextToken: token } }) => {
      logsConstraints().range('limit', limit, 1, MAX_LISTED).check();
      const { items, nextToken } = logsPage(state.resourcePolicies.list(), limit, token);
      return { resourcePolicies: items, nextToken };
    },
  },

  TagResource: {
    resourceOf: taggedResource,
    run: (state, { input: { resourceArn, tags = {} } }) => {
      groupOfArn(state, resourceArn).tags.put(tagList(tags));
      return {};
    },
  },

  UntagResource: {
    resourceOf: taggedResource,
    run: (state, { input: { resourceArn, tagKeys = [] } }) => {
      groupOfArn(state, resourceArn).tags.remove(tagKeys);
      return {};
    },
  },

  ListTagsForResource: {
    resourceOf: taggedResource,
    run: (state, { input: { resourceArn } }) => ({ tags: groupOfArn(state, resourceArn).tags.record() }),
  },

  /** Deprecated by AWS, and still in use. */
  TagLogGroup: {
    resourceOf: groupNamed,
    run: (state, { input: { logGroupName = '', tags = {} } }) => {
      state.get(logGroupName).tags.put(tagList(tags));
      return {};
    },
  },

  /** Deprecated by AWS, and still in use. */
  UntagLogGroup: {
    resourceOf: groupNamed,
    run: (state, { input: { logGroupName = '', tags = [] } }) => {
      state.get(logGroupName).tags.remove(tags);
      return {};
    },
  },

  /** Deprecated by AWS, and still in use. */
  ListTagsLogGroup: {
    resourceOf: groupNamed,
    run: (state, { input: { logGroupName = '' } }) => ({ tags: state.get(logGroupName).tags.record() }),
  },
} satisfies LogsFamily;

/** Checks that the key's policy lets CloudWatch Logs use the key for this log group. */
function checkKey({ context }: LogsState, logGroupName: string, kmsKeyId: string): void {
  const arn = logGroupArn(context.place, logGroupName);
  const logs = serviceCaller(logsService(context.place), arn, context.place.account);
  const caller = { ...logs, context: { ...logs.context, 'kms:EncryptionContext:aws:logs:arn': arn } };
  if (keyRefusal(context, { keyId: kmsKeyId, caller, via: 'logs' }, 'kms:GenerateDataKey', 'kms:Decrypt')) {
    throw invalidParameter(`The specified KMS key does not exist or is not allowed to be used with LogGroup '${arn}'`);
  }
}

/** The log group whose key changes. The key of query results is not simulated. */
function keyed(logGroupName: string | undefined, resourceIdentifier: string | undefined): GroupNamed {
  if (resourceIdentifier?.includes(':query-result:')) throw notImplemented('a key for query results');
  return { logGroupName, logGroupIdentifier: resourceIdentifier };
}

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

function describedGroup({ context, nowMs }: LogsState, group: LogGroup): DescribedGroup {
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

function describedStream({ name, createdAtMs, events, lastIngestedAtMs }: LogStream, arn: string): DescribedStream {
  return {
    logStreamName: name,
    creationTime: createdAtMs,
    ...(events.first && { firstEventTimestamp: events.first.atMs }),
    ...(events.last && { lastEventTimestamp: events.last.atMs }),
    ...(lastIngestedAtMs !== undefined && { lastIngestionTime: lastIngestedAtMs }),
    arn,
    // AWS has always returned 0 since 2019.
    storedBytes: 0,
  };
}

/** Only log groups have tags in the embedded AWS. */
function groupOfArn(state: LogsState, resourceArn: string | undefined): LogGroup {
  constrainText(logsConstraints(), 'resourceArn', resourceArn, 1011).check();
  const arn = resourceArn ?? '';
  const group = parseArn(arn)?.service === 'logs' ? state.find(nameInIdentifier(arn)) : undefined;
  if (!group) throw resourceMissing();
  return group;
}
