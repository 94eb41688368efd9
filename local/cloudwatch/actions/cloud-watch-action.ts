import { formatArn } from '../../../policy/arn';
import type { Place } from '../../kernel/place';
import type { InputOf, OutputOf, Resource, ServiceAction } from '../../kernel/service-api';
import { alarmArn } from '../alarms/alarm-configuration';
import type { CloudWatchActionName, CloudWatchActions } from '../cloud-watch-actions';
import type { CloudWatchState } from '../cloud-watch-state';

/** One API action: who may call it, what it is about, and what it does. */
export type CloudWatchAction<Name extends CloudWatchActionName> = ServiceAction<
  CloudWatchState,
  InputOf<CloudWatchActions[Name]>,
  OutputOf<CloudWatchActions[Name]>
>;

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

/** A dashboard belongs to no Region. */
export function dashboardArn({ partition, account }: Place, name: string): string {
  return formatArn({ partition, service: 'cloudwatch', region: '', account, resource: `dashboard/${name}` });
}

/** What an action on one dashboard is about. */
export function dashboardNamed(
  { context }: CloudWatchState,
  { DashboardName = '*' }: { readonly DashboardName?: string | undefined },
): Resource {
  return { arn: dashboardArn(context.place, DashboardName) };
}

/** What an action on a number of dashboards is about. */
export function anyDashboard({ context }: CloudWatchState): Resource {
  return { arn: dashboardArn(context.place, '*') };
}

/** What an action on tags is about. */
export function resourceGiven(
  _: CloudWatchState,
  { ResourceARN = '*' }: { readonly ResourceARN?: string | undefined },
): Resource {
  return { arn: ResourceARN };
}
