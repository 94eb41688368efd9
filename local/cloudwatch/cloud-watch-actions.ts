import type {
  DeleteAlarmsInput,
  DescribeAlarmHistoryInput,
  DescribeAlarmHistoryOutput,
  DescribeAlarmsInput,
  DescribeAlarmsOutput,
  GetMetricDataInput,
  GetMetricDataOutput,
  GetMetricStatisticsInput,
  GetMetricStatisticsOutput,
  PutMetricAlarmInput,
  PutMetricDataInput,
  SetAlarmStateInput,
} from '@aws-sdk/client-cloudwatch';
import type { Action } from '../kernel/api';

/** An answer that says nothing but that it is done. */
export type Done = Readonly<Record<string, never>>;

/**
 * The API actions CloudWatch answers here.
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_Operations.html
 */
export type CloudWatchActions = {
  readonly DeleteAlarms: Action<DeleteAlarmsInput, Done>;
  readonly DescribeAlarmHistory: Action<DescribeAlarmHistoryInput, DescribeAlarmHistoryOutput>;
  readonly DescribeAlarms: Action<DescribeAlarmsInput, DescribeAlarmsOutput>;
  readonly GetMetricData: Action<GetMetricDataInput, GetMetricDataOutput>;
  readonly GetMetricStatistics: Action<GetMetricStatisticsInput, GetMetricStatisticsOutput>;
  readonly PutMetricAlarm: Action<PutMetricAlarmInput, Done>;
  readonly PutMetricData: Action<PutMetricDataInput, Done>;
  readonly SetAlarmState: Action<SetAlarmStateInput, Done>;
};

export type CloudWatchActionName = keyof CloudWatchActions;
