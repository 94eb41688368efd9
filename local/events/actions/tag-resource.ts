import type { EventsAction } from '../events-actions';
import { tagsOf } from './tagged';

/** @see https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_TagResource.html */
export const tagResource: EventsAction<'TagResource'> = {
  permission: 'events:TagResource',
  resourceOf: (_desk, { ResourceARN = '*' }) => ({ arn: ResourceARN }),
  run: (desk, { input: { ResourceARN, Tags } }) => {
    tagsOf(desk, ResourceARN).put(Tags);
    return {};
  },
};
