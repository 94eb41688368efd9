import type { Queue } from './queue';
import { FIFO_ATTRIBUTES, NUMBER_ATTRIBUTES } from './queue-attributes';

const seconds = (atMs: number): string => String(Math.floor(atMs / 1000));

/** What SQS says of a queue beyond what its owner set. */
const COMPUTED: Readonly<Record<string, (queue: Queue) => string>> = {
  QueueArn: queue => queue.arn,
  ApproximateNumberOfMessages: queue => String(queue.store.visibleCount),
  ApproximateNumberOfMessagesNotVisible: queue => String(queue.store.inFlightCount),
  ApproximateNumberOfMessagesDelayed: queue => String(queue.store.delayedCount),
  CreatedTimestamp: queue => seconds(queue.createdAtMs),
  LastModifiedTimestamp: queue => seconds(queue.lastModifiedMs),
};

export function isComputedName(name: string): boolean {
  return Object.hasOwn(COMPUTED, name);
}

/**
 * Every attribute of the queue, with AWS's defaults.
 *
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_GetQueueAttributes.html
 */
export function describeQueue(queue: Queue): Readonly<Record<string, string>> {
  const attributes: Record<string, string> = {};
  for (const [name, read] of Object.entries(COMPUTED)) attributes[name] = read(queue);
  for (const [name, { byDefault }] of Object.entries(NUMBER_ATTRIBUTES)) attributes[name] = String(byDefault);
  if (queue.fifo) for (const [name, { values }] of Object.entries(FIFO_ATTRIBUTES)) attributes[name] = values[0];
  attributes['SqsManagedSseEnabled'] = 'true';
  Object.assign(attributes, queue.attributes);
  if (queue.settings.kmsMasterKeyId === undefined) delete attributes['KmsDataKeyReusePeriodSeconds'];
  return attributes;
}

/** One attribute, or undefined where the queue has none of that name. */
export function attributeOf(queue: Queue, name: string): string | undefined {
  return describeQueue(queue)[name];
}
