import { AwsError } from '../../kernel/aws-error';
import type { SnsInternals } from '../sns-world';
import type { Topic } from '../topic';

/**
 * The topic whose tags a call is about: topics alone have tags.
 * @throws AwsError when there is none
 */
export function taggedTopic({ directory }: SnsInternals, arn: string | undefined): Topic {
  const topic = directory.findTopic(arn);
  if (!topic) throw new AwsError('ResourceNotFound', 'Resource does not exist', 404);
  return topic;
}
