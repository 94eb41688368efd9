import { alreadyExists, type ResourceType } from '../../cloudformation/resource-type';
import { requiredPolicyProperty } from '../../policy-document';
import type { Sqs } from '../sqs';

/** @see https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-sqs-queuepolicy.html */
export function queuePolicyResourceType(sqs: Sqs): ResourceType {
  return {
    type: 'AWS::SQS::QueuePolicy',
    create: (properties, context) => {
      const document = requiredPolicyProperty(properties, 'PolicyDocument', 'resource');
      const queueUrls = properties.strings('Queues') ?? properties.problem('Queues', 'is required') ?? [];
      for (const QueueUrl of document ? queueUrls : []) {
        sqs.call('SetQueueAttributes', sqs.owner, { QueueUrl, Attributes: { Policy: JSON.stringify(document) } });
      }
      const id = context.physicalName();
      return { ref: id, attributes: { Id: id } };
    },
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
  return {
    type: 'AWS::SQS::QueueInlinePolicy',
    create: properties => {
      const document = requiredPolicyProperty(properties, 'PolicyDocument', 'resource');
      const QueueUrl = properties.requiredString('Queue');
      if (document && QueueUrl) {
        checkHasNone(sqs, QueueUrl);
        sqs.call('SetQueueAttributes', sqs.owner, { QueueUrl, Attributes: { Policy: JSON.stringify(document) } });
      }
      return { ref: QueueUrl, attributes: {} };
    },
  };
}
