import type { DoorTable } from '../../kernel/front-door';
import type { CloudWatchActions } from '../cloud-watch-actions';
import type { CloudWatchState } from '../cloud-watch-state';
import { deleteAlarms } from './delete-alarms';
import { describeAlarmHistory } from './describe-alarm-history';
import { describeAlarms } from './describe-alarms';
import { getMetricData } from './get-metric-data';
import { getMetricStatistics } from './get-metric-statistics';
import { putMetricAlarm } from './put-metric-alarm';
import { putMetricData } from './put-metric-data';
import { setAlarmState } from './set-alarm-state';

/** Every API action by its name. */
export const CLOUD_WATCH_ACTIONS: DoorTable<CloudWatchState, CloudWatchActions> = {
  DeleteAlarms: deleteAlarms,
  DescribeAlarmHistory: describeAlarmHistory,
  DescribeAlarms: describeAlarms,
  GetMetricData: getMetricData,
  GetMetricStatistics: getMetricStatistics,
  PutMetricAlarm: putMetricAlarm,
  PutMetricData: putMetricData,
  SetAlarmState: setAlarmState,
};
