import type { ResourceType } from '../../cloudformation/resource-type';
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
