import type { CloudWatch } from '@aws-sdk/client-cloudwatch';
import { formatArn } from '../../../policy/arn';
import type { Place } from '../../kernel/place';
import type { ActionFamily, Resource } from '../../kernel/service-api';
import { alarmArn } from '../alarms/alarm-configuration';
import type { CloudWatchState } from '../cloud-watch-state';

export type CloudWatchFamily = ActionFamily<CloudWatchState, CloudWatch>;

export type CloudWatchAction<Name extends keyof CloudWatchFamily> = Required<CloudWatchFamily>[Name];

/** The resource of an action on one alarm, whether or not the alarm exists. */
export function alarmNamed(
  { context }: CloudWatchState,
  { AlarmName = '*' }: { readonly AlarmName?: string | undefined },
): Resource {
  return { arn: alarmArn(context.place, AlarmName) };
}

export function anyAlarm({ context }: CloudWatchState): Resource {
  return { arn: alarmArn(context.place, '*') };
}

/** The ARN of a dashboard has no Region. */
export function dashboardArn({ partition, account }: Place, name: string): string {
  return formatArn({ partition, service: 'cloudwatch', region: '', account, resource: `dashboard/${name}` });
}

/** The resource of an action on one dashboard, whether or not it exists. */
export function dashboardNamed(
  { context }: CloudWatchState,
  { DashboardName = '*' }: { readonly DashboardName?: string | undefined },
): Resource {
  return { arn: dashboardArn(context.place, DashboardName) };
}

export function anyDashboard({ context }: CloudWatchState): Resource {
  return { arn: dashboardArn(context.place, '*') };
}

/** The resource of an action on tags, as the caller named it. */
export function resourceGiven(
  _: CloudWatchState,
  { ResourceARN = '*' }: { readonly ResourceARN?: string | undefined },
): Resource {
  return { arn: ResourceARN };
}
