import type { AwsError } from '../kernel/aws-error';
import { keyBreaches, TAG_RULES, type TagBreach, type TagRules } from '../kernel/tag-rules';
import { invalidParameterValue } from './errors';

/**
 * The tags of a queue. On record are the texts for too many tags and for a key of the wrong length; the others are ours.
 *
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-queue-tags.html
 */
export function queueTags(queueName: string): TagRules {
  return { restrictsCharacters: true, refuse: breaches => refuse(breaches, queueName) };
}

/** @throws AwsError when no tag can have the key */
export function checkTagKey(key: string): void {
  const breaches = keyBreaches(key);
  if (breaches.length > 0) throw refuse(breaches);
}

/** SQS tells the first rule that is broken. */
function refuse([first]: readonly TagBreach[], queueName = ''): AwsError {
  if (!first || first.rule === 'most') return invalidParameterValue(`Too many tags added for queue ${queueName}.`);
  return invalidParameterValue(TAG_RULES[first.rule](first.text));
}
