import type { Queue } from './queue';
import { NUMBER_ATTRIBUTES } from './queue-attributes';

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
  const { kmsMasterKeyId } = queue.settings;
  if (kmsMasterKeyId === undefined) delete attributes['KmsDataKeyReusePeriodSeconds'];
  attributes['SqsManagedSseEnabled'] = String(kmsMasterKeyId === undefined);
  return { ...attributes, ...queue.attributes };
}

/** One attribute, or undefined where the queue has none of that name. */
export function attributeOf(queue: Queue, name: string): string | undefined {
  return describeQueue(queue)[name];
}
