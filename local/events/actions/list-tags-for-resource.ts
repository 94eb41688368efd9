import type { EventsAction } from '../events-actions';
import { tagsOf } from './tagged';

/** @see https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_ListTagsForResource.html */
export const listTagsForResource: EventsAction<'ListTagsForResource'> = {
  permission: 'events:ListTagsForResource',
  resourceOf: (_internals, { ResourceARN = '*' }) => ({ arn: ResourceARN }),
  run: (internals, { input: { ResourceARN } }) => ({ Tags: tagsOf(internals, ResourceARN).list() }),
};
