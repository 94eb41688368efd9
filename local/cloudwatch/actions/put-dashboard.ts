import { dashboardProblems, parsedBody } from '../dashboards/dashboard-body';
import { invalidDashboard } from '../errors';
import { type CloudWatchAction, dashboardArn, dashboardNamed } from './cloud-watch-action';

const NAME = /^[\w-]{1,255}$/;

/** @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_PutDashboard.html */
export const putDashboard: CloudWatchAction<'PutDashboard'> = {
  permission: 'cloudwatch:PutDashboard',
  resourceOf: dashboardNamed,
  run: (state, { input }) => {
    const { DashboardName: name = '', DashboardBody: body = '', Tags: tags } = input;
    if (!NAME.test(name)) {
      throw invalidDashboard(
        `The value ${name} for field DashboardName contains invalid characters. It can only contain alphanumerics, dash (-) and underscore (_).`,
      );
    }
    const document = parsedBody(body);
    if (!document) throw invalidDashboard('The field DashboardBody must be a valid JSON object');
    const problems = dashboardProblems(document);
    if (problems.length > 0) {
      throw invalidDashboard(
        `The dashboard body is invalid, there are ${problems.length} validation errors: ${JSON.stringify(problems)}`,
      );
    }
    const arn = dashboardArn(state.context.place, name);
    if (tags && !state.dashboards.find(name)) state.tags.add(arn, tags);
    state.dashboards.put(name, arn, body);
    return { DashboardValidationMessages: [] };
  },
};
