import { notImplemented } from '../../kernel/aws-error';
import { checkText } from '../constraints';
import { anything, type LogsAction } from './logs-action';

/** @see https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_PutResourcePolicy.html */
export const putResourcePolicy: LogsAction<'PutResourcePolicy'> = {
  permission: 'logs:PutResourcePolicy',
  resourceOf: anything,
  run: (state, { input }) => {
    if (input.resourceArn) throw notImplemented('resource policies of a single log group');
    const name = checkText('policyName', input.policyName, { max: 256 });
    const document = checkText('policyDocument', input.policyDocument, { max: 5120 });
    return { resourcePolicy: state.resourcePolicies.put(name, document, state.nowMs) };
  },
};
