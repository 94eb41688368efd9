import type { ResourceType } from '../../cloudformation/resource-type';
import { tagsProperty } from '../../cloudformation/tags-property';
import type { CloudWatch } from '../cloud-watch';

/** @see https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-cloudwatch-dashboard.html */
export const dashboardResourceType = (cloudWatch: CloudWatch): ResourceType => ({
  type: 'AWS::CloudWatch::Dashboard',
  create(properties, context) {
    const name = properties.string('DashboardName') ?? context.physicalName();
    const input = {
      DashboardName: name,
      DashboardBody: properties.requiredString('DashboardBody'),
      Tags: tagsProperty(properties),
    };
    properties.attempt('DashboardBody', () => cloudWatch.call('PutDashboard', cloudWatch.owner, input));
    return { ref: name, attributes: {} };
  },
});
