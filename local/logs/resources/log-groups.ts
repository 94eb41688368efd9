import type { LogGroupClass } from '@aws-sdk/client-cloudwatch-logs';
import { tagsProperty } from '../../cloudformation/property-reader';
import { type CreatedResource, isNameFree, type ResourceType } from '../../cloudformation/resource-type';
import type { Place } from '../../kernel/place';
import { tagRecord } from '../../kernel/tags';
import { requiredPolicyProperty } from '../../policy-document';
import type { Logs } from '../logs';
import { logGroupArn } from '../ports';

const LOG_GROUP_TYPE = 'AWS::Logs::LogGroup';

/** @see https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-logs-loggroup.html */
export const logGroupResourceType = (logs: Logs, place: Place): ResourceType => ({
  type: LOG_GROUP_TYPE,
  create(properties, context) {
    const logGroupName = properties.string('LogGroupName') ?? context.physicalName();
    const retentionInDays = properties.number('RetentionInDays');
    const kmsKeyId = properties.string('KmsKeyId');
    const logGroupClass = properties.string('LogGroupClass') as LogGroupClass | undefined;
    const deletionProtectionEnabled = properties.boolean('DeletionProtectionEnabled');
    const tags = tagRecord(tagsProperty(properties));
    const identifier = JSON.stringify({ '/properties/LogGroupName': logGroupName });
    isNameFree(properties, { type: LOG_GROUP_TYPE, property: 'LogGroupName', identifier }, logs.hasGroup(logGroupName));
    if (properties.allProblems().length === 0) {
      logs.call('CreateLogGroup', logs.owner, {
        logGroupName,
        kmsKeyId,
        logGroupClass,
        tags,
        deletionProtectionEnabled,
      });
      if (retentionInDays !== undefined) {
        logs.call('PutRetentionPolicy', logs.owner, { logGroupName, retentionInDays });
      }
    }
    return { ref: logGroupName, attributes: { Arn: `${logGroupArn(place, logGroupName)}:*` } };
  },
});

/** @see https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-logs-logstream.html */
export const logStreamResourceType = (logs: Logs): ResourceType => ({
  type: 'AWS::Logs::LogStream',
  create(properties, context) {
    const logGroupName = properties.requiredString('LogGroupName');
    const logStreamName = properties.string('LogStreamName') ?? context.physicalName();
    if (properties.allProblems().length === 0) {
      logs.call('CreateLogStream', logs.owner, { logGroupName, logStreamName });
    }
    return { ref: logStreamName, attributes: {} };
  },
});

/** @see https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-logs-resourcepolicy.html */
export const resourcePolicyResourceType = (logs: Logs): ResourceType => ({
  type: 'AWS::Logs::ResourcePolicy',
  create(properties) {
    const policyName = properties.requiredString('PolicyName');
    const document = requiredPolicyProperty(properties, 'PolicyDocument', 'resource');
    if (document && properties.allProblems().length === 0) {
      logs.call('PutResourcePolicy', logs.owner, { policyName, policyDocument: JSON.stringify(document) });
    }
    return { ref: policyName, attributes: {} };
  },
});

/** @see https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-logs-querydefinition.html */
export const queryDefinitionResourceType = (logs: Logs): ResourceType => ({
  type: 'AWS::Logs::QueryDefinition',
  create(properties): CreatedResource {
    const name = properties.requiredString('Name');
    const queryString = properties.requiredString('QueryString');
    const names = properties.strings('LogGroupNames');
    const language = properties.string('QueryLanguage') ?? 'CWLI';
    if (language !== 'CWLI')
      properties.problem(
        'QueryLanguage',
        'must be CWLI: the embedded AWS implements no other query language',
        language,
      );
    if (properties.allProblems().length > 0) return { ref: name, attributes: {} };
    const { queryDefinitionId = '' } = logs.call('PutQueryDefinition', logs.owner, {
      name,
      queryString,
      logGroupNames: names && [...names],
      queryLanguage: 'CWLI',
    });
    return { ref: queryDefinitionId, attributes: { QueryDefinitionId: queryDefinitionId } };
  },
});
