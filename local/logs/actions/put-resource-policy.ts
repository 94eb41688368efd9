import { notImplemented } from '../../kernel/aws-error';
import { constrainText, logsConstraints } from '../constraints';
import { anything, type LogsAction } from './logs-action';

/** @see https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_PutResourcePolicy.html */
export const putResourcePolicy: LogsAction<'PutResourcePolicy'> = {
  permission: 'logs:PutResourcePolicy',
  resourceOf: anything,
  run: (state, { input }) => {
    if (input.resourceArn) throw notImplemented('resource policies of a single log group');
    const { policyName: name = '', policyDocument: document = '' } = input;
    const constraints = constrainText(logsConstraints(), 'policyName', input.policyName, 256);
    constrainText(constraints, 'policyDocument', input.policyDocument, 5120).check();
    return { resourcePolicy: state.resourcePolicies.put(name, document, state.nowMs) };
  },
};
