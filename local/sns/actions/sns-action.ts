import { type Page, pageOf } from '../../kernel/page';
import type { Place } from '../../kernel/place';
import type { InputOf, OutputOf, Resource, ServiceAction } from '../../kernel/service-api';
import type { SnsInternals } from '../directory';
import { invalidParameter, notFound } from '../errors';
import type { SnsActionName, SnsActions } from '../sns-actions';
import type { Topic } from '../topic';

/** One API action: who may call it, which topic it is about, and what it does. */
export type SnsAction<Name extends SnsActionName> = ServiceAction<
  SnsInternals,
  InputOf<SnsActions[Name]>,
  OutputOf<SnsActions[Name]>
>;

/** What an action on this topic is about, whether or not there is such a topic; `*` for an action on none. */
export function topicAt({ directory }: SnsInternals, topicArn: string | undefined): Resource {
  return directory.findTopic(topicArn) ?? { arn: topicArn ?? '*' };
}

/** What an action on this subscription is about: its topic. */
export function topicOfSubscription({ directory }: SnsInternals, subscriptionArn: string | undefined): Resource {
  return directory.findSubscription(subscriptionArn)?.topic ?? { arn: '*' };
}

/** Something that has no policy of its own. */
export function snsResource(arn: string | undefined): Resource {
  return { arn: arn ?? '*' };
}

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

/** How many of them AWS lists at a time. */
const PAGE_SIZE = 100;

/** @throws AwsError when the token is none of ours */
export function snsPage<Item>(all: readonly Item[], token: string | undefined): Page<Item> {
  return pageOf(all, PAGE_SIZE, token, () => invalidParameter('NextToken'));
}
