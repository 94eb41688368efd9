import { dashboardNotFound } from '../errors';
import { type CloudWatchAction, dashboardNamed } from './cloud-watch-action';

/** @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_GetDashboard.html */
export const getDashboard: CloudWatchAction<'GetDashboard'> = {
  permission: 'cloudwatch:GetDashboard',
  resourceOf: dashboardNamed,
  run: ({ dashboards }, { input: { DashboardName: name = '' } }) => {
    const dashboard = dashboards.find(name);
    if (!dashboard) throw dashboardNotFound(name);
    return { DashboardArn: dashboard.arn, DashboardBody: dashboard.body, DashboardName: dashboard.name };
  },
};
