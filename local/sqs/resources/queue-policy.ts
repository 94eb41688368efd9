import type { ResourceType } from '../../cloudformation/resource-type';
import type { Sqs } from '../sqs';

/** @see https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-sqs-queuepolicy.html */
export function queuePolicyResourceType(sqs: Sqs): ResourceType {
  return {
    type: 'AWS::SQS::QueuePolicy',
    create: (properties, context) => {
      const document = properties.document('PolicyDocument') ?? properties.problem('PolicyDocument', 'is required');
      const queueUrls = properties.strings('Queues') ?? properties.problem('Queues', 'is required') ?? [];
      for (const QueueUrl of document ? queueUrls : []) {
        sqs.call('SetQueueAttributes', sqs.owner, { QueueUrl, Attributes: { Policy: JSON.stringify(document) } });
      }
      const id = context.physicalName();
      return { ref: id, attributes: { Id: id } };
    },
  };
}
