import type { ResourceTags } from '../../kernel/tags';
import { resourceNotFound } from '../constraints';
import type { EventsAction, EventsInternals } from '../events-actions';

/** @see https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_TagResource.html */
export const tagResource: EventsAction<'TagResource'> = {
  permission: 'events:TagResource',
  resourceOf: (_internals, { ResourceARN = '*' }) => ({ arn: ResourceARN }),
  run: (internals, { input: { ResourceARN, Tags } }) => {
    tagsOf(internals, ResourceARN).put(Tags);
    return {};
  },
};

/** @see https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_UntagResource.html */
export const untagResource: EventsAction<'UntagResource'> = {
  permission: 'events:UntagResource',
  resourceOf: (_internals, { ResourceARN = '*' }) => ({ arn: ResourceARN }),
  run: (internals, { input: { ResourceARN, TagKeys } }) => {
    tagsOf(internals, ResourceARN).remove(TagKeys);
    return {};
  },
};

/** @see https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_ListTagsForResource.html */
export const listTagsForResource: EventsAction<'ListTagsForResource'> = {
  permission: 'events:ListTagsForResource',
  resourceOf: (_internals, { ResourceARN = '*' }) => ({ arn: ResourceARN }),
  run: (internals, { input: { ResourceARN } }) => ({ Tags: tagsOf(internals, ResourceARN).list() }),
};

/**
 * Returns the tags of a rule or a bus.
 * @throws AwsError `ResourceNotFoundException`
 */
function tagsOf({ buses }: EventsInternals, arn = ''): ResourceTags {
  const found = [...buses.all, ...buses.rules].find(it => it.arn === arn);
  if (!found) throw resourceNotFound(`Resource ${arn} does not exist.`);
  return found.tags;
}
