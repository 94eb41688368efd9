import { notImplemented } from '../../kernel/aws-error';
import { serviceCaller } from '../../kernel/caller';
import { invalidParameter } from '../errors';
import { logGroupArn } from '../log-arns';
import type { LogsState } from '../logs-state';
import { groupNamed, type LogsAction } from './logs-action';

const NAME = /^[\w/.#-]{1,512}$/;

/** @see https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_CreateLogGroup.html */
export const createLogGroup: LogsAction<'CreateLogGroup'> = {
  permission: 'logs:CreateLogGroup',
  resourceOf: groupNamed,
  run: (state, { input }) => {
    const { logGroupName = '', kmsKeyId, logGroupClass } = input;
    if (!NAME.test(logGroupName)) {
      throw invalidParameter(
        `Value '${logGroupName}' at 'logGroupName' failed to satisfy constraint: 1 to 512 characters out of a-z, A-Z, 0-9, '_', '-', '/', '.' and '#'`,
      );
    }
    if (logGroupClass !== undefined && logGroupClass !== 'STANDARD') {
      throw notImplemented(`log groups of the class ${logGroupClass}`);
    }
    if (kmsKeyId !== undefined) checkKey(state, logGroupName, kmsKeyId);
    state.create(logGroupName).kmsKeyId = kmsKeyId;
    return {};
  },
};

/** The key's own policy must let CloudWatch Logs use it for this very group. */
function checkKey({ context }: LogsState, logGroupName: string, kmsKeyId: string): void {
  const arn = logGroupArn(context.place, logGroupName);
  const service = `logs.${context.place.region}.${context.place.urlSuffix}`;
  const logs = serviceCaller(service, arn, context.place.account);
  const caller = { ...logs, context: { ...logs.context, 'kms:EncryptionContext:aws:logs:arn': arn } };
  const allowed = ['kms:GenerateDataKey', 'kms:Decrypt'].every(
    action => context.keys.decide(kmsKeyId, action, caller, service).allowed,
  );
  if (!allowed) {
    throw invalidParameter(`The specified KMS key does not exist or is not allowed to be used with LogGroup '${arn}'`);
  }
}
