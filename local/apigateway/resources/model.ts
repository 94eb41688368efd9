import type { ResourceType } from '../../cloudformation/resource-type';
import type { ApiGateway } from '../api-gateway';

/** @see https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-apigateway-model.html */
export const modelResourceType = (apiGateway: ApiGateway): ResourceType => ({
  type: 'AWS::ApiGateway::Model',
  create(properties, { physicalName }) {
    const apiId = properties.requiredString('RestApiId');
    const name = properties.string('Name') ?? physicalName().replace(/[^A-Za-z0-9]/g, '');
    const schema = properties.document('Schema') ?? {};
    properties.withoutEffect('ContentType', 'Description');
    if (properties.allProblems().length === 0) apiGateway.restApi(apiId).schemas.add(name, schema);
    return { ref: name, attributes: {} };
  },
});
