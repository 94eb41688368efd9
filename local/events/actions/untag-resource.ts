import type { EventsAction } from '../events-actions';
import { tagsOf } from './tagged';

/** @see https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_UntagResource.html */
export const untagResource: EventsAction<'UntagResource'> = {
  permission: 'events:UntagResource',
  resourceOf: (_desk, { ResourceARN = '*' }) => ({ arn: ResourceARN }),
  run: (desk, { input: { ResourceARN, TagKeys } }) => {
    tagsOf(desk, ResourceARN).remove(TagKeys);
    return {};
  },
};
