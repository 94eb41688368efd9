import type { PropertyReader } from '../../cloudformation/property-reader';
import type { PutResource, ResourceType } from '../../cloudformation/resource-type';
import { notePolicyParts } from '../../policy-document';
import type { Sns } from '../sns';

function putPolicy(sns: Sns, properties: PropertyReader, topicArns: readonly string[]): void {
  const document = properties.document('PolicyDocument') ?? properties.problem('PolicyDocument', 'is required');
  if (!document) return;
  notePolicyParts(properties, 'PolicyDocument', { ...document, Statement: document['Statement'] });
  for (const TopicArn of topicArns) {
    const input = { TopicArn, AttributeName: 'Policy', AttributeValue: JSON.stringify(document) };
    properties.attempt('PolicyDocument', () => sns.call('SetTopicAttributes', sns.owner, input));
  }
}

/** An empty policy is the default one. It replaces any policy, also one that another resource has set since. */
function removePolicies(sns: Sns, topicArns: readonly string[]): void {
  for (const TopicArn of topicArns.filter(arn => sns.hasTopic(arn))) {
    sns.call('SetTopicAttributes', sns.owner, { TopicArn, AttributeName: 'Policy', AttributeValue: '' });
  }
}

/**
 * A policy that replaces the policy of one or more topics.
 * @see https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-sns-topicpolicy.html
 * @see https://github.com/aws-cloudformation/aws-cloudformation-resource-providers-sns/tree/main/aws-sns-topicpolicy
 */
export function topicPolicyResource(sns: Sns): ResourceType {
  const put: PutResource = (properties, context, existing) => {
    const topics = properties.strings('Topics') ?? properties.problem('Topics', 'is required') ?? [];
    putPolicy(sns, properties, topics);
    const before = existing?.properties.strings('Topics') ?? [];
    removePolicies(
      sns,
      before.filter(arn => !topics.includes(arn)),
    );
    const id = context.physicalName();
    return { ref: id, attributes: { Id: id } };
  };
  return {
    type: 'AWS::SNS::TopicPolicy',
    create: put,
    update: put,
    delete: ({ properties }) => removePolicies(sns, properties.strings('Topics') ?? []),
  };
}

/** @see https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-sns-topicinlinepolicy.html */
export function topicInlinePolicyResource(sns: Sns): ResourceType {
  const put: PutResource = properties => {
    const topicArn = properties.requiredString('TopicArn');
    putPolicy(sns, properties, topicArn === '' ? [] : [topicArn]);
    return { ref: topicArn, attributes: {} };
  };
  return {
    type: 'AWS::SNS::TopicInlinePolicy',
    create: put,
    update: put,
    delete: ({ ref }) => removePolicies(sns, [ref]),
  };
}
