import { notImplemented } from '../../kernel/aws-error';
import { arnIn } from '../../kernel/place';
import { setTopicAttribute, topicAttributes } from '../attributes/topic-attributes';
import { invalidParameter, readBoolean, refuseAttributes, refuseValue } from '../errors';
import type { SnsState } from '../sns-state';
import { Topic } from '../topic/topic';
import { checkTopicArn, type SnsAction, snsPage, topicAt, topicNamed } from './sns-action';

const STANDARD_NAME = /^[A-Za-z0-9_-]{1,256}$/;
const FIFO_NAME = /^(?=.{6,256}$)[A-Za-z0-9_-]+\.fifo$/;

const arnOf = ({ context }: SnsState, name: string | undefined): string => arnIn(context.place, 'sns', name ?? '');

/** Creating a topic again returns the existing topic if the requested attributes are the same. */
function checkSame(existing: Topic, wanted: Topic, names: readonly string[]): void {
  const [has, wants] = [topicAttributes(existing), topicAttributes(wanted)];
  if (names.some(name => has[name] !== wants[name])) {
    throw refuseAttributes('Topic already exists with different attributes');
  }
  if (!existing.tags.include(wanted.tags)) {
    throw invalidParameter('Tags Reason: Topic already exists with different tags');
  }
}

/** @see https://docs.aws.amazon.com/sns/latest/api/API_CreateTopic.html */
export const createTopic: SnsAction<'CreateTopic'> = {
  permission: 'sns:CreateTopic',
  resourceOf: (state, { Name }) => topicAt(state, arnOf(state, Name)),
  run: (state, { input: { Name: name = '', Attributes = {}, DataProtectionPolicy, Tags = [] } }) => {
    if (DataProtectionPolicy !== undefined) throw notImplemented('DataProtectionPolicy');
    const { FifoTopic = 'false', ...attributes } = Attributes;
    const isFifo = readBoolean('FifoTopic', FifoTopic, refuseAttributes);
    if (!(isFifo ? FIFO_NAME : STANDARD_NAME).test(name)) throw invalidParameter('Topic Name');
    const topic = new Topic({ arn: arnOf(state, name), name, account: state.context.place.account, isFifo });
    for (const [attribute, value] of Object.entries(attributes)) {
      setTopicAttribute(topic, attribute, value, refuseAttributes);
    }
    topic.tags.put(Tags);
    const existing = state.directory.findTopic(topic.arn);
    if (existing) checkSame(existing, topic, Object.keys(attributes));
    else {
      state.directory.addTopic(topic);
      state.context.trace.record({ type: 'sns.topic-created', topicArn: topic.arn });
    }
    return { TopicArn: topic.arn };
  },
};

/** Deleting a missing topic succeeds. @see https://docs.aws.amazon.com/sns/latest/api/API_DeleteTopic.html */
export const deleteTopic: SnsAction<'DeleteTopic'> = {
  permission: 'sns:DeleteTopic',
  resourceOf: (state, { TopicArn }) => topicAt(state, TopicArn),
  run: ({ directory, context }, { input }) => {
    checkTopicArn(context.place, input.TopicArn);
    const topic = directory.findTopic(input.TopicArn);
    if (!topic) return;
    for (const subscription of topic.subscriptions) {
      directory.removeSubscription(subscription);
      context.trace.record({ type: 'sns.unsubscribed', topicArn: topic.arn, subscriptionArn: subscription.arn });
    }
    directory.removeTopic(topic);
    context.trace.record({ type: 'sns.topic-deleted', topicArn: topic.arn });
  },
};

/** @see https://docs.aws.amazon.com/sns/latest/api/API_ListTopics.html */
export const listTopics: SnsAction<'ListTopics'> = {
  permission: 'sns:ListTopics',
  resourceOf: () => ({ arn: '*' }),
  run: ({ directory }, { input }) => {
    const { items, nextToken } = snsPage(directory.topics, input.NextToken);
    return { Topics: items.map(({ arn }) => ({ TopicArn: arn })), ...(nextToken && { NextToken: nextToken }) };
  },
};

/** @see https://docs.aws.amazon.com/sns/latest/api/API_GetTopicAttributes.html */
export const getTopicAttributes: SnsAction<'GetTopicAttributes'> = {
  permission: 'sns:GetTopicAttributes',
  resourceOf: (state, { TopicArn }) => topicAt(state, TopicArn),
  run: (state, { input }) => ({ Attributes: topicAttributes(topicNamed(state, input.TopicArn)) }),
};

/** @see https://docs.aws.amazon.com/sns/latest/api/API_SetTopicAttributes.html */
export const setTopicAttributes: SnsAction<'SetTopicAttributes'> = {
  permission: 'sns:SetTopicAttributes',
  resourceOf: (state, { TopicArn }) => topicAt(state, TopicArn),
  run: (state, { input: { TopicArn, AttributeName = '', AttributeValue = '' } }) => {
    setTopicAttribute(topicNamed(state, TopicArn), AttributeName, AttributeValue, refuseValue);
  },
};
