import { logsConstraints } from '../constraints';
import { parseFilterPattern } from '../filter/filter-pattern';
import { anything, type LogsAction } from './logs-action';

const MAX_MESSAGES = 50;

/** @see https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_TestMetricFilter.html */
export const testMetricFilter: LogsAction<'TestMetricFilter'> = {
  permission: 'logs:TestMetricFilter',
  resourceOf: anything,
  run: (_, { input: { filterPattern = '', logEventMessages = [] } }) => {
    logsConstraints().length('logEventMessages', logEventMessages, 1, MAX_MESSAGES).check();
    const pattern = parseFilterPattern(filterPattern);
    const matches = logEventMessages.flatMap((eventMessage, i) =>
      pattern.matches(eventMessage)
        ? [{ eventNumber: i + 1, eventMessage, extractedValues: { ...pattern.extract(eventMessage) } }]
        : [],
    );
    return { matches };
  },
};
