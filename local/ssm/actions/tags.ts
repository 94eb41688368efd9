import { AwsError } from '../../kernel/aws-error';
import { MissingResource } from '../../kernel/service-api';
import type { Parameter } from '../parameter';
import type { SsmState } from '../ssm-state';
import type { SsmAction } from './ssm-action';

/** Finds the parameter to tag. Other resource types (documents, instances) are refused. */
function tagged(
  state: SsmState,
  {
    ResourceType: type = '',
    ResourceId: id = '',
  }: { ResourceType?: string | undefined; ResourceId?: string | undefined },
): Parameter | MissingResource {
  if (type !== 'Parameter') {
    return new MissingResource(
      '*',
      new AwsError('InvalidResourceType', `${type} is not a valid resource type here: only Parameter is.`),
    );
  }
  const { name } = state.named(id);
  const invalid = new AwsError(
    'InvalidResourceId',
    'The resource ID is not valid. Verify that you entered the correct ID and try again.',
  );
  return state.find(name) ?? new MissingResource(state.arnOf(name), invalid);
}

/** @see https://docs.aws.amazon.com/systems-manager/latest/APIReference/API_AddTagsToResource.html */
export const addTagsToResource: SsmAction<'AddTagsToResource', Parameter> = {
  permission: 'ssm:AddTagsToResource',
  resourceOf: tagged,
  run: (_state, { input: { Tags = [] } }, { tags }) => {
    tags.put(Tags);
    return {};
  },
};

/** @see https://docs.aws.amazon.com/systems-manager/latest/APIReference/API_RemoveTagsFromResource.html */
export const removeTagsFromResource: SsmAction<'RemoveTagsFromResource', Parameter> = {
  permission: 'ssm:RemoveTagsFromResource',
  resourceOf: tagged,
  run: (_state, { input: { TagKeys = [] } }, { tags }) => {
    tags.remove(TagKeys);
    return {};
  },
};

/** @see https://docs.aws.amazon.com/systems-manager/latest/APIReference/API_ListTagsForResource.html */
export const listTagsForResource: SsmAction<'ListTagsForResource', Parameter> = {
  permission: 'ssm:ListTagsForResource',
  resourceOf: tagged,
  run: (_state, _call, { tags }) => ({ TagList: tags.list() }),
};
