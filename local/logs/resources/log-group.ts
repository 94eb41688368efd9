import type { LogGroupClass } from '@aws-sdk/client-cloudwatch-logs';
import type { ResourceType } from '../../cloudformation/resource-type';
import { tagsProperty } from '../../cloudformation/tags-property';
import { isNameFree } from '../../cloudformation/taken-name';
import type { Place } from '../../kernel/place';
import { tagRecord } from '../../kernel/resource-tags';
import { logGroupArn } from '../log-arns';
import type { Logs } from '../logs';

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
