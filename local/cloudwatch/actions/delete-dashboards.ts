import { Constraints } from '../constraints';
import { dashboardNotFound } from '../errors';
import { anyDashboard, type CloudWatchAction } from './cloud-watch-action';

const MOST_DASHBOARDS = 100;

/** @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_DeleteDashboards.html */
export const deleteDashboards: CloudWatchAction<'DeleteDashboards'> = {
  permission: 'cloudwatch:DeleteDashboards',
  resourceOf: anyDashboard,
  run: ({ dashboards, tags }, { input: { DashboardNames: names } }) => {
    new Constraints().notNull('dashboardNames', names).length('dashboardNames', names, 1, MOST_DASHBOARDS).check();
    const found = (names ?? []).map(name => {
      const dashboard = dashboards.find(name);
      if (!dashboard) throw dashboardNotFound(name);
      return dashboard;
    });
    for (const { name, arn } of found) {
      dashboards.delete(name);
      tags.forget(arn);
    }
    return {};
  },
};
