import { tagsProperty } from '../../cloudformation/property-reader';
import { isNameFree, type ResourceType } from '../../cloudformation/resource-type';
import type { CloudWatch } from '../cloud-watch';

const TYPE = 'AWS::CloudWatch::Dashboard';

/** @see https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-cloudwatch-dashboard.html */
export const dashboardResourceType = (cloudWatch: CloudWatch): ResourceType => ({
  type: TYPE,
  create(properties, context) {
    const name = properties.string('DashboardName') ?? context.physicalName();
    const input = {
      DashboardName: name,
      DashboardBody: properties.requiredString('DashboardBody'),
      Tags: tagsProperty(properties),
    };
    const dashboard = { type: TYPE, property: 'DashboardName', identifier: name };
    if (isNameFree(properties, dashboard, cloudWatch.hasDashboard(name))) {
      properties.attempt('DashboardBody', () => cloudWatch.call('PutDashboard', cloudWatch.owner, input));
    }
    return { ref: name, attributes: {} };
  },
});
