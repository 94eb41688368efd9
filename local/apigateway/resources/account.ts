import type { ResourceType } from '../../cloudformation/resource-type';
import type { ApiGateway } from '../api-gateway';

/** @see https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-apigateway-account.html */
export const accountResourceType = (apiGateway: ApiGateway): ResourceType => ({
  type: 'AWS::ApiGateway::Account',
  create(properties, { physicalName }) {
    const roleArn = properties.string('CloudWatchRoleArn');
    if (roleArn !== undefined && properties.allProblems().length === 0) apiGateway.setCloudWatchRole(roleArn);
    const id = physicalName();
    return { ref: id, attributes: { Id: id } };
  },
});
