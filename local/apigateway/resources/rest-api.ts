import type { PropertyReader } from '../../cloudformation/property-reader';
import type { ResourceType } from '../../cloudformation/resource-type';
import type { ApiGateway } from '../api-gateway';
import { isGatewayResponseType } from '../model/gateway-response';

/** @see https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-apigateway-restapi.html */
export const restApiResourceType = (apiGateway: ApiGateway): ResourceType => ({
  type: 'AWS::ApiGateway::RestApi',
  create(properties) {
    const name = properties.requiredString('Name');
    readEndpoint(properties);
    properties.withoutEffect('Description', 'Tags', 'FailOnWarnings');
    const api = apiGateway.createRestApi(name);
    return { ref: api.id, attributes: { RestApiId: api.id, RootResourceId: api.root.id } };
  },
});

/** Regional and edge-optimized endpoints behave the same here. A private endpoint is reachable only inside a VPC. */
function readEndpoint(properties: PropertyReader): void {
  const endpoint = properties.object('EndpointConfiguration');
  const types = endpoint?.strings('Types') ?? [];
  endpoint?.withoutEffect('IpAddressType');
  if (types.includes('PRIVATE')) {
    properties.problem('EndpointConfiguration.Types', 'PRIVATE is not implemented: there is no VPC', types);
  }
}

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

const HEADER = /^gatewayresponse\.header\.(.+)$/;

/** @see https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-apigateway-gatewayresponse.html */
export const gatewayResponseResourceType = (apiGateway: ApiGateway): ResourceType => ({
  type: 'AWS::ApiGateway::GatewayResponse',
  create(properties) {
    const apiId = properties.requiredString('RestApiId');
    const type = properties.requiredString('ResponseType');
    const statusCode = properties.number('StatusCode');
    const templates = stringMap(properties, 'ResponseTemplates');
    const headers = Object.entries(stringMap(properties, 'ResponseParameters')).map(([target, expression]) => {
      const [, name = ''] = HEADER.exec(target) ?? [];
      const isStatic = /^'.*'$/s.test(expression);
      if (!name || !(isStatic || expression.startsWith('context.'))) {
        properties.problem(`ResponseParameters.${target}`, 'is not a mapping that is implemented', expression);
      }
      return [name, expression];
    });
    const id = apiGateway.newId();
    if (!isGatewayResponseType(type)) {
      properties.problem('ResponseType', 'is a gateway response that never occurs in the embedded AWS', type);
    } else if (properties.allProblems().length === 0) {
      const response = { statusCode, headers: Object.fromEntries(headers), templates };
      apiGateway.restApi(apiId).gatewayResponses.set(type, response);
    }
    return { ref: id, attributes: { Id: id } };
  },
});

/** An object of strings. Like CloudFormation, it converts numbers and booleans to text. */
export function stringMap(properties: PropertyReader, name: string): Readonly<Record<string, string>> {
  const entries = Object.entries(properties.document(name) ?? {});
  const unfit = entries.filter(([, value]) => !['string', 'number', 'boolean'].includes(typeof value));
  for (const [key, value] of unfit) properties.problem(`${name}.${key}`, 'must be a string', value);
  return Object.fromEntries(entries.map(([key, value]) => [key, String(value)]));
}
