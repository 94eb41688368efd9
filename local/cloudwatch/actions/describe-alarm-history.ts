import { cloudWatchPage } from '../paging';
import { alarmNamed, type CloudWatchAction } from './cloud-watch-action';

/** @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_DescribeAlarmHistory.html */
export const describeAlarmHistory: CloudWatchAction<'DescribeAlarmHistory'> = {
  permission: 'cloudwatch:DescribeAlarmHistory',
  resourceOf: alarmNamed,
  run: (state, { input }) => {
    const named = input.AlarmName === undefined ? state.alarms : [state.alarm(input.AlarmName)];
    const oldestFirst = named
      .flatMap(alarm => alarm?.history.items.map(item => ({ ...item, name: alarm.configuration.alarmName })) ?? [])
      .filter(({ type }) => input.HistoryItemType === undefined || type === input.HistoryItemType)
      .filter(({ atMs }) => atMs >= (input.StartDate?.getTime() ?? Number.NEGATIVE_INFINITY))
      .filter(({ atMs }) => atMs <= (input.EndDate?.getTime() ?? Number.POSITIVE_INFINITY))
      .sort((a, b) => a.atMs - b.atMs);
    const ordered = input.ScanBy === 'TimestampAscending' ? oldestFirst : oldestFirst.reverse();
    const { items, nextToken } = cloudWatchPage(ordered, input.MaxRecords, input.NextToken);
    return {
      AlarmHistoryItems: items.map(({ atMs, type, name, summary, data }) => ({
        AlarmName: name,
        AlarmType: 'MetricAlarm',
        Timestamp: new Date(atMs),
        HistoryItemType: type,
        HistorySummary: summary,
        HistoryData: data,
      })),
      NextToken: nextToken,
    };
  },
};
