import { type SnsAction, topicAt } from './sns-action';
import { taggedTopic } from './tagged-topic';

/** @see https://docs.aws.amazon.com/sns/latest/api/API_TagResource.html */
export const tagResource: SnsAction<'TagResource'> = {
  permission: 'sns:TagResource',
  resourceOf: (world, { ResourceArn }) => topicAt(world, ResourceArn),
  run: (world, { input: { ResourceArn, Tags = [] } }) => {
    taggedTopic(world, ResourceArn).tags.put(Tags);
    return {};
  },
};
