import type { LogGroupClass, MetricTransformation, StandardUnit } from '@aws-sdk/client-cloudwatch-logs';
import { type PropertyReader, tagsProperty } from '../cloudformation/property-reader';
import {
  type CreateContext,
  type CreatedResource,
  changeTags,
  type ExistingResource,
  type PutResource,
  putType,
  type ResourceType,
} from '../cloudformation/resource-type';
import type { Place } from '../kernel/place';
import { tagRecord } from '../kernel/tags';
import { requiredPolicyProperty } from '../policy-document/policy';
import type { Logs } from './logs';
import { logGroupArn } from './ports';

/** The implemented CloudFormation resource types of CloudWatch Logs. */
export const logsResourceTypes = (logs: Logs, place: Place): ResourceType[] => [
  logGroupResourceType(logs, place),
  logStreamResourceType(logs),
  metricFilterResourceType(logs),
  queryDefinitionResourceType(logs),
  resourcePolicyResourceType(logs),
  subscriptionFilterResourceType(logs),
];

const logGroupResourceType = (logs: Logs, place: Place): ResourceType => {
  const { owner } = logs;
  const described = (name: string) => ({ ref: name, attributes: { Arn: `${logGroupArn(place, name)}:*` } });
  return {
    type: 'AWS::Logs::LogGroup',
    create(properties, context) {
      const { logGroupName, retentionInDays, ...group } = readGroup(properties, context);
      const tags = tagRecord(tagsProperty(properties));
      const identifier = JSON.stringify({ '/properties/LogGroupName': logGroupName });
      properties.isFree('LogGroupName', identifier, logs.hasGroup(logGroupName));
      if (properties.allProblems().length === 0) {
        logs.call('CreateLogGroup', owner, { logGroupName, ...group, tags });
        if (retentionInDays !== undefined) {
          logs.call('PutRetentionPolicy', owner, { logGroupName, retentionInDays });
        }
      }
      return described(logGroupName);
    },
    update(properties, context, existing) {
      const { logGroupName, retentionInDays, kmsKeyId, deletionProtectionEnabled } = readGroup(properties, context);
      const before = readGroup(existing.properties, context);
      if (retentionInDays === undefined) logs.call('DeleteRetentionPolicy', owner, { logGroupName });
      else logs.call('PutRetentionPolicy', owner, { logGroupName, retentionInDays });
      if (kmsKeyId !== undefined) logs.call('AssociateKmsKey', owner, { logGroupName, kmsKeyId });
      else if (before.kmsKeyId !== undefined) logs.call('DisassociateKmsKey', owner, { logGroupName });
      if (deletionProtectionEnabled !== before.deletionProtectionEnabled) {
        const protection = { logGroupIdentifier: logGroupName, deletionProtectionEnabled };
        logs.call('PutLogGroupDeletionProtection', owner, protection);
      }
      changeTags(
        tagsProperty(properties),
        existing,
        tags => logs.call('TagLogGroup', owner, { logGroupName, tags: tagRecord(tags) }),
        tags => logs.call('UntagLogGroup', owner, { logGroupName, tags }),
      );
      return described(logGroupName);
    },
    delete: ({ ref: logGroupName }) => logs.call('DeleteLogGroup', owner, { logGroupName }),
  };
};

function readGroup(properties: PropertyReader, context: CreateContext) {
  return {
    logGroupName: properties.string('LogGroupName') ?? context.physicalName(),
    retentionInDays: properties.number('RetentionInDays'),
    kmsKeyId: properties.string('KmsKeyId'),
    logGroupClass: properties.string('LogGroupClass') as LogGroupClass | undefined,
    deletionProtectionEnabled: properties.boolean('DeletionProtectionEnabled'),
  };
}

const logStreamResourceType = (logs: Logs): ResourceType => ({
  type: 'AWS::Logs::LogStream',
  create(properties, context) {
    const logGroupName = properties.requiredString('LogGroupName');
    const logStreamName = properties.string('LogStreamName') ?? context.physicalName();
    if (properties.allProblems().length === 0) {
      logs.call('CreateLogStream', logs.owner, { logGroupName, logStreamName });
    }
    return { ref: logStreamName, attributes: {} };
  },
  // Every property is create-only.
  update: (_properties, _context, { ref, attributes }) => ({ ref, attributes }),
  delete: ({ ref: logStreamName, properties }) => {
    logs.call('DeleteLogStream', logs.owner, { logGroupName: properties.string('LogGroupName'), logStreamName });
  },
});

const resourcePolicyResourceType = (logs: Logs): ResourceType => {
  const put: PutResource = properties => {
    const policyName = properties.requiredString('PolicyName');
    const document = requiredPolicyProperty(properties, 'PolicyDocument', 'resource');
    if (document && properties.allProblems().length === 0) {
      logs.call('PutResourcePolicy', logs.owner, { policyName, policyDocument: JSON.stringify(document) });
    }
    return { ref: policyName, attributes: {} };
  };
  return putType('AWS::Logs::ResourcePolicy', put, ({ ref: policyName }) =>
    logs.call('DeleteResourcePolicy', logs.owner, { policyName }),
  );
};

const queryDefinitionResourceType = (logs: Logs): ResourceType => {
  const put: PutResource = (properties, _context, existing): CreatedResource => {
    const name = properties.requiredString('Name');
    const queryString = properties.requiredString('QueryString');
    const names = properties.strings('LogGroupNames');
    const language = properties.string('QueryLanguage') ?? 'CWLI';
    if (language !== 'CWLI') {
      const rule = 'must be CWLI: the embedded AWS implements no other query language';
      properties.problem('QueryLanguage', rule, language);
    }
    if (properties.allProblems().length > 0) return { ref: name, attributes: {} };
    const { queryDefinitionId = '' } = logs.call('PutQueryDefinition', logs.owner, {
      name,
      queryString,
      logGroupNames: names && [...names],
      queryLanguage: 'CWLI',
      ...(existing && { queryDefinitionId: existing.ref }),
    });
    return { ref: queryDefinitionId, attributes: { QueryDefinitionId: queryDefinitionId } };
  };
  return putType('AWS::Logs::QueryDefinition', put, ({ ref: queryDefinitionId }) =>
    logs.call('DeleteQueryDefinition', logs.owner, { queryDefinitionId }),
  );
};

/** What the filters of a log group have in common. */
function readFilter(
  properties: PropertyReader,
  context: CreateContext,
  isTaken: (logGroupName: string, filterName: string) => boolean,
) {
  const filterName = properties.string('FilterName') ?? context.physicalName();
  const logGroupName = properties.requiredString('LogGroupName');
  const filterPattern = properties.string('FilterPattern') ?? properties.problem('FilterPattern', 'is required');
  const identifier = { '/properties/LogGroupName': logGroupName, '/properties/FilterName': filterName };
  properties.isFree('FilterName', JSON.stringify(identifier), isTaken(logGroupName, filterName));
  return { filterName, logGroupName, filterPattern };
}

const filterOf = ({ ref: filterName, properties }: ExistingResource) => ({
  logGroupName: properties.string('LogGroupName'),
  filterName,
});

const metricFilterResourceType = (logs: Logs): ResourceType => {
  const put: PutResource = (properties, context, existing) => {
    const filter = readFilter(properties, context, (group, name) => !existing && logs.hasMetricFilter(group, name));
    const metricTransformations = properties.objects('MetricTransformations').map(transformation);
    if (properties.allProblems().length === 0) {
      logs.call('PutMetricFilter', logs.owner, { ...filter, metricTransformations });
    }
    return { ref: filter.filterName, attributes: {} };
  };
  return putType('AWS::Logs::MetricFilter', put, existing =>
    logs.call('DeleteMetricFilter', logs.owner, filterOf(existing)),
  );
};

function transformation(properties: PropertyReader): MetricTransformation {
  const dimensions = properties
    .objects('Dimensions')
    .map(dimension => [dimension.requiredString('Key'), dimension.requiredString('Value')]);
  return {
    metricName: properties.requiredString('MetricName'),
    metricNamespace: properties.requiredString('MetricNamespace'),
    metricValue: properties.requiredString('MetricValue'),
    defaultValue: properties.number('DefaultValue'),
    unit: properties.string('Unit') as StandardUnit | undefined,
    ...(dimensions.length > 0 ? { dimensions: Object.fromEntries(dimensions) } : {}),
  };
}

const subscriptionFilterResourceType = (logs: Logs): ResourceType => {
  const put: PutResource = (properties, context, existing) => {
    const isTaken = (group: string, name: string) => !existing && logs.hasSubscriptionFilter(group, name);
    const filter = readFilter(properties, context, isTaken);
    const destinationArn = properties.requiredString('DestinationArn');
    // Distribution matters only for Kinesis streams. A function receives the same events with either value.
    properties.withoutEffect('Distribution');
    if (properties.allProblems().length === 0) {
      properties.attempt('DestinationArn', () =>
        logs.call('PutSubscriptionFilter', logs.owner, { ...filter, destinationArn }),
      );
    }
    return { ref: filter.filterName, attributes: {} };
  };
  return putType('AWS::Logs::SubscriptionFilter', put, existing =>
    logs.call('DeleteSubscriptionFilter', logs.owner, filterOf(existing)),
  );
};
