import { setTopicAttribute } from '../attributes/topic-attributes';
import { refuseValue } from '../errors';
import { type SnsAction, topicAt } from './sns-action';

/** @see https://docs.aws.amazon.com/sns/latest/api/API_SetTopicAttributes.html */
export const setTopicAttributes: SnsAction<'SetTopicAttributes'> = {
  permission: 'sns:SetTopicAttributes',
  resourceOf: (world, { TopicArn }) => topicAt(world, TopicArn),
  run: ({ directory }, { input: { TopicArn, AttributeName = '', AttributeValue = '' } }) => {
    setTopicAttribute(directory.topic(TopicArn), AttributeName, AttributeValue, refuseValue);
  },
};
