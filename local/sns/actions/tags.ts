import { AwsError } from '../../kernel/aws-error';
import type { SnsState } from '../sns-state';
import type { Topic } from '../topic/topic';
import { type SnsAction, topicAt } from './sns-action';

/**
 * Returns the topic with the tags. Only topics have tags.
 * @throws AwsError when there is none
 */
function taggedTopic({ directory }: SnsState, arn: string | undefined): Topic {
  const topic = directory.findTopic(arn);
  if (!topic) throw new AwsError('ResourceNotFound', 'Resource does not exist', 404);
  return topic;
}

/** @see https://docs.aws.amazon.com/sns/latest/api/API_TagResource.html */
export const tagResource: SnsAction<'TagResource'> = {
  permission: 'sns:TagResource',
  resourceOf: (state, { ResourceArn }) => topicAt(state, ResourceArn),
  run: (state, { input: { ResourceArn, Tags = [] } }) => {
    taggedTopic(state, ResourceArn).tags.put(Tags);
  },
};

/** Removing a missing tag succeeds. @see https://docs.aws.amazon.com/sns/latest/api/API_UntagResource.html */
export const untagResource: SnsAction<'UntagResource'> = {
  permission: 'sns:UntagResource',
  resourceOf: (state, { ResourceArn }) => topicAt(state, ResourceArn),
  run: (state, { input: { ResourceArn, TagKeys = [] } }) => {
    taggedTopic(state, ResourceArn).tags.remove(TagKeys);
  },
};

/** @see https://docs.aws.amazon.com/sns/latest/api/API_ListTagsForResource.html */
export const listTagsForResource: SnsAction<'ListTagsForResource'> = {
  permission: 'sns:ListTagsForResource',
  resourceOf: (state, { ResourceArn }) => topicAt(state, ResourceArn),
  run: (state, { input: { ResourceArn } }) => ({ Tags: taggedTopic(state, ResourceArn).tags.list() }),
};
