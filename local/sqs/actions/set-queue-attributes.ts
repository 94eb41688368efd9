import type { SetQueueAttributesRequest } from '@aws-sdk/client-sqs';
import type { Call, SqsInternals } from '../desk';
import { missingParameter } from '../errors';
import type { Queue } from '../queue';
import { changed, checkAttributes, checkTogether, normalized, typeOf } from '../queue-attributes';
import { checkDeadLetterTarget } from '../redrive-target';

/**
 * Holds at once; AWS takes up to 60 seconds, and up to 15 minutes for the retention period.
 *
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SetQueueAttributes.html
 */
export function setQueueAttributes(
  internals: SqsInternals,
  queue: Queue,
  { input }: Call<SetQueueAttributesRequest>,
): void {
  if (!input.Attributes) throw missingParameter('Attribute.Name');
  const given = normalized(input.Attributes);
  const changes = checkAttributes(given, typeOf(queue.attributes));
  const attributes = changed(queue.attributes, changes);
  checkTogether(attributes);
  checkDeadLetterTarget(internals.directory, queue.arn, given['RedrivePolicy']);
  queue.setAttributes(attributes);
  internals.context.trace.record({ type: 'sqs.attributes-set', queueArn: queue.arn, attributes: Object.keys(changes) });
}
