import type { PropertyReader } from '../../cloudformation/property-reader';
import type { ResourceType } from '../../cloudformation/resource-type';
import type { ApiGateway } from '../api-gateway';
import type { Method } from '../model/method';
import type { RestApi } from '../model/rest-api';
import { type MethodResponses, readIntegration } from './integration-properties';
import { stringMap } from './string-map';

const HTTP_METHODS = ['ANY', 'DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT'];

/** @see https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-apigateway-method.html */
export const methodResourceType = (apiGateway: ApiGateway): ResourceType => ({
  type: 'AWS::ApiGateway::Method',
  create(properties) {
    const apiId = properties.requiredString('RestApiId');
    const resourceId = properties.requiredString('ResourceId');
    const method = readMethod(properties);
    if (method && properties.allProblems().length === 0) {
      const api = apiGateway.restApi(apiId);
      checkReferences(properties, api, method);
      api.putMethod(resourceId, method);
    }
    return { ref: `${apiId}-${resourceId}-${method?.httpMethod}`, attributes: {} };
  },
});

function readMethod(properties: PropertyReader): Method | undefined {
  const httpMethod = properties.requiredString('HttpMethod');
  if (!HTTP_METHODS.includes(httpMethod)) {
    properties.problem('HttpMethod', `must be one of ${HTTP_METHODS.join(', ')}`, httpMethod);
  }
  if (properties.boolean('ApiKeyRequired')) properties.problem('ApiKeyRequired', 'is not implemented', true);
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
  properties.problem('AuthorizationType', 'is not implemented: only NONE and AWS_IAM are', type);
  return 'AWS_IAM';
}

/** Models of responses are documentation: API Gateway does not hold answers against them. */
function readMethodResponses(properties: PropertyReader): MethodResponses {
  return new Map(
    properties.objects('MethodResponses').map(response => {
      const headers = Object.keys(stringMap(response, 'ResponseParameters'));
      response.withoutEffect('ResponseModels');
      return [Number(response.requiredString('StatusCode')), headers];
    }),
  );
}

/** What the method refers to must be there; `Empty` and `Error` are models every API has. */
function checkReferences(properties: PropertyReader, api: RestApi, method: Method): void {
  for (const model of Object.values(method.requestModels)) {
    if (!api.schemas.has(model)) properties.problem('RequestModels', 'must name a model of the API', model);
  }
  const { requestValidatorId } = method;
  if (requestValidatorId !== undefined && !api.validators.has(requestValidatorId)) {
    properties.problem('RequestValidatorId', 'must name a validator of the API', requestValidatorId);
  }
}
