import type { CloudWatch } from '@aws-sdk/client-cloudwatch';
import type { SdkActions } from '../../kernel/service-api';
import { deleteDashboards, getDashboard, listDashboards, putDashboard } from './dashboards';
import { describeAlarmHistory } from './describe-alarm-history';
import { describeAlarms, describeAlarmsForMetric } from './describe-alarms';
import { getMetricData } from './get-metric-data';
import { getMetricStatistics } from './get-metric-statistics';
import { listMetrics } from './list-metrics';
import { deleteAlarms, disableAlarmActions, enableAlarmActions, setAlarmState } from './manage-alarms';
import { deleteAlarmMuteRule, getAlarmMuteRule, listAlarmMuteRules, putAlarmMuteRule } from './mute-rules';
import { putCompositeAlarm } from './put-composite-alarm';
import { putMetricAlarm } from './put-metric-alarm';
import { putMetricData } from './put-metric-data';
import { listTagsForResource, tagResource, untagResource } from './tags';

/**
 * The API actions of CloudWatch that the embedded AWS implements. It does not implement metric streams, anomaly
 * detectors, Contributor Insights, datasets, OpenTelemetry and widget images.
 *
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_Operations.html
 */
export const CLOUD_WATCH_ACTIONS = {
  DeleteAlarmMuteRule: deleteAlarmMuteRule,
  DeleteAlarms: deleteAlarms,
  DeleteDashboards: deleteDashboards,
  DescribeAlarmHistory: describeAlarmHistory,
  DescribeAlarms: describeAlarms,
  DescribeAlarmsForMetric: describeAlarmsForMetric,
  DisableAlarmActions: disableAlarmActions,
  EnableAlarmActions: enableAlarmActions,
  GetAlarmMuteRule: getAlarmMuteRule,
  GetDashboard: getDashboard,
  GetMetricData: getMetricData,
  GetMetricStatistics: getMetricStatistics,
  ListAlarmMuteRules: listAlarmMuteRules,
  ListDashboards: listDashboards,
  ListMetrics: listMetrics,
  ListTagsForResource: listTagsForResource,
  PutAlarmMuteRule: putAlarmMuteRule,
  PutCompositeAlarm: putCompositeAlarm,
  PutDashboard: putDashboard,
  PutMetricAlarm: putMetricAlarm,
  PutMetricData: putMetricData,
  SetAlarmState: setAlarmState,
  TagResource: tagResource,
  UntagResource: untagResource,
};

export type CloudWatchActionName = keyof typeof CLOUD_WATCH_ACTIONS;

/** The signatures of the implemented actions. */
export type CloudWatchActions = SdkActions<CloudWatch, CloudWatchActionName>;
