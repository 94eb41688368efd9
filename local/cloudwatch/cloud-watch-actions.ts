import type {
  DeleteAlarmsInput,
  DeleteDashboardsInput,
  DescribeAlarmHistoryInput,
  DescribeAlarmHistoryOutput,
  DescribeAlarmsForMetricInput,
  DescribeAlarmsForMetricOutput,
  DescribeAlarmsInput,
  DescribeAlarmsOutput,
  DisableAlarmActionsInput,
  EnableAlarmActionsInput,
  GetDashboardInput,
  GetDashboardOutput,
  GetMetricDataInput,
  GetMetricDataOutput,
  GetMetricStatisticsInput,
  GetMetricStatisticsOutput,
  ListDashboardsInput,
  ListDashboardsOutput,
  ListMetricsInput,
  ListMetricsOutput,
  ListTagsForResourceInput,
  ListTagsForResourceOutput,
  PutCompositeAlarmInput,
  PutDashboardInput,
  PutDashboardOutput,
  PutMetricAlarmInput,
  PutMetricDataInput,
  SetAlarmStateInput,
  TagResourceInput,
  UntagResourceInput,
} from '@aws-sdk/client-cloudwatch';
import type { Action } from '../kernel/service-api';

/** An empty response. */
export type Done = Readonly<Record<string, never>>;

/**
 * The API actions of CloudWatch that the embedded AWS implements. It does not implement metric streams, anomaly
 * detectors, Contributor Insights, mute rules, datasets, OpenTelemetry and widget images.
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_Operations.html
 */
export type CloudWatchActions = {
  readonly DeleteAlarms: Action<DeleteAlarmsInput, Done>;
  readonly DeleteDashboards: Action<DeleteDashboardsInput, Done>;
  readonly DescribeAlarmHistory: Action<DescribeAlarmHistoryInput, DescribeAlarmHistoryOutput>;
  readonly DescribeAlarms: Action<DescribeAlarmsInput, DescribeAlarmsOutput>;
  readonly DescribeAlarmsForMetric: Action<DescribeAlarmsForMetricInput, DescribeAlarmsForMetricOutput>;
  readonly DisableAlarmActions: Action<DisableAlarmActionsInput, Done>;
  readonly EnableAlarmActions: Action<EnableAlarmActionsInput, Done>;
  readonly GetDashboard: Action<GetDashboardInput, GetDashboardOutput>;
  readonly GetMetricData: Action<GetMetricDataInput, GetMetricDataOutput>;
  readonly GetMetricStatistics: Action<GetMetricStatisticsInput, GetMetricStatisticsOutput>;
  readonly ListDashboards: Action<ListDashboardsInput, ListDashboardsOutput>;
  readonly ListMetrics: Action<ListMetricsInput, ListMetricsOutput>;
  readonly ListTagsForResource: Action<ListTagsForResourceInput, ListTagsForResourceOutput>;
  readonly PutCompositeAlarm: Action<PutCompositeAlarmInput, Done>;
  readonly PutDashboard: Action<PutDashboardInput, PutDashboardOutput>;
  readonly PutMetricAlarm: Action<PutMetricAlarmInput, Done>;
  readonly PutMetricData: Action<PutMetricDataInput, Done>;
  readonly SetAlarmState: Action<SetAlarmStateInput, Done>;
  readonly TagResource: Action<TagResourceInput, Done>;
  readonly UntagResource: Action<UntagResourceInput, Done>;
};

export type CloudWatchActionName = keyof CloudWatchActions;
