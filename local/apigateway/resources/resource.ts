import type { ResourceType } from '../../cloudformation/resource-type';
import type { ApiGateway } from '../api-gateway';

/** @see https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-apigateway-resource.html */
export const resourceResourceType = (apiGateway: ApiGateway): ResourceType => ({
  type: 'AWS::ApiGateway::Resource',
  create(properties) {
    const apiId = properties.requiredString('RestApiId');
    const parentId = properties.requiredString('ParentId');
    const pathPart = properties.requiredString('PathPart');
    const id = apiGateway.newId();
    if (properties.allProblems().length === 0) apiGateway.restApi(apiId).addResource(id, parentId, pathPart);
    return { ref: id, attributes: { ResourceId: id } };
  },
});
