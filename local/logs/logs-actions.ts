import type {
  CreateLogGroupRequest,
  DescribeLogGroupsRequest,
  DescribeLogGroupsResponse,
  FilterLogEventsRequest,
  FilterLogEventsResponse,
  PutMetricFilterRequest,
  PutRetentionPolicyRequest,
} from '@aws-sdk/client-cloudwatch-logs';
import type { Action } from '../kernel/api';

/** An answer that says nothing but that it is done. */
export type Done = Readonly<Record<string, never>>;

/**
 * The API actions CloudWatch Logs answers here.
 * @see https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_Operations.html
 */
export type LogsActions = {
  readonly CreateLogGroup: Action<CreateLogGroupRequest, Done>;
  readonly DescribeLogGroups: Action<DescribeLogGroupsRequest, DescribeLogGroupsResponse>;
  readonly FilterLogEvents: Action<FilterLogEventsRequest, FilterLogEventsResponse>;
  readonly PutMetricFilter: Action<PutMetricFilterRequest, Done>;
  readonly PutRetentionPolicy: Action<PutRetentionPolicyRequest, Done>;
};

export type LogsActionName = keyof LogsActions;
