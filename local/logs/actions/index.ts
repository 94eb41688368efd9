import type { CloudWatchLogs } from '@aws-sdk/client-cloudwatch-logs';
import type { SdkActions } from '../../kernel/service-api';
import {
  deleteMetricFilter,
  deleteSubscriptionFilter,
  describeMetricFilters,
  describeSubscriptionFilters,
  putMetricFilter,
  putSubscriptionFilter,
  testMetricFilter,
} from './filters';
import {
  associateKmsKey,
  createLogGroup,
  deleteLogGroup,
  deleteRetentionPolicy,
  describeLogGroups,
  disassociateKmsKey,
  putLogGroupDeletionProtection,
  putRetentionPolicy,
} from './log-groups';
import { createLogStream, deleteLogStream, describeLogStreams } from './log-streams';
import { putLogEvents } from './put-log-events';
import {
  deleteQueryDefinition,
  describeQueries,
  describeQueryDefinitions,
  getQueryResults,
  putQueryDefinition,
  startQuery,
  stopQuery,
} from './queries';
import { filterLogEvents, getLogEvents, getLogRecord } from './read-log-events';
import { deleteResourcePolicy, describeResourcePolicies, putResourcePolicy } from './resource-policies';
import { listTagsForResource, listTagsLogGroup, tagLogGroup, tagResource, untagLogGroup, untagResource } from './tags';

/**
 * The API actions of CloudWatch Logs that the embedded AWS implements.
 *
 * @see https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_Operations.html
 */
export const LOGS_ACTIONS = {
  AssociateKmsKey: associateKmsKey,
  CreateLogGroup: createLogGroup,
  CreateLogStream: createLogStream,
  DeleteLogGroup: deleteLogGroup,
  DeleteLogStream: deleteLogStream,
  DeleteMetricFilter: deleteMetricFilter,
  DeleteQueryDefinition: deleteQueryDefinition,
  DeleteResourcePolicy: deleteResourcePolicy,
  DeleteRetentionPolicy: deleteRetentionPolicy,
  DeleteSubscriptionFilter: deleteSubscriptionFilter,
  DescribeLogGroups: describeLogGroups,
  DescribeLogStreams: describeLogStreams,
  DescribeMetricFilters: describeMetricFilters,
  DescribeQueries: describeQueries,
  DescribeQueryDefinitions: describeQueryDefinitions,
  DescribeResourcePolicies: describeResourcePolicies,
  DescribeSubscriptionFilters: describeSubscriptionFilters,
  DisassociateKmsKey: disassociateKmsKey,
  FilterLogEvents: filterLogEvents,
  GetLogEvents: getLogEvents,
  GetLogRecord: getLogRecord,
  GetQueryResults: getQueryResults,
  ListTagsForResource: listTagsForResource,
  ListTagsLogGroup: listTagsLogGroup,
  PutLogEvents: putLogEvents,
  PutLogGroupDeletionProtection: putLogGroupDeletionProtection,
  PutMetricFilter: putMetricFilter,
  PutQueryDefinition: putQueryDefinition,
  PutResourcePolicy: putResourcePolicy,
  PutRetentionPolicy: putRetentionPolicy,
  PutSubscriptionFilter: putSubscriptionFilter,
  StartQuery: startQuery,
  StopQuery: stopQuery,
  TagLogGroup: tagLogGroup,
  TagResource: tagResource,
  TestMetricFilter: testMetricFilter,
  UntagLogGroup: untagLogGroup,
  UntagResource: untagResource,
};

export type LogsActionName = keyof typeof LOGS_ACTIONS;

/** The signatures of the implemented actions. */
export type LogsActions = SdkActions<CloudWatchLogs, LogsActionName>;
