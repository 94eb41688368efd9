import { type SnsAction, topicAt } from './sns-action';
import { taggedTopic } from './tagged-topic';

/** @see https://docs.aws.amazon.com/sns/latest/api/API_ListTagsForResource.html */
export const listTagsForResource: SnsAction<'ListTagsForResource'> = {
  permission: 'sns:ListTagsForResource',
  resourceOf: (world, { ResourceArn }) => topicAt(world, ResourceArn),
  run: (world, { input: { ResourceArn } }) => ({ Tags: taggedTopic(world, ResourceArn).tags.list() }),
};
