import { anything, type LogsAction } from './logs-action';

/** @see https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_DeleteQueryDefinition.html */
export const deleteQueryDefinition: LogsAction<'DeleteQueryDefinition'> = {
  permission: 'logs:DeleteQueryDefinition',
  resourceOf: anything,
  run: (state, { input: { queryDefinitionId = '' } }) => {
    state.queryDefinitions.delete(queryDefinitionId);
    return { success: true };
  },
};
