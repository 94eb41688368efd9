import type { PropertyReader } from '../../cloudformation/property-reader';
import { type PutResource, putType, type ResourceType } from '../../cloudformation/resource-type';
import type { ApiGateway } from '../api-gateway';
import { isGatewayResponseType } from '../model/gateway-response';
import type { AccessLog, LoggingLevel, MethodSetting } from '../model/stage';

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

const LOGGING_LEVELS: readonly LoggingLevel[] = ['OFF', 'ERROR', 'INFO'];

export const stageResourceType = (apiGateway: ApiGateway): ResourceType => {
  const put: PutResource = (properties, _context, existing) => {
    const apiId = properties.requiredString('RestApiId');
    const stageName = properties.requiredString('StageName');
    const input = {
      stageName,
      deploymentId: properties.requiredString('DeploymentId'),
      variables: stringMap(properties, 'Variables'),
      accessLog: accessLog(properties),
      methodSettings: methodSettings(properties),
    };
    properties.withoutEffect('Description', 'DocumentationVersion', 'Tags', 'TracingEnabled');
    refuseWhenTrue(properties, 'CacheClusterEnabled');
    if (properties.allProblems().length === 0) {
      const api = apiGateway.restApi(apiId);
      if (existing) apiGateway.updateStage(api, input);
      else apiGateway.createStage(api, input);
    }
    return { ref: stageName, attributes: {} };
  };
  return putType('AWS::ApiGateway::Stage', put, ({ ref, properties }) => {
    apiGateway.restApi(properties.requiredString('RestApiId')).stages.delete(ref);
  });
};

function accessLog(properties: PropertyReader): AccessLog | undefined {
  const setting = properties.object('AccessLogSetting');
  if (!setting) return undefined;
  const destination = setting.requiredString('DestinationArn');
  const format = setting.requiredString('Format');
  const [, logGroupName] = /^arn:[^:]+:logs:[^:]+:\d+:log-group:([^:]+)(?::\*)?$/.exec(destination) ?? [];
  if (logGroupName === undefined) {
    return setting.notSimulated(
      'DestinationArn',
      'must name a log group: the embedded AWS does not implement other destinations',
      destination,
    );
  }
  if (!/\$context\.(extendedR|r)equestId/.test(format)) {
    setting.problem('Format', 'must contain $context.requestId or $context.extendedRequestId', format);
  }
  return { logGroupName, format };
}

/** The settings, the most specific first. */
function methodSettings(properties: PropertyReader): readonly MethodSetting[] {
  const rank = ({ resourcePath, httpMethod }: MethodSetting): number =>
    (resourcePath === '/*' ? 2 : 0) + (httpMethod === '*' ? 1 : 0);
  return properties
    .objects('MethodSettings')
    .map(methodSetting)
    .sort((a, b) => rank(a) - rank(b));
}

function methodSetting(properties: PropertyReader): MethodSetting {
  const level = properties.string('LoggingLevel') ?? 'OFF';
  const loggingLevel =
    LOGGING_LEVELS.find(known => known === level) ??
    properties.problem('LoggingLevel', `must be one of ${LOGGING_LEVELS.join(', ')}`, level) ??
    'OFF';
  const burstLimit = properties.number('ThrottlingBurstLimit');
  const rateLimit = properties.number('ThrottlingRateLimit');
  if ((burstLimit === undefined) !== (rateLimit === undefined)) {
    properties.problem(
      'ThrottlingRateLimit',
      'and ThrottlingBurstLimit must be given together in the embedded AWS',
      rateLimit,
    );
  }
  for (const name of ['DataTraceEnabled', 'CachingEnabled']) refuseWhenTrue(properties, name);
  properties.withoutEffect('CacheDataEncrypted', 'CacheTtlInSeconds');
  return {
    resourcePath: `/${(properties.string('ResourcePath') ?? '/*').replace(/^\//, '').replaceAll('~1', '/').replace(/^\//, '')}`,
    httpMethod: properties.string('HttpMethod') ?? '*',
    loggingLevel,
    metricsEnabled: properties.boolean('MetricsEnabled') ?? false,
    throttle: burstLimit === undefined || rateLimit === undefined ? undefined : { burstLimit, rateLimit },
  };
}

function refuseWhenTrue(properties: PropertyReader, name: string): void {
  if (properties.boolean(name)) properties.notSimulated(name, 'is not implemented by the embedded AWS', true);
}

export const deploymentResourceType = (apiGateway: ApiGateway): ResourceType => ({
  type: 'AWS::ApiGateway::Deployment',
  create(properties) {
    const apiId = properties.requiredString('RestApiId');
    properties.withoutEffect('Description');
    const id = apiGateway.newId();
    if (properties.allProblems().length === 0) apiGateway.restApi(apiId).deploy(id);
    return { ref: id, attributes: { DeploymentId: id } };
  },
  update(properties, _context, { ref, attributes }) {
    properties.withoutEffect('Description', 'RestApiId');
    return { ref, attributes };
  },
  delete: ({ ref, properties }) => apiGateway.restApi(properties.requiredString('RestApiId')).removeDeployment(ref),
});

export const accountResourceType = (apiGateway: ApiGateway): ResourceType => {
  const put: PutResource = (properties, { physicalName }) => {
    const roleArn = properties.string('CloudWatchRoleArn');
    if (roleArn !== undefined && properties.allProblems().length === 0) apiGateway.setCloudWatchRole(roleArn);
    const id = physicalName();
    return { ref: id, attributes: { Id: id } };
  };
  // CloudFormation leaves the setting of the account as it is.
  return putType('AWS::ApiGateway::Account', put, () => {});
};
