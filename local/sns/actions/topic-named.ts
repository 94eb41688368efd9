import type { Place } from '../../kernel/place';
import { invalidParameter, notFound } from '../errors';
import type { SnsInternals } from '../sns-world';
import type { Topic } from '../topic';

/** How many parts an ARN has at least. */
const ARN_PARTS = 6;

/**
 * Checks the shape of an ARN somebody gave as the parameter `name`.
 * @throws AwsError
 */
export function checkArn(name: string, arn: string): void {
  const parts = arn.split(':').length;
  if (parts < ARN_PARTS) throw invalidParameter(`${name} Reason: An ARN must have at least 6 elements, not ${parts}`);
}

/** @throws AwsError when the ARN is none, or another Region's */
export function checkTopicArn({ region }: Place, arn = ''): void {
  checkArn('TopicArn', arn);
  if (arn.split(':')[3] !== region) throw invalidParameter('TopicArn');
}

/**
 * The topic with this ARN.
 * @throws AwsError when the ARN is none, is another Region's, or there is no such topic
 */
export function topicNamed({ directory, context }: SnsInternals, arn: string | undefined): Topic {
  const topic = directory.findTopic(arn);
  if (topic) return topic;
  checkTopicArn(context.place, arn);
  throw notFound('Topic');
}
