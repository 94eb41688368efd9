import { topicAttributes } from '../attributes/topic-attributes';
import { type SnsAction, topicAt } from './sns-action';

/** @see https://docs.aws.amazon.com/sns/latest/api/API_GetTopicAttributes.html */
export const getTopicAttributes: SnsAction<'GetTopicAttributes'> = {
  permission: 'sns:GetTopicAttributes',
  resourceOf: (world, { TopicArn }) => topicAt(world, TopicArn),
  run: ({ directory }, { input }) => ({ Attributes: topicAttributes(directory.topic(input.TopicArn)) }),
};
