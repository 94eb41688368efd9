import type { DoorTable } from '../../kernel/front-door';
import type { LogsActions } from '../logs-actions';
import type { LogsState } from '../logs-state';
import { createLogGroup } from './create-log-group';
import { describeLogGroups } from './describe-log-groups';
import { filterLogEvents } from './filter-log-events';
import { putMetricFilter } from './put-metric-filter';
import { putRetentionPolicy } from './put-retention-policy';

/** Every API action by its name. */
export const LOGS_ACTIONS: DoorTable<LogsState, LogsActions> = {
  CreateLogGroup: createLogGroup,
  DescribeLogGroups: describeLogGroups,
  FilterLogEvents: filterLogEvents,
  PutMetricFilter: putMetricFilter,
  PutRetentionPolicy: putRetentionPolicy,
};
