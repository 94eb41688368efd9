import { keyRefusal } from '../../kernel/access';
import { notImplemented } from '../../kernel/aws-error';
import { serviceCaller } from '../../kernel/caller';
import { checkTags, tagList } from '../../kernel/resource-tags';
import { checkGroupName } from '../constraints';
import { invalidParameter } from '../errors';
import { logGroupArn, logsService } from '../log-arns';
import type { LogsState } from '../logs-state';
import { logGroupTags } from '../tags';
import { groupNamed, type LogsAction } from './logs-action';

/** @see https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_CreateLogGroup.html */
export const createLogGroup: LogsAction<'CreateLogGroup'> = {
  permission: 'logs:CreateLogGroup',
  resourceOf: groupNamed,
  run: (state, { input }) => {
    const { kmsKeyId, logGroupClass, tags = {}, deletionProtectionEnabled = false } = input;
    const logGroupName = checkGroupName(input.logGroupName);
    if (logGroupClass !== undefined && logGroupClass !== 'STANDARD') {
      throw notImplemented(`log groups of the class ${logGroupClass}`);
    }
    checkTags(tagList(tags), logGroupTags(logGroupName));
    if (kmsKeyId !== undefined) checkKey(state, logGroupName, kmsKeyId);
    const group = state.create(logGroupName);
    group.kmsKeyId = kmsKeyId;
    group.deletionProtectionEnabled = deletionProtectionEnabled;
    group.tags.put(tagList(tags));
    return {};
  },
};

/** The key's own policy must let CloudWatch Logs use it for this very group. */
function checkKey({ context }: LogsState, logGroupName: string, kmsKeyId: string): void {
  const arn = logGroupArn(context.place, logGroupName);
  const logs = serviceCaller(logsService(context.place), arn, context.place.account);
  const caller = { ...logs, context: { ...logs.context, 'kms:EncryptionContext:aws:logs:arn': arn } };
  if (keyRefusal(context, { keyId: kmsKeyId, caller, via: 'logs' }, 'kms:GenerateDataKey', 'kms:Decrypt')) {
    throw invalidParameter(`The specified KMS key does not exist or is not allowed to be used with LogGroup '${arn}'`);
  }
}
