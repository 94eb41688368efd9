import { AwsError } from '../../kernel/aws-error';
import type { SnsInternals } from '../directory';
import type { Topic } from '../topic';
import { type SnsAction, topicAt } from './sns-action';

/**
 * Returns the topic with the tags. Only topics have tags.
 * @throws AwsError when there is none
 */
function taggedTopic({ directory }: SnsInternals, arn: string | undefined): Topic {
  const topic = directory.findTopic(arn);
  if (!topic) throw new AwsError('ResourceNotFound', 'Resource does not exist', 404);
  return topic;
}

/** @see https://docs.aws.amazon.com/sns/latest/api/API_TagResource.html */
export const tagResource: SnsAction<'TagResource'> = {
  permission: 'sns:TagResource',
  resourceOf: (internals, { ResourceArn }) => topicAt(internals, ResourceArn),
  run: (internals, { input: { ResourceArn, Tags = [] } }) => {
    taggedTopic(internals, ResourceArn).tags.put(Tags);
    return {};
  },
};

/** Removing a missing tag succeeds. @see https://docs.aws.amazon.com/sns/latest/api/API_UntagResource.html */
export const untagResource: SnsAction<'UntagResource'> = {
  permission: 'sns:UntagResource',
  resourceOf: (internals, { ResourceArn }) => topicAt(internals, ResourceArn),
  run: (internals, { input: { ResourceArn, TagKeys = [] } }) => {
    taggedTopic(internals, ResourceArn).tags.remove(TagKeys);
    return {};
  },
};

/** @see https://docs.aws.amazon.com/sns/latest/api/API_ListTagsForResource.html */
export const listTagsForResource: SnsAction<'ListTagsForResource'> = {
  permission: 'sns:ListTagsForResource',
  resourceOf: (internals, { ResourceArn }) => topicAt(internals, ResourceArn),
  run: (internals, { input: { ResourceArn } }) => ({ Tags: taggedTopic(internals, ResourceArn).tags.list() }),
};
