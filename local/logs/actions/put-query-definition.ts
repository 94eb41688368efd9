import { notImplemented } from '../../kernel/aws-error';
import { constrainText, logsConstraints } from '../constraints';
import { resourceMissing } from '../errors';
import { anything, type LogsAction } from './logs-action';

/** @see https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_PutQueryDefinition.html */
export const putQueryDefinition: LogsAction<'PutQueryDefinition'> = {
  permission: 'logs:PutQueryDefinition',
  resourceOf: anything,
  run: (state, { input }) => {
    const { name = '', queryString = '', logGroupNames, queryLanguage, queryDefinitionId: id, parameters } = input;
    if (parameters && parameters.length > 0) throw notImplemented('query definitions with parameters');
    const constraints = constrainText(logsConstraints(), 'name', input.name, 255);
    constrainText(constraints, 'queryString', input.queryString, 10_000).check();
    if (id !== undefined && !state.queryDefinitions.has(id)) throw resourceMissing();
    const queryDefinitionId = id ?? state.context.random.uuid();
    const lastModified = state.nowMs;
    state.queryDefinitions.put({ queryDefinitionId, name, queryString, lastModified, logGroupNames, queryLanguage });
    return { queryDefinitionId };
  },
};
