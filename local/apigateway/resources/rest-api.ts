import type { PropertyReader } from '../../cloudformation/property-reader';
import { type PutResource, putType, type ResourceType } from '../../cloudformation/resource-type';
import type { ApiGateway } from '../api-gateway';
import { isGatewayResponseType } from '../model/gateway-response';

export const restApiResourceType = (apiGateway: ApiGateway): ResourceType => ({
  type: 'AWS::ApiGateway::RestApi',
  create(properties) {
    const api = apiGateway.createRestApi(readApi(properties));
    return { ref: api.id, attributes: { RestApiId: api.id, RootResourceId: api.root.id } };
  },
  update(properties, _context, { ref, attributes }) {
    apiGateway.restApi(ref).name = readApi(properties);
    return { ref, attributes };
  },
  delete: ({ ref }) => apiGateway.deleteRestApi(ref),
});

function readApi(properties: PropertyReader): string {
  const name = properties.requiredString('Name');
  readEndpoint(properties);
  properties.withoutEffect('Description', 'Tags', 'FailOnWarnings');
  return name;
}

/** Regional and edge-optimized endpoints behave the same here. A private endpoint is reachable only inside a VPC. */
function readEndpoint(properties: PropertyReader): void {
  const endpoint = properties.object('EndpointConfiguration');
  const types = endpoint?.strings('Types') ?? [];
  endpoint?.withoutEffect('IpAddressType');
  if (types.includes('PRIVATE')) {
    properties.problem(
      'EndpointConfiguration.Types',
      'PRIVATE is not implemented by the embedded AWS: there is no VPC',
      types,
    );
  }
}

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
  // Every property is create-only.
  update: (_properties, _context, { ref, attributes }) => ({ ref, attributes }),
  delete: ({ ref, properties }) => apiGateway.restApi(properties.requiredString('RestApiId')).removeResource(ref),
});

export const modelResourceType = (apiGateway: ApiGateway): ResourceType => {
  const put: PutResource = (properties, { physicalName }, existing) => {
    const apiId = properties.requiredString('RestApiId');
    const name = properties.string('Name') ?? physicalName().replace(/[^A-Za-z0-9]/g, '');
    const schema = properties.document('Schema') ?? {};
    properties.withoutEffect('ContentType', 'Description');
    if (properties.allProblems().length === 0) {
      const { schemas } = apiGateway.restApi(apiId);
      if (existing) schemas.remove(name);
      schemas.add(name, schema);
    }
    return { ref: name, attributes: {} };
  };
  return putType('AWS::ApiGateway::Model', put, ({ ref, properties }) =>
    apiGateway.restApi(properties.requiredString('RestApiId')).schemas.remove(ref),
  );
};

export const requestValidatorResourceType = (apiGateway: ApiGateway): ResourceType => {
  const put: PutResource = (properties, _context, existing) => {
    const apiId = properties.requiredString('RestApiId');
    const validator = {
      validateRequestBody: properties.boolean('ValidateRequestBody') ?? false,
      validateRequestParameters: properties.boolean('ValidateRequestParameters') ?? false,
    };
    properties.withoutEffect('Name');
    const id = existing?.ref ?? apiGateway.newId();
    if (properties.allProblems().length === 0) apiGateway.restApi(apiId).validators.set(id, validator);
    return { ref: id, attributes: { RequestValidatorId: id } };
  };
  return putType('AWS::ApiGateway::RequestValidator', put, ({ ref, properties }) => {
    apiGateway.restApi(properties.requiredString('RestApiId')).validators.delete(ref);
  });
};

const HEADER = /^gatewayresponse\.header\.(.+)$/;

export const gatewayResponseResourceType = (apiGateway: ApiGateway): ResourceType => {
  const put: PutResource = (properties, _context, existing) => {
    const apiId = properties.requiredString('RestApiId');
    const type = properties.requiredString('ResponseType');
    const statusCode = properties.number('StatusCode');
    const templates = stringMap(properties, 'ResponseTemplates');
    const headers = Object.entries(stringMap(properties, 'ResponseParameters')).map(([target, expression]) => {
      const [, name = ''] = HEADER.exec(target) ?? [];
      const isStatic = /^'.*'$/s.test(expression);
      if (!name || !(isStatic || expression.startsWith('context.'))) {
        properties.problem(
          `ResponseParameters.${target}`,
          'is not a mapping that the embedded AWS implements',
          expression,
        );
      }
      return [name, expression];
    });
    const id = existing?.ref ?? apiGateway.newId();
    if (!isGatewayResponseType(type)) {
      properties.problem('ResponseType', 'is a gateway response that never occurs in the embedded AWS', type);
    } else if (properties.allProblems().length === 0) {
      const response = { statusCode, headers: Object.fromEntries(headers), templates };
      apiGateway.restApi(apiId).gatewayResponses.set(type, response);
    }
    return { ref: id, attributes: { Id: id } };
  };
  return putType('AWS::ApiGateway::GatewayResponse', put, ({ properties }) => {
    const type = properties.requiredString('ResponseType');
    const api = apiGateway.restApi(properties.requiredString('RestApiId'));
    if (isGatewayResponseType(type)) api.gatewayResponses.delete(type);
  });
};

/** An object of strings. Like CloudFormation, it converts numbers and booleans to text. */
export function stringMap(properties: PropertyReader, name: string): Readonly<Record<string, string>> {
  const entries = Object.entries(properties.document(name) ?? {});
  const unfit = entries.filter(([, value]) => !['string', 'number', 'boolean'].includes(typeof value));
  for (const [key, value] of unfit) properties.problem(`${name}.${key}`, 'must be a string', value);
  return Object.fromEntries(entries.map(([key, value]) => [key, String(value)]));
}
