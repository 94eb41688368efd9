import type { CloudWatch } from '@aws-sdk/client-cloudwatch';
import type { SdkActions } from '../../kernel/service-api';
import { dashboardActions } from './dashboards';
import { describeAlarmActions, describeAlarmHistory } from './describe-alarms';
import { getMetricData } from './get-metric-data';
import { manageAlarmActions } from './manage-alarms';
import { metricActions } from './metrics';
import { muteRuleActions } from './mute-rules';
import { putCompositeAlarm } from './put-composite-alarm';
import { putMetricAlarm } from './put-metric-alarm';

/**
 * The API actions of CloudWatch that the embedded AWS implements. It does not implement metric streams, anomaly
 * detectors, Contributor Insights, datasets, OpenTelemetry and widget images.
 *
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_Operations.html
 */
export const CLOUD_WATCH_ACTIONS = {
  ...muteRuleActions,
  ...manageAlarmActions,
  ...dashboardActions,
  DescribeAlarmHistory: describeAlarmHistory,
  ...describeAlarmActions,
  GetMetricData: getMetricData,
  ...metricActions,
  PutCompositeAlarm: putCompositeAlarm,
  PutMetricAlarm: putMetricAlarm,
};

export type CloudWatchActions = SdkActions<CloudWatch, keyof typeof CLOUD_WATCH_ACTIONS>;
