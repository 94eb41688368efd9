import { tagsProperty } from '../../cloudformation/property-reader';
import { isNameFree, type PutResource, type ResourceType } from '../../cloudformation/resource-type';
import type { CloudWatch } from '../cloud-watch';

const TYPE = 'AWS::CloudWatch::Dashboard';

/** @see https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-cloudwatch-dashboard.html */
export const dashboardResourceType = (cloudWatch: CloudWatch): ResourceType => {
  const put: PutResource = (properties, context, existing) => {
    const name = properties.string('DashboardName') ?? context.physicalName();
    const input = {
      DashboardName: name,
      DashboardBody: properties.requiredString('DashboardBody'),
      Tags: tagsProperty(properties),
    };
    const dashboard = { type: TYPE, property: 'DashboardName', identifier: name };
    if (isNameFree(properties, dashboard, !existing && cloudWatch.hasDashboard(name))) {
      properties.attempt('DashboardBody', () => cloudWatch.call('PutDashboard', cloudWatch.owner, input));
    }
    return { ref: name, attributes: {} };
  };
  return {
    type: TYPE,
    create: put,
    update: put,
    delete: ({ ref }) => cloudWatch.call('DeleteDashboards', cloudWatch.owner, { DashboardNames: [ref] }),
  };
};
