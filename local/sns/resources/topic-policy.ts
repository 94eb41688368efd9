import type { PropertyReader } from '../../cloudformation/property-reader';
import type { ResourceType } from '../../cloudformation/resource-type';
import type { Sns } from '../sns';

function putPolicy(sns: Sns, properties: PropertyReader, topicArns: readonly string[]): void {
  const document = properties.document('PolicyDocument') ?? properties.problem('PolicyDocument', 'is required');
  if (!document) return;
  for (const TopicArn of topicArns) {
    const input = { TopicArn, AttributeName: 'Policy', AttributeValue: JSON.stringify(document) };
    properties.attempt('PolicyDocument', () => sns.call('SetTopicAttributes', sns.owner, input));
  }
}

/**
 * A policy that replaces the policy of one or more topics.
 * @see https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-sns-topicpolicy.html
 */
export function topicPolicyResource(sns: Sns): ResourceType {
  return {
    type: 'AWS::SNS::TopicPolicy',
    create: (properties, context) => {
      putPolicy(sns, properties, properties.strings('Topics') ?? properties.problem('Topics', 'is required') ?? []);
      const id = context.physicalName();
      return { ref: id, attributes: { Id: id } };
    },
  };
}

/** @see https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-sns-topicinlinepolicy.html */
export function topicInlinePolicyResource(sns: Sns): ResourceType {
  return {
    type: 'AWS::SNS::TopicInlinePolicy',
    create: properties => {
      const topicArn = properties.requiredString('TopicArn');
      putPolicy(sns, properties, topicArn === '' ? [] : [topicArn]);
      return { ref: topicArn, attributes: {} };
    },
  };
}
