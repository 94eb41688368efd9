import { topicAttributes } from '../attributes/topic-attributes';
import type { SnsAction } from './sns-action';

/** @see https://docs.aws.amazon.com/sns/latest/api/API_GetTopicAttributes.html */
export const getTopicAttributes: SnsAction<'GetTopicAttributes'> = {
  permission: 'sns:GetTopicAttributes',
  topicArn: (_world, { TopicArn }) => TopicArn,
  run: ({ directory }, { input }) => ({ Attributes: topicAttributes(directory.topic(input.TopicArn)) }),
};
