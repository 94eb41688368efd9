import type {
  CreateLogGroupRequest,
  CreateLogStreamRequest,
  DeleteLogGroupRequest,
  DeleteLogStreamRequest,
  DeleteMetricFilterRequest,
  DeleteQueryDefinitionRequest,
  DeleteQueryDefinitionResponse,
  DeleteResourcePolicyRequest,
  DeleteRetentionPolicyRequest,
  DeleteSubscriptionFilterRequest,
  DescribeLogGroupsRequest,
  DescribeLogGroupsResponse,
  DescribeLogStreamsRequest,
  DescribeLogStreamsResponse,
  DescribeMetricFiltersRequest,
  DescribeMetricFiltersResponse,
  DescribeQueriesRequest,
  DescribeQueriesResponse,
  DescribeQueryDefinitionsRequest,
  DescribeQueryDefinitionsResponse,
  DescribeResourcePoliciesRequest,
  DescribeResourcePoliciesResponse,
  DescribeSubscriptionFiltersRequest,
  DescribeSubscriptionFiltersResponse,
  FilterLogEventsRequest,
  FilterLogEventsResponse,
  GetLogEventsRequest,
  GetLogEventsResponse,
  GetLogRecordRequest,
  GetLogRecordResponse,
  GetQueryResultsRequest,
  GetQueryResultsResponse,
  ListTagsForResourceRequest,
  ListTagsForResourceResponse,
  ListTagsLogGroupRequest,
  ListTagsLogGroupResponse,
  PutLogEventsRequest,
  PutLogEventsResponse,
  PutLogGroupDeletionProtectionRequest,
  PutMetricFilterRequest,
  PutQueryDefinitionRequest,
  PutQueryDefinitionResponse,
  PutResourcePolicyRequest,
  PutResourcePolicyResponse,
  PutRetentionPolicyRequest,
  PutSubscriptionFilterRequest,
  StartQueryRequest,
  StartQueryResponse,
  StopQueryRequest,
  StopQueryResponse,
  TagLogGroupRequest,
  TagResourceRequest,
  TestMetricFilterRequest,
  TestMetricFilterResponse,
  UntagLogGroupRequest,
  UntagResourceRequest,
} from '@aws-sdk/client-cloudwatch-logs';
import type { Action } from '../kernel/service-api';

/** An empty response. */
export type Done = Readonly<Record<string, never>>;

/**
 * The API actions of CloudWatch Logs that the embedded AWS implements.
 * @see https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_Operations.html
 */
export type LogsActions = {
  readonly CreateLogGroup: Action<CreateLogGroupRequest, Done>;
  readonly CreateLogStream: Action<CreateLogStreamRequest, Done>;
  readonly DeleteLogGroup: Action<DeleteLogGroupRequest, Done>;
  readonly DeleteLogStream: Action<DeleteLogStreamRequest, Done>;
  readonly DeleteMetricFilter: Action<DeleteMetricFilterRequest, Done>;
  readonly DeleteQueryDefinition: Action<DeleteQueryDefinitionRequest, DeleteQueryDefinitionResponse>;
  readonly DeleteResourcePolicy: Action<DeleteResourcePolicyRequest, Done>;
  readonly DeleteRetentionPolicy: Action<DeleteRetentionPolicyRequest, Done>;
  readonly DeleteSubscriptionFilter: Action<DeleteSubscriptionFilterRequest, Done>;
  readonly DescribeLogGroups: Action<DescribeLogGroupsRequest, DescribeLogGroupsResponse>;
  readonly DescribeLogStreams: Action<DescribeLogStreamsRequest, DescribeLogStreamsResponse>;
  readonly DescribeMetricFilters: Action<DescribeMetricFiltersRequest, DescribeMetricFiltersResponse>;
  readonly DescribeQueries: Action<DescribeQueriesRequest, DescribeQueriesResponse>;
  readonly DescribeQueryDefinitions: Action<DescribeQueryDefinitionsRequest, DescribeQueryDefinitionsResponse>;
  readonly DescribeResourcePolicies: Action<DescribeResourcePoliciesRequest, DescribeResourcePoliciesResponse>;
  readonly DescribeSubscriptionFilters: Action<DescribeSubscriptionFiltersRequest, DescribeSubscriptionFiltersResponse>;
  readonly FilterLogEvents: Action<FilterLogEventsRequest, FilterLogEventsResponse>;
  readonly GetLogEvents: Action<GetLogEventsRequest, GetLogEventsResponse>;
  readonly GetLogRecord: Action<GetLogRecordRequest, GetLogRecordResponse>;
  readonly GetQueryResults: Action<GetQueryResultsRequest, GetQueryResultsResponse>;
  readonly ListTagsForResource: Action<ListTagsForResourceRequest, ListTagsForResourceResponse>;
  readonly ListTagsLogGroup: Action<ListTagsLogGroupRequest, ListTagsLogGroupResponse>;
  readonly PutLogEvents: Action<PutLogEventsRequest, PutLogEventsResponse>;
  readonly PutLogGroupDeletionProtection: Action<PutLogGroupDeletionProtectionRequest, Done>;
  readonly PutMetricFilter: Action<PutMetricFilterRequest, Done>;
  readonly PutQueryDefinition: Action<PutQueryDefinitionRequest, PutQueryDefinitionResponse>;
  readonly PutResourcePolicy: Action<PutResourcePolicyRequest, PutResourcePolicyResponse>;
  readonly PutRetentionPolicy: Action<PutRetentionPolicyRequest, Done>;
  readonly PutSubscriptionFilter: Action<PutSubscriptionFilterRequest, Done>;
  readonly StartQuery: Action<StartQueryRequest, StartQueryResponse>;
  readonly StopQuery: Action<StopQueryRequest, StopQueryResponse>;
  readonly TagLogGroup: Action<TagLogGroupRequest, Done>;
  readonly TagResource: Action<TagResourceRequest, Done>;
  readonly TestMetricFilter: Action<TestMetricFilterRequest, TestMetricFilterResponse>;
  readonly UntagLogGroup: Action<UntagLogGroupRequest, Done>;
  readonly UntagResource: Action<UntagResourceRequest, Done>;
};

export type LogsActionName = keyof LogsActions;
