import type { SNS } from '@aws-sdk/client-sns';
import { type Page, pageOf } from '../../kernel/page';
import type { Place } from '../../kernel/place';
import type { ActionFamily, Resource } from '../../kernel/service-api';
import { invalidParameter, notFound } from '../errors';
import type { SnsState } from '../sns-state';
import type { Topic } from '../topic/topic-and-subscription';

export type SnsFamily = ActionFamily<SnsState, SNS>;

export type SnsAction<Name extends keyof SnsFamily> = Required<SnsFamily>[Name];

/** Returns the topic an action is authorized on, whether or not it exists. `*` for an action without a topic. */
export function topicAt({ directory }: SnsState, topicArn: string | undefined): Resource {
  return directory.findTopic(topicArn) ?? { arn: topicArn ?? '*' };
}

export function topicOfSubscription({ directory }: SnsState, subscriptionArn: string | undefined): Resource {
  const { topic, owner } = directory.findSubscription(subscriptionArn) ?? {};
  if (!topic || owner === topic.account) return topic ?? { arn: '*' };
  return { arn: topic.arn, policy: topic.policy, coOwner: owner };
}

/** A resource without a resource policy. */
export function snsResource(arn: string | undefined): Resource {
  return { arn: arn ?? '*' };
}

/** Minimum number of parts of an ARN. */
const ARN_PARTS = 6;

/** Checks the format of the ARN in parameter `name`. */
export function checkArn(name: string, arn: string): void {
  const parts = arn.split(':').length;
  if (parts < ARN_PARTS) throw invalidParameter(`${name} Reason: An ARN must have at least 6 elements, not ${parts}`);
}

export function checkTopicArn({ region }: Place, arn = ''): void {
  checkArn('TopicArn', arn);
  if (arn.split(':')[3] !== region) throw invalidParameter('TopicArn');
}

export function topicNamed({ directory, context }: SnsState, arn: string | undefined): Topic {
  const topic = directory.findTopic(arn);
  if (topic) return topic;
  checkTopicArn(context.place, arn);
  throw notFound('Topic');
}

const PAGE_SIZE = 100;

/** @throws AwsError when the token is invalid */
export function snsPage<Item>(all: readonly Item[], token: string | undefined): Page<Item> {
  const refuse = () => invalidParameter('NextToken');
  const { items, nextToken } = pageOf(all, PAGE_SIZE, token && positionIn(token), refuse);
  return { items, nextToken: nextToken && tokenOf(nextToken) };
}

/** Length of a token, and its first bytes. Recorded on AWS: `AAHrokS2B2V0PGIaX/pqx/9+0pHV1+5YQl4a3nOvPI7q5A==`. */
const TOKEN_BYTES = 34;
const TOKEN_START = Buffer.from([0, 1]);

/** Returns the token of a page: base64, as that of AWS, with the position of the page at its end. */
function tokenOf(position: string): string {
  const blank = Buffer.alloc(TOKEN_BYTES - TOKEN_START.byteLength - position.length);
  return Buffer.concat([TOKEN_START, blank, Buffer.from(position)]).toString('base64');
}

/** Returns the position of the page that a token asks for, or an invalid position. */
function positionIn(token: string): string {
  const bytes = Buffer.from(token, 'base64').subarray(TOKEN_START.byteLength);
  const position = bytes.subarray(bytes.lastIndexOf(0) + 1).toString('latin1');
  return /^\d+$/.test(position) && tokenOf(position) === token ? position : '?';
}
