import type { ResourceType } from '../../cloudformation/resource-type';
import type { ApiGateway } from '../api-gateway';

/** @see https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-apigateway-deployment.html */
export const deploymentResourceType = (apiGateway: ApiGateway): ResourceType => ({
  type: 'AWS::ApiGateway::Deployment',
  create(properties) {
    const apiId = properties.requiredString('RestApiId');
    properties.withoutEffect('Description');
    const id = apiGateway.newId();
    if (properties.allProblems().length === 0) apiGateway.restApi(apiId).deploy(id);
    return { ref: id, attributes: { DeploymentId: id } };
  },
});
