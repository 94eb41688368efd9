import type { InputOf, OutputOf } from '../../kernel/api';
import type { Resource } from '../../kernel/doorkeeper';
import type { DoorAction } from '../../kernel/front-door';
import { arnIn, type Place } from '../../kernel/place';
import type { CloudWatchActionName, CloudWatchActions } from '../cloud-watch-actions';
import type { CloudWatchState } from '../cloud-watch-state';

/** One API action: who may call it, what it is about, and what it does. */
export type CloudWatchAction<Name extends CloudWatchActionName> = DoorAction<
  CloudWatchState,
  InputOf<CloudWatchActions[Name]>,
  OutputOf<CloudWatchActions[Name]>
>;

export function alarmArn(place: Place, alarmName: string): string {
  return arnIn(place, 'cloudwatch', `alarm:${alarmName}`);
}

/** What an action on one alarm is about, whether or not there is such an alarm. */
export function alarmNamed(
  { context }: CloudWatchState,
  { AlarmName = '*' }: { readonly AlarmName?: string | undefined },
): Resource {
  return { arn: alarmArn(context.place, AlarmName) };
}

/** What an action on a number of alarms is about. */
export function anyAlarm({ context }: CloudWatchState): Resource {
  return { arn: alarmArn(context.place, '*') };
}
