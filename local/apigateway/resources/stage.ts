import type { PropertyReader } from '../../cloudformation/property-reader';
import { type PutResource, putType, type ResourceType } from '../../cloudformation/resource-type';
import type { ApiGateway } from '../api-gateway';
import type { AccessLog, LoggingLevel, MethodSetting } from '../model/rest-api';
import { stringMap } from './rest-api';

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
