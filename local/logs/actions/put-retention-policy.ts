import { invalidParameter } from '../errors';
import { groupNamed, type LogsAction } from './logs-action';

const DAYS = [1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653];

/** @see https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_PutRetentionPolicy.html */
export const putRetentionPolicy: LogsAction<'PutRetentionPolicy'> = {
  permission: 'logs:PutRetentionPolicy',
  resourceOf: groupNamed,
  run: (state, { input }) => {
    const { logGroupName = '', retentionInDays = 0 } = input;
    if (!DAYS.includes(retentionInDays)) {
      throw invalidParameter(`retentionInDays must be one of ${DAYS.join(', ')}, got ${retentionInDays}`);
    }
    state.get(logGroupName).retentionInDays = retentionInDays;
    return {};
  },
};
