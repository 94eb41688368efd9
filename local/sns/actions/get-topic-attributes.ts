import { topicAttributes } from '../attributes/topic-attributes';
import { type SnsAction, topicAt } from './sns-action';
import { topicNamed } from './topic-named';

/** @see https://docs.aws.amazon.com/sns/latest/api/API_GetTopicAttributes.html */
export const getTopicAttributes: SnsAction<'GetTopicAttributes'> = {
  permission: 'sns:GetTopicAttributes',
  resourceOf: (world, { TopicArn }) => topicAt(world, TopicArn),
  run: (world, { input }) => ({ Attributes: topicAttributes(topicNamed(world, input.TopicArn)) }),
};
