import type { ServiceActions } from '../../kernel/service-api';
import type { CloudWatchActions } from '../cloud-watch-actions';
import type { CloudWatchState } from '../cloud-watch-state';
import { deleteDashboards, getDashboard, listDashboards, putDashboard } from './dashboards';
import { describeAlarmHistory } from './describe-alarm-history';
import { describeAlarms, describeAlarmsForMetric } from './describe-alarms';
import { getMetricData } from './get-metric-data';
import { getMetricStatistics } from './get-metric-statistics';
import { listMetrics } from './list-metrics';
import { deleteAlarms, disableAlarmActions, enableAlarmActions, setAlarmState } from './manage-alarms';
import { putCompositeAlarm } from './put-composite-alarm';
import { putMetricAlarm } from './put-metric-alarm';
import { putMetricData } from './put-metric-data';
import { listTagsForResource, tagResource, untagResource } from './tags';

/** The implemented API actions by name. */
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
