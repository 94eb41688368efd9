import { matchesStatus } from '../../../template/status-pattern';
import type { PropertyReader } from '../../cloudformation/property-reader';
import { type PutResource, putType, type ResourceType } from '../../cloudformation/resource-type';
import { matchesJavaPattern } from '../../kernel/java-pattern';
import type { ApiGateway } from '../api-gateway';
import { type ParameterMapping, requestMapping, responseMapping } from '../mapping/parameter-mapping';
import { Template } from '../mapping/template';
import {
  type Integration,
  type IntegrationResponse,
  type Method,
  PASSTHROUGH_BEHAVIORS,
  type PassthroughBehavior,
  type Templates,
} from '../model/method';
import type { RestApi } from '../model/rest-api';
import { stringMap } from './rest-api';

const HTTP_METHODS = ['ANY', 'DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT'];

export const methodResourceType = (apiGateway: ApiGateway): ResourceType => {
  const put: PutResource = properties => {
    const apiId = properties.requiredString('RestApiId');
    const resourceId = properties.requiredString('ResourceId');
    const method = readMethod(properties);
    if (method && properties.allProblems().length === 0) {
      const api = apiGateway.restApi(apiId);
      checkReferences(properties, api, method);
      api.putMethod(resourceId, method);
    }
    return { ref: `${apiId}-${resourceId}-${method?.httpMethod}`, attributes: {} };
  };
  return putType('AWS::ApiGateway::Method', put, ({ properties }) => {
    const api = apiGateway.restApi(properties.requiredString('RestApiId'));
    api.removeMethod(properties.requiredString('ResourceId'), properties.requiredString('HttpMethod'));
  });
};

function readMethod(properties: PropertyReader): Method | undefined {
  const httpMethod = properties.requiredString('HttpMethod');
  if (!HTTP_METHODS.includes(httpMethod)) {
    properties.problem('HttpMethod', `must be one of ${HTTP_METHODS.join(', ')}`, httpMethod);
  }
  if (properties.boolean('ApiKeyRequired')) properties.notSimulated('ApiKeyRequired', 'is not implemented', true);
  properties.withoutEffect('OperationName');
  const methodResponses = readMethodResponses(properties);
  const integrationProperties = properties.object('Integration');
  if (!integrationProperties) return properties.problem('Integration', 'is required');
  const integration = readIntegration(integrationProperties, methodResponses);
  const authorization = readAuthorization(properties);
  const requestParameters = Object.entries(stringMap(properties, 'RequestParameters'));
  for (const [parameter] of requestParameters) {
    if (/^method\.request\.(header|querystring|path)\../.test(parameter)) continue;
    properties.problem(`RequestParameters.${parameter}`, 'must name a header, a query string or a path parameter');
  }
  const method = {
    httpMethod,
    authorization,
    requestParameters: Object.fromEntries(requestParameters.map(([name, required]) => [name, required === 'true'])),
    requestModels: stringMap(properties, 'RequestModels'),
    requestValidatorId: properties.string('RequestValidatorId'),
  };
  return integration && { ...method, integration };
}

function readAuthorization(properties: PropertyReader): Method['authorization'] {
  const type = properties.string('AuthorizationType') ?? 'NONE';
  if (type === 'NONE' || type === 'AWS_IAM') return type;
  properties.withoutEffect('AuthorizerId', 'AuthorizationScopes');
  properties.notSimulated('AuthorizationType', 'is not implemented: only NONE and AWS_IAM are', type);
  return 'NONE';
}

/** Models of responses are documentation: API Gateway does not validate responses. */
function readMethodResponses(properties: PropertyReader): MethodResponses {
  return new Map(
    properties.objects('MethodResponses').map(response => {
      const headers = Object.keys(stringMap(response, 'ResponseParameters'));
      response.withoutEffect('ResponseModels');
      return [Number(response.requiredString('StatusCode')), headers];
    }),
  );
}

/** Checks that the models and validators of a method exist. Every API has the models `Empty` and `Error`. */
function checkReferences(properties: PropertyReader, api: RestApi, method: Method): void {
  for (const model of Object.values(method.requestModels)) {
    if (!api.schemas.has(model)) properties.problem('RequestModels', 'must name a model of the API', model);
  }
  const { requestValidatorId } = method;
  if (requestValidatorId !== undefined && !api.validators.has(requestValidatorId)) {
    properties.problem('RequestValidatorId', 'must name a validator of the API', requestValidatorId);
  }
}

const LONGEST_TIMEOUT_MS = 29_000;
const SHORTEST_TIMEOUT_MS = 50;

type MethodResponses = ReadonlyMap<number, readonly string[]>;

/** @see https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-properties-apigateway-method-integration.html */
function readIntegration(properties: PropertyReader, methodResponses: MethodResponses): Integration | undefined {
  const type = properties.requiredString('Type');
  if (type === 'AWS_PROXY') return readProxy(properties);
  const common = {
    passthroughBehavior: passthroughBehavior(properties),
    requestTemplates: templates(properties, 'RequestTemplates'),
    responses: properties.objects('IntegrationResponses').map(it => integrationResponse(it, methodResponses)),
  };
  if (type === 'MOCK') return { type, ...common };
  if (type !== 'AWS') {
    properties.withoutEffect('Uri', 'IntegrationHttpMethod', 'RequestParameters', 'ConnectionType', 'ConnectionId');
    properties.notSimulated('Type', 'is not implemented: only AWS, AWS_PROXY and MOCK are', type);
    return { type: 'MOCK', ...common };
  }
  const roleArn = properties.requiredString('Credentials');
  if (!roleArn.includes(':role/')) {
    properties.problem(
      'Credentials',
      'must name a role: the embedded AWS does not implement calling as the caller',
      roleArn,
    );
  }
  return {
    type,
    ...common,
    httpMethod: properties.requiredString('IntegrationHttpMethod'),
    uri: properties.requiredString('Uri'),
    roleArn,
    requestParameters: mappings(properties, 'RequestParameters', requestMapping),
    timeoutMs: timeout(properties),
  };
}

const FUNCTION_URI = /^arn:[^:]+:apigateway:[^:]+:lambda:path\/2015-03-31\/functions\/(.+)\/invocations$/;

/** API Gateway ignores the templates and responses of a proxy integration. */
function readProxy(properties: PropertyReader): Integration {
  properties.withoutEffect(
    'CacheKeyParameters',
    'CacheNamespace',
    'IntegrationResponses',
    'PassthroughBehavior',
    'RequestParameters',
    'RequestTemplates',
  );
  const httpMethod = properties.requiredString('IntegrationHttpMethod');
  if (httpMethod !== 'POST') properties.problem('IntegrationHttpMethod', 'must be POST for a function', httpMethod);
  const uri = properties.requiredString('Uri');
  const [, functionArn = ''] = FUNCTION_URI.exec(uri) ?? [];
  if (functionArn === '') properties.problem('Uri', 'must name a function for a proxy integration', uri);
  return {
    type: 'AWS_PROXY',
    functionArn,
    roleArn: properties.string('Credentials'),
    timeoutMs: timeout(properties),
  };
}

function passthroughBehavior(properties: PropertyReader): PassthroughBehavior {
  const text = properties.string('PassthroughBehavior') ?? 'WHEN_NO_MATCH';
  const known = PASSTHROUGH_BEHAVIORS.find(it => it === text);
  const rule = `must be one of ${PASSTHROUGH_BEHAVIORS.join(', ')}`;
  return known ?? properties.problem('PassthroughBehavior', rule, text) ?? 'NEVER';
}

function timeout(properties: PropertyReader): number {
  const timeoutMs = properties.number('TimeoutInMillis') ?? LONGEST_TIMEOUT_MS;
  if (timeoutMs < SHORTEST_TIMEOUT_MS || timeoutMs > LONGEST_TIMEOUT_MS) {
    properties.problem('TimeoutInMillis', `must be from ${SHORTEST_TIMEOUT_MS} to ${LONGEST_TIMEOUT_MS}`, timeoutMs);
  }
  return timeoutMs;
}

function templates(properties: PropertyReader, name: string): Templates {
  const parsed = new Map<string, Template>();
  for (const [contentType, text] of Object.entries(stringMap(properties, name))) {
    try {
      parsed.set(contentType, new Template(text));
    } catch (error) {
      properties.problem(`${name}.${contentType}`, `must be a Velocity template: ${String(error)}`, text);
    }
  }
  return parsed;
}

function integrationResponse(properties: PropertyReader, methodResponses: MethodResponses): IntegrationResponse {
  const statusCode = Number(properties.requiredString('StatusCode'));
  const headers = methodResponses.get(statusCode);
  if (!headers) {
    properties.problem('StatusCode', 'must be one of the statuses of MethodResponses', statusCode);
  }
  const parameters = mappings(properties, 'ResponseParameters', responseMapping);
  for (const { target } of parameters) {
    if (headers?.includes(`method.response.${target.location}.${target.name}`)) continue;
    properties.problem('ResponseParameters', 'must name headers of the method response', target.name);
  }
  return {
    statusCode,
    selects: selectionPattern(properties),
    parameters,
    templates: templates(properties, 'ResponseTemplates'),
  };
}

/** A pattern must match the whole status. An empty pattern counts as none. */
function selectionPattern(properties: PropertyReader): IntegrationResponse['selects'] {
  const text = properties.string('SelectionPattern');
  if (text === undefined || text === '') return undefined;
  const selects = (status: number) => matchesStatus(text, String(status)) ?? matchesJavaPattern(text, String(status));
  if (selects(0) !== undefined) return status => selects(status) === true;
  return properties.problem('SelectionPattern', 'must be a regular expression that the embedded AWS can read', text);
}

function mappings(
  properties: PropertyReader,
  name: string,
  read: (target: string, expression: string) => ParameterMapping | undefined,
): readonly ParameterMapping[] {
  return Object.entries(stringMap(properties, name)).flatMap(([target, expression]) => {
    const mapping = read(target, expression);
    if (mapping) return [mapping];
    properties.problem(`${name}.${target}`, 'is not a mapping that the embedded AWS implements', expression);
    return [];
  });
}
