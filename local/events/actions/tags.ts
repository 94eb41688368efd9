import type { ResourceTags } from '../../kernel/tags';
import { resourceNotFound } from '../constraints';
import type { EventsState } from '../events-state';
import type { EventsAction } from './events-action';

/** @see https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_TagResource.html */
export const tagResource: EventsAction<'TagResource'> = {
  permission: 'events:TagResource',
  resourceOf: (_state, { ResourceARN = '*' }) => ({ arn: ResourceARN }),
  run: (state, { input: { ResourceARN, Tags } }) => {
    tagsOf(state, ResourceARN).put(Tags);
  },
};

/** @see https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_UntagResource.html */
export const untagResource: EventsAction<'UntagResource'> = {
  permission: 'events:UntagResource',
  resourceOf: (_state, { ResourceARN = '*' }) => ({ arn: ResourceARN }),
  run: (state, { input: { ResourceARN, TagKeys } }) => {
    tagsOf(state, ResourceARN).remove(TagKeys);
  },
};

/** @see https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_ListTagsForResource.html */
export const listTagsForResource: EventsAction<'ListTagsForResource'> = {
  permission: 'events:ListTagsForResource',
  resourceOf: (_state, { ResourceARN = '*' }) => ({ arn: ResourceARN }),
  run: (state, { input: { ResourceARN } }) => ({ Tags: tagsOf(state, ResourceARN).list() }),
};

/**
 * Returns the tags of a rule or a bus.
 * @throws AwsError `ResourceNotFoundException`
 */
function tagsOf({ buses }: EventsState, arn = ''): ResourceTags {
  const found = [...buses.all, ...buses.rules].find(it => it.arn === arn);
  if (!found) throw resourceNotFound(`Resource ${arn} does not exist.`);
  return found.tags;
}
