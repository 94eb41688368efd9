import { type SnsAction, topicAt } from './sns-action';
import { taggedTopic } from './tagged-topic';

/** Taking away what is not there is done already. @see https://docs.aws.amazon.com/sns/latest/api/API_UntagResource.html */
export const untagResource: SnsAction<'UntagResource'> = {
  permission: 'sns:UntagResource',
  resourceOf: (world, { ResourceArn }) => topicAt(world, ResourceArn),
  run: (world, { input: { ResourceArn, TagKeys = [] } }) => {
    taggedTopic(world, ResourceArn).tags.remove(TagKeys);
    return {};
  },
};
