import type { ServiceActions } from '../../kernel/front-door';
import type { LogsActions } from '../logs-actions';
import type { LogsState } from '../logs-state';
import { createLogGroup } from './create-log-group';
import { createLogStream } from './create-log-stream';
import { deleteLogGroup } from './delete-log-group';
import { deleteLogStream } from './delete-log-stream';
import { deleteMetricFilter } from './delete-metric-filter';
import { deleteQueryDefinition } from './delete-query-definition';
import { deleteResourcePolicy } from './delete-resource-policy';
import { deleteRetentionPolicy } from './delete-retention-policy';
import { deleteSubscriptionFilter } from './delete-subscription-filter';
import { describeLogGroups } from './describe-log-groups';
import { describeLogStreams } from './describe-log-streams';
import { describeMetricFilters } from './describe-metric-filters';
import { describeQueries } from './describe-queries';
import { describeQueryDefinitions } from './describe-query-definitions';
import { describeResourcePolicies } from './describe-resource-policies';
import { describeSubscriptionFilters } from './describe-subscription-filters';
import { filterLogEvents } from './filter-log-events';
import { getLogEvents } from './get-log-events';
import { getLogRecord } from './get-log-record';
import { getQueryResults } from './get-query-results';
import { listTagsForResource } from './list-tags-for-resource';
import { listTagsLogGroup } from './list-tags-log-group';
import { putLogEvents } from './put-log-events';
import { putLogGroupDeletionProtection } from './put-log-group-deletion-protection';
import { putMetricFilter } from './put-metric-filter';
import { putQueryDefinition } from './put-query-definition';
import { putResourcePolicy } from './put-resource-policy';
import { putRetentionPolicy } from './put-retention-policy';
import { putSubscriptionFilter } from './put-subscription-filter';
import { startQuery } from './start-query';
import { stopQuery } from './stop-query';
import { tagLogGroup } from './tag-log-group';
import { tagResource } from './tag-resource';
import { testMetricFilter } from './test-metric-filter';
import { untagLogGroup } from './untag-log-group';
import { untagResource } from './untag-resource';

/** Every API action by its name. */
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
