import type { CloudWatchLogs } from '@aws-sdk/client-cloudwatch-logs';
import type { SdkActions } from '../../kernel/service-api';
import { filterActions } from './filters';
import { logGroupActions } from './log-groups';
import { putLogEvents } from './put-log-events';
import { queryActions } from './queries';
import { readLogEventActions } from './read-log-events';

/**
 * The API actions of CloudWatch Logs that the embedded AWS implements.
 *
 * @see https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_Operations.html
 */
export const LOGS_ACTIONS = {
  ...logGroupActions,
  ...filterActions,
  ...queryActions,
  ...readLogEventActions,
  PutLogEvents: putLogEvents,
};

export type LogsActions = SdkActions<CloudWatchLogs, keyof typeof LOGS_ACTIONS>;
