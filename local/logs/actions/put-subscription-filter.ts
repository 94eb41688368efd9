import { AwsError, notImplemented } from '../../kernel/aws-error';
import { constrainName, constrainText, logsConstraints } from '../constraints';
import { invalidParameter } from '../errors';
import type { LogsState } from '../logs-state';
import { logsCaller, SubscriptionFilter } from '../subscription-filter';
import { checkQuota, refuseSelections } from './filter-rules';
import { groupNamed, type LogsAction } from './logs-action';

const MAX_SUBSCRIPTION_FILTERS = 2;

/**
 * Destinations are functions; streams and other accounts' destinations are refused by name.
 *
 * @see https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_PutSubscriptionFilter.html
 */
export const putSubscriptionFilter: LogsAction<'PutSubscriptionFilter'> = {
  permission: 'logs:PutSubscriptionFilter',
  resourceOf: groupNamed,
  run: (state, { input }) => {
    const { filterName = '', filterPattern = '', destinationArn = '', distribution = 'ByLogStream' } = input;
    const constraints = constrainName(logsConstraints(), 'filterName', input.filterName);
    constrainText(constraints, 'destinationArn', input.destinationArn, 2048).check();
    refuseSelections(input, input.emitSystemFields);
    const group = state.get(input.logGroupName ?? '');
    if (!/^arn:[^:]+:lambda:/.test(destinationArn)) throw notImplemented(`subscription filters to ${destinationArn}`);
    const subscription = { logGroupName: group.name, filterName, filterPattern, destinationArn, distribution };
    const filter = new SubscriptionFilter(subscription, state.nowMs, state.context, state.functions);
    checkQuota(group, group.subscriptionFilters, filterName, filter, MAX_SUBSCRIPTION_FILTERS);
    checkFunction(state, group.name, destinationArn);
    group.subscriptionFilters.set(filterName, filter);
    return {};
  },
};

function checkFunction({ context, functions }: LogsState, logGroupName: string, functionArn: string): void {
  try {
    functions().invoke(functionArn, logsCaller(context, logGroupName), 'DryRun', '{}');
  } catch (error) {
    if (!(error instanceof AwsError)) throw error;
    throw invalidParameter(
      'Could not execute the lambda function. Make sure you have given CloudWatch Logs permission to execute your function.',
    );
  }
}
