import type { ResourceType } from '../../cloudformation/resource-type';

/**
 * A dashboard does nothing in the embedded AWS, but AWS refuses one whose body is not JSON, and so does this.
 *
 * @see https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-cloudwatch-dashboard.html
 */
export const dashboardResourceType = (): ResourceType => ({
  type: 'AWS::CloudWatch::Dashboard',
  create(properties, context) {
    const name = properties.string('DashboardName') ?? context.physicalName();
    if (!properties.document('DashboardBody')) {
      properties.problem('DashboardBody', 'is required and must be a JSON object');
    }
    return { ref: name, attributes: {} };
  },
});
