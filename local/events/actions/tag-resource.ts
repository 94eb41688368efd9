import type { EventsAction } from '../events-actions';
import { tagsOf } from './tagged';

/** @see https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_TagResource.html */
export const tagResource: EventsAction<'TagResource'> = {
  permission: 'events:TagResource',
  resourceOf: (_internals, { ResourceARN = '*' }) => ({ arn: ResourceARN }),
  run: (internals, { input: { ResourceARN, Tags } }) => {
    tagsOf(internals, ResourceARN).put(Tags);
    return {};
  },
};
