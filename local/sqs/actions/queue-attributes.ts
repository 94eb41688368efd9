import { ownMember } from '../../../policy/json-members';
import { invalidValue, missingParameter } from '../errors';
import type { Queue, QueueDirectory } from '../queue/queue';
import {
  changed,
  checkAttributes,
  checkTogether,
  FIFO_ATTRIBUTES,
  isAttributeName,
  NUMBER_ATTRIBUTES,
  normalized,
  typeOf,
  unknownAttribute,
} from '../queue/queue-attributes';
import { allowsSource, checkTargetArn, readRedrivePolicy } from '../queue/redrive-policy';
import { onOwnQueue, onQueue, type SqsFamily } from './sqs-action';

const seconds = (atMs: number): string => String(Math.floor(atMs / 1000));

const COMPUTED: Readonly<Record<string, (queue: Queue) => string>> = {
  QueueArn: queue => queue.arn,
  ApproximateNumberOfMessages: queue => String(queue.store.visibleCount),
  ApproximateNumberOfMessagesNotVisible: queue => String(queue.store.inFlightCount),
  ApproximateNumberOfMessagesDelayed: queue => String(queue.store.delayedCount),
  CreatedTimestamp: queue => seconds(queue.createdAtMs),
  LastModifiedTimestamp: queue => seconds(queue.lastModifiedMs),
};

export const queueAttributeActions = {
  GetQueueAttributes: onQueue((_, queue, { input }) => {
    const wanted: readonly string[] = input.AttributeNames ?? [];
    const type = typeOf(queue.attributes);
    const unknown = wanted.find(name => name !== 'All' && !isAttributeName(name, type) && !isComputedName(name));
    if (unknown !== undefined) throw unknownAttribute(unknown);
    const described = Object.entries(describeQueue(queue));
    const chosen = described.filter(([name]) => wanted.includes('All') || wanted.includes(name));
    return chosen.length > 0 ? { Attributes: Object.fromEntries(chosen) } : {};
  }),

  /**
   * Sets attributes with immediate effect. AWS takes up to 60 seconds, and up to 15 minutes for the retention period.
   */
  SetQueueAttributes: onOwnQueue((state, queue, { input }) => {
    if (!input.Attributes) throw missingParameter('Attribute.Name');
    const given = normalized(input.Attributes);
    const changes = checkAttributes(given, typeOf(queue.attributes));
    const attributes = changed(queue.attributes, changes);
    checkTogether(attributes);
    checkDeadLetterTarget(state.directory, queue.arn, given['RedrivePolicy']);
    queue.setAttributes(attributes);
    state.context.trace.record({ type: 'sqs.attributes-set', queueArn: queue.arn, attributes: Object.keys(changes) });
  }),
} satisfies SqsFamily;

function isComputedName(name: string): boolean {
  return Object.hasOwn(COMPUTED, name);
}

/**
 * Returns every attribute of the queue, with the defaults of AWS.
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_GetQueueAttributes.html
 */
function describeQueue(queue: Queue): Readonly<Record<string, string>> {
  const attributes: Record<string, string> = {};
  for (const [name, read] of Object.entries(COMPUTED)) attributes[name] = read(queue);
  for (const [name, { byDefault }] of Object.entries(NUMBER_ATTRIBUTES)) attributes[name] = String(byDefault);
  if (queue.fifo) for (const [name, { values }] of Object.entries(FIFO_ATTRIBUTES)) attributes[name] = values[0];
  attributes['SqsManagedSseEnabled'] = 'true';
  Object.assign(attributes, queue.attributes);
  if (queue.settings.kmsMasterKeyId === undefined) delete attributes['KmsDataKeyReusePeriodSeconds'];
  return attributes;
}

/** Returns one attribute, or undefined when the queue has none of that name. */
export function attributeOf(queue: Queue, name: string): string | undefined {
  return ownMember(describeQueue(queue), name);
}

/**
 * Checks whether the queue `sourceArn` may have this redrive policy.
 * **Assumption SQS-9:** The redrive-allow policy of the dead-letter queue is checked when the redrive policy is set,
 * not again when a message is moved.
 */
export function checkDeadLetterTarget(queues: QueueDirectory, sourceArn: string, text: string | undefined): void {
  const policy = readRedrivePolicy(text);
  if (!policy || text === undefined) return;
  checkTargetArn(policy, text, sourceArn);
  const target = queues.findByArn(policy.deadLetterTargetArn);
  if (!target) throw invalidValue(text, 'RedrivePolicy', 'Dead letter target does not exist.');
  if (!allowsSource(target.settings.redriveAllowPolicy, sourceArn)) {
    const reason = `The redrive allow policy of ${target.arn} does not let ${sourceArn} use it as its dead-letter queue.`;
    throw invalidValue(text, 'RedrivePolicy', reason);
  }
}
