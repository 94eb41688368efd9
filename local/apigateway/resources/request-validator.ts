import type { ResourceType } from '../../cloudformation/resource-type';
import type { ApiGateway } from '../api-gateway';

/** @see https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-apigateway-requestvalidator.html */
export const requestValidatorResourceType = (apiGateway: ApiGateway): ResourceType => ({
  type: 'AWS::ApiGateway::RequestValidator',
  create(properties) {
    const apiId = properties.requiredString('RestApiId');
    const validator = {
      validateRequestBody: properties.boolean('ValidateRequestBody') ?? false,
      validateRequestParameters: properties.boolean('ValidateRequestParameters') ?? false,
    };
    properties.withoutEffect('Name');
    const id = apiGateway.newId();
    if (properties.allProblems().length === 0) apiGateway.restApi(apiId).validators.set(id, validator);
    return { ref: id, attributes: { RequestValidatorId: id } };
  },
});
