import { notImplemented } from '../../kernel/aws-error';
import { constrainText, logsConstraints, logsPage, MAX_LISTED } from '../errors';
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

/** @see https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_DeleteResourcePolicy.html */
export const deleteResourcePolicy: LogsAction<'DeleteResourcePolicy'> = {
  permission: 'logs:DeleteResourcePolicy',
  resourceOf: anything,
  run: (state, { input: { policyName = '' } }) => {
    state.resourcePolicies.delete(policyName);
    return {};
  },
};

/** @see https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_DescribeResourcePolicies.html */
export const describeResourcePolicies: LogsAction<'DescribeResourcePolicies'> = {
  permission: 'logs:DescribeResourcePolicies',
  resourceOf: anything,
  run: (state, { input: { limit, nextToken: token } }) => {
    logsConstraints().range('limit', limit, 1, MAX_LISTED).check();
    const { items, nextToken } = logsPage(state.resourcePolicies.list(), limit, token);
    return { resourcePolicies: items, nextToken };
  },
};
