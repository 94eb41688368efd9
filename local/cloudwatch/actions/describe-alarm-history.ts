import type { DescribeAlarmHistoryInput } from '@aws-sdk/client-cloudwatch';
import { notImplemented } from '../../kernel/aws-error';
import type { AlarmHistory } from '../alarms/alarm';
import { Constraints, cloudWatchPage } from '../errors';
import { alarmNamed, type CloudWatchAction } from './cloud-watch-action';
import { visibleTo } from './describe-alarms';

const MOST_RECORDS = 100;
const LONGEST_NAME = 255;
const PERMISSION = 'cloudwatch:DescribeAlarmHistory';

/**
 * Returns the history of composite alarms only if the request asks for it. Includes deleted alarms.
 *
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_DescribeAlarmHistory.html
 */
export const describeAlarmHistory: CloudWatchAction<'DescribeAlarmHistory'> = {
  permission: PERMISSION,
  resourceOf: alarmNamed,
  run: (state, { caller, input }) => {
    if (input.AlarmContributorId !== undefined) throw notImplemented("an alarm's contributors");
    new Constraints()
      .length('alarmName', input.AlarmName, 1, LONGEST_NAME)
      .range('maxRecords', input.MaxRecords, 1, MOST_RECORDS)
      .oneOf('historyItemType', input.HistoryItemType, ['ConfigurationUpdate', 'StateUpdate', 'Action'])
      .oneOf('scanBy', input.ScanBy, ['TimestampDescending', 'TimestampAscending'])
      .check();
    const types: readonly string[] = input.AlarmTypes ?? ['MetricAlarm'];
    const isKnown = visibleTo(state, caller, PERMISSION);
    const oldestFirst = state.alarms
      .historiesOf(input.AlarmName)
      .filter(({ alarmType: type }) => types.includes(type) && isKnown({ type }))
      .flatMap(history => itemsOf(history, input))
      .sort((a, b) => a.Timestamp.getTime() - b.Timestamp.getTime());
    const ordered = input.ScanBy === 'TimestampAscending' ? oldestFirst : oldestFirst.reverse();
    const { items, nextToken } = cloudWatchPage(ordered, input.MaxRecords, input.NextToken);
    return { AlarmHistoryItems: items, NextToken: nextToken };
  },
};

function itemsOf({ alarmName, alarmType, items }: AlarmHistory, input: DescribeAlarmHistoryInput) {
  return items
    .filter(({ type }) => (input.HistoryItemType ?? type) === type)
    .filter(({ atMs }) => atMs >= (input.StartDate?.getTime() ?? atMs) && atMs <= (input.EndDate?.getTime() ?? atMs))
    .map(({ atMs, type, summary, data }) => ({
      AlarmName: alarmName,
      AlarmType: alarmType,
      Timestamp: new Date(atMs),
      HistoryItemType: type,
      HistorySummary: summary,
      HistoryData: data,
    }));
}
