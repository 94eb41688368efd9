import type { ServiceActions } from '../../kernel/front-door';
import type { CloudWatchActions } from '../cloud-watch-actions';
import type { CloudWatchState } from '../cloud-watch-state';
import { deleteAlarms } from './delete-alarms';
import { deleteDashboards } from './delete-dashboards';
import { describeAlarmHistory } from './describe-alarm-history';
import { describeAlarms } from './describe-alarms';
import { describeAlarmsForMetric } from './describe-alarms-for-metric';
import { disableAlarmActions, enableAlarmActions } from './enable-alarm-actions';
import { getDashboard } from './get-dashboard';
import { getMetricData } from './get-metric-data';
import { getMetricStatistics } from './get-metric-statistics';
import { listDashboards } from './list-dashboards';
import { listMetrics } from './list-metrics';
import { putCompositeAlarm } from './put-composite-alarm';
import { putDashboard } from './put-dashboard';
import { putMetricAlarm } from './put-metric-alarm';
import { putMetricData } from './put-metric-data';
import { setAlarmState } from './set-alarm-state';
import { listTagsForResource, tagResource, untagResource } from './tag-resource';

/** Every API action by its name. */
export const CLOUD_WATCH_ACTIONS: ServiceActions<CloudWatchState, CloudWatchActions> = {
  DeleteAlarms: deleteAlarms,
  DeleteDashboards: deleteDashboards,
  DescribeAlarmHistory: describeAlarmHistory,
  DescribeAlarms: describeAlarms,
  DescribeAlarmsForMetric: describeAlarmsForMetric,
  DisableAlarmActions: disableAlarmActions,
  EnableAlarmActions: enableAlarmActions,
  GetDashboard: getDashboard,
  GetMetricData: getMetricData,
  GetMetricStatistics: getMetricStatistics,
  ListDashboards: listDashboards,
  ListMetrics: listMetrics,
  ListTagsForResource: listTagsForResource,
  PutCompositeAlarm: putCompositeAlarm,
  PutDashboard: putDashboard,
  PutMetricAlarm: putMetricAlarm,
  PutMetricData: putMetricData,
  SetAlarmState: setAlarmState,
  TagResource: tagResource,
  UntagResource: untagResource,
};
