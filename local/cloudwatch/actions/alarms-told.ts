import type { Caller } from '../../kernel/caller';
import type { AlarmType } from '../alarms/alarm';
import type { CloudWatchState } from '../cloud-watch-state';

/**
 * Whether a caller is told of alarms of a type. Of composite ones nobody is whose permission is narrower than `*`, be it as
 * wide as all alarms of the Region: they are left out without a word.
 *
 * @param permission by which the caller asks, for example `cloudwatch:DescribeAlarms`
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_DescribeAlarms.html
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_DescribeAlarmHistory.html
 */
export function visibleTo(
  { context: { access } }: Pick<CloudWatchState, 'context'>,
  caller: Caller,
  permission: string,
): (alarm: { readonly type: AlarmType }) => boolean {
  const { allowed } = access.decide({ caller, action: permission, resource: '*' });
  return ({ type }) => allowed || type !== 'CompositeAlarm';
}
