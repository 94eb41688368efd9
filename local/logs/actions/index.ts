import type { ServiceActions } from '../../kernel/service-api';
import type { LogsActions } from '../logs-actions';
import type { LogsState } from '../logs-state';
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
  createLogGroup,
  deleteLogGroup,
  deleteRetentionPolicy,
  describeLogGroups,
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

/** The implemented API actions by name. */
export const LOGS_ACTIONS: ServiceActions<LogsState, LogsActions> = {
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
