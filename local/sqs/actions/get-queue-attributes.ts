import type { GetQueueAttributesRequest, GetQueueAttributesResult } from '@aws-sdk/client-sqs';
import type { Call, SqsInternals } from '../desk';
import type { Queue } from '../queue';
import { isAttributeName, typeOf, unknownAttribute } from '../queue-attributes';
import { describeQueue, isComputedName } from '../queue-description';

/** @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_GetQueueAttributes.html */
export function getQueueAttributes(
  _: SqsInternals,
  queue: Queue,
  { input }: Call<GetQueueAttributesRequest>,
): GetQueueAttributesResult {
  const wanted: readonly string[] = input.AttributeNames ?? [];
  const type = typeOf(queue.attributes);
  const unknown = wanted.find(name => name !== 'All' && !isAttributeName(name, type) && !isComputedName(name));
  if (unknown !== undefined) throw unknownAttribute(unknown);
  const described = Object.entries(describeQueue(queue));
  const chosen = described.filter(([name]) => wanted.includes('All') || wanted.includes(name));
  return chosen.length > 0 ? { Attributes: Object.fromEntries(chosen) } : {};
}
