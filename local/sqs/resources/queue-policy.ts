import { alreadyExists, type PutResource, type ResourceType } from '../../cloudformation/resource-type';
import { requiredPolicyProperty } from '../../policy-document';
import type { Sqs } from '../sqs';

/** Sets the policy of queues; an empty text removes it. */
function setPolicies(sqs: Sqs, queueUrls: readonly string[], Policy: string): void {
  for (const QueueUrl of queueUrls) sqs.call('SetQueueAttributes', sqs.owner, { QueueUrl, Attributes: { Policy } });
}

/**
 * Removes the policy of queues, whatever it is now. A queue that does not exist any more needs nothing.
 *
 * **Assumption SQS-26:** AWS has not published the code of this resource type. That for topics, which it has published,
 * sets the default policy in the same way, also if another resource has set the policy since.
 * @see https://github.com/aws-cloudformation/aws-cloudformation-resource-providers-sns/tree/main/aws-sns-topicpolicy
 */
function removePolicies(sqs: Sqs, queueUrls: readonly string[]): void {
  setPolicies(
    sqs,
    queueUrls.filter(url => sqs.queueByName(url.slice(url.lastIndexOf('/') + 1))),
    '',
  );
}

/** @see https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-sqs-queuepolicy.html */
export function queuePolicyResourceType(sqs: Sqs): ResourceType {
  const put: PutResource = (properties, context, existing) => {
    const document = requiredPolicyProperty(properties, 'PolicyDocument', 'resource');
    const queueUrls = properties.strings('Queues') ?? properties.problem('Queues', 'is required') ?? [];
    if (document) setPolicies(sqs, queueUrls, JSON.stringify(document));
    const before = existing?.properties.strings('Queues') ?? [];
    removePolicies(
      sqs,
      before.filter(url => !queueUrls.includes(url)),
    );
    const id = context.physicalName();
    return { ref: id, attributes: { Id: id } };
  };
  return {
    type: 'AWS::SQS::QueuePolicy',
    create: put,
    update: put,
    delete: ({ properties }) => removePolicies(sqs, properties.strings('Queues') ?? []),
  };
}

function checkHasNone(sqs: Sqs, QueueUrl: string): void {
  const { Attributes = {} } = sqs.call('GetQueueAttributes', sqs.owner, { QueueUrl, AttributeNames: ['Policy'] });
  if (!Attributes['Policy']) return;
  throw alreadyExists('AWS::SQS::QueueInlinePolicy', QueueUrl);
}

/**
 * Fails for a queue that already has a policy, which something else created. **Assumption SQS-20:** AWS has not published
 * the code of this resource type. The resource type for topics, which it has published, refuses in the same way, as
 * CloudFormation requires.
 * @see https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-sqs-queueinlinepolicy.html
 * @see
 * https://github.com/aws-cloudformation/aws-cloudformation-resource-providers-sns/tree/main/aws-sns-topicinlinepolicy
 */
export function queueInlinePolicyResourceType(sqs: Sqs): ResourceType {
  const put: PutResource = (properties, _context, existing) => {
    const document = requiredPolicyProperty(properties, 'PolicyDocument', 'resource');
    const QueueUrl = properties.requiredString('Queue');
    if (document && QueueUrl) {
      if (!existing) checkHasNone(sqs, QueueUrl);
      setPolicies(sqs, [QueueUrl], JSON.stringify(document));
    }
    return { ref: QueueUrl, attributes: {} };
  };
  return {
    type: 'AWS::SQS::QueueInlinePolicy',
    create: put,
    update: put,
    delete: ({ ref }) => removePolicies(sqs, [ref]),
  };
}
