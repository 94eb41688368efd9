import type { ResourceType } from '../../cloudformation/resource-type';
import { requiredPolicyProperty } from '../../iam';
import type { Sqs } from '../sqs';

/** @see https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-sqs-queueinlinepolicy.html */
export function queueInlinePolicyResourceType(sqs: Sqs): ResourceType {
  return {
    type: 'AWS::SQS::QueueInlinePolicy',
    create: properties => {
      const document = requiredPolicyProperty(properties, 'PolicyDocument', 'resource');
      const QueueUrl = properties.requiredString('Queue');
      if (document && QueueUrl) {
        sqs.call('SetQueueAttributes', sqs.owner, { QueueUrl, Attributes: { Policy: JSON.stringify(document) } });
      }
      return { ref: QueueUrl, attributes: {} };
    },
  };
}
