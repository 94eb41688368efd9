import { setTopicAttribute } from '../attributes/topic-attributes';
import { refuseValue } from '../errors';
import { type SnsAction, topicAt } from './sns-action';
import { topicNamed } from './topic-named';

/** @see https://docs.aws.amazon.com/sns/latest/api/API_SetTopicAttributes.html */
export const setTopicAttributes: SnsAction<'SetTopicAttributes'> = {
  permission: 'sns:SetTopicAttributes',
  resourceOf: (world, { TopicArn }) => topicAt(world, TopicArn),
  run: (world, { input: { TopicArn, AttributeName = '', AttributeValue = '' } }) => {
    setTopicAttribute(topicNamed(world, TopicArn), AttributeName, AttributeValue, refuseValue);
  },
};
