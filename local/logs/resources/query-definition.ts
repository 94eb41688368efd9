import type { CreatedResource, ResourceType } from '../../cloudformation/resource-type';
import type { Logs } from '../logs';

/** @see https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-logs-querydefinition.html */
export const queryDefinitionResourceType = (logs: Logs): ResourceType => ({
  type: 'AWS::Logs::QueryDefinition',
  create(properties): CreatedResource {
    const name = properties.requiredString('Name');
    const queryString = properties.requiredString('QueryString');
    const names = properties.strings('LogGroupNames');
    const language = properties.string('QueryLanguage') ?? 'CWLI';
    if (language !== 'CWLI') properties.problem('QueryLanguage', 'must be CWLI in the embedded AWS', language);
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
