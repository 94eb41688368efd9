import type { EventsAction } from '../events-actions';
import { tagsOf } from './tagged';

/** @see https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_UntagResource.html */
export const untagResource: EventsAction<'UntagResource'> = {
  permission: 'events:UntagResource',
  resourceOf: (_internals, { ResourceARN = '*' }) => ({ arn: ResourceARN }),
  run: (internals, { input: { ResourceARN, TagKeys } }) => {
    tagsOf(internals, ResourceARN).remove(TagKeys);
    return {};
  },
};
