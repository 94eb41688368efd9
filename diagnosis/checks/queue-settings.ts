import { QUEUE_LIMITS } from '../../policy/aws-limits';
import { formatDuration } from '../../policy/format-text';
import { DAY_SECONDS } from '../../policy/time-units';
import { isKnown, knownValue } from '../../template/maybe-known';
import { setMaxReceiveCount, setRetention, setVisibilityTimeout, visibilityFor } from '../fixes/change-settings';
import { deadLetterQueues } from '../inventory/feeders';
import type { FunctionFacts, Inventory, MappingFacts, QueueFacts } from '../inventory/inventory';
import { functionOf, queueOf } from '../inventory/look-ups';
import type { Check, CheckResult } from './finding';

const LONGEST_SECONDS = QUEUE_LIMITS.retentionSeconds.max;

const LOCATION = 'Properties/MessageRetentionPeriod';

function keepLongest(queue: QueueFacts) {
  return setRetention(queue, LONGEST_SECONDS, `Raise the retention period of the queue ${queue.name} to 14 days.`);
}

function keptTooShort(inventory: Inventory): CheckResult[] {
  return deadLetterQueues(inventory).flatMap(({ queue }): CheckResult[] => {
    const kept = queue && knownValue(queue.retentionSeconds);
    if (queue === undefined || kept === undefined || kept >= DAY_SECONDS) return [];
    return [
      {
        severity: 'at-risk',
        resource: queue,
        location: LOCATION,
        says: `The dead-letter queue ${queue.name} keeps messages for only ${formatDuration(kept)}: they may expire before anyone looks.`,
        fix: keepLongest(queue),
      },
    ];
  });
}

/**
 * In a standard queue the retention period counts from when the message was first sent; in a FIFO queue it starts
 * again.
 */
function expireEarly(inventory: Inventory): CheckResult[] {
  return inventory.queues.flatMap((source): CheckResult[] => {
    const dead = queueOf(knownValue(knownValue(source.redrivePolicy)?.deadLetterTargetArn ?? ''), inventory, source);
    if (dead === undefined || source.isFifo !== false || dead.isFifo !== false) return [];
    if (!isKnown(source.retentionSeconds) || !isKnown(dead.retentionSeconds)) return [];
    if (source.retentionSeconds < dead.retentionSeconds) return [];
    const lower = { says: `Lower the retention period of the queue ${source.name} to less than 14 days, such as 4.` };
    return [
      {
        severity: 'at-risk',
        resource: dead,
        others: [source.arn],
        location: LOCATION,
        says: `The dead-letter queue ${dead.name} keeps messages for ${formatDuration(dead.retentionSeconds)}, its source ${source.name} for ${formatDuration(source.retentionSeconds)}, and both count from when a message was sent: a message may expire as soon as it is moved.`,
        fix: source.retentionSeconds < LONGEST_SECONDS ? keepLongest(dead) : lower,
      },
    ];
  });
}

interface Reading {
  readonly mapping: MappingFacts;
  readonly queue: QueueFacts;
  readonly reader: FunctionFacts | undefined;
}

function readings(inventory: Inventory): Reading[] {
  return inventory.mappings.flatMap((mapping): Reading[] => {
    const queue = queueOf(knownValue(mapping.sourceArn), inventory, mapping);
    if (queue === undefined || mapping.isEnabled === false) return [];
    return [{ mapping, queue, reader: functionOf(knownValue(mapping.functionArn), inventory, mapping) }];
  });
}

/** @see https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html */
function visibilityTooShort(inventory: Inventory): CheckResult[] {
  return readings(inventory).flatMap(({ mapping, queue, reader }): CheckResult[] => {
    const visible = knownValue(queue.visibilityTimeoutSeconds);
    const timeout = reader && knownValue(reader.timeoutSeconds);
    const window = knownValue(mapping.batchingWindowSeconds);
    if (reader === undefined || visible === undefined || timeout === undefined || window === undefined) return [];
    const wanted = visibilityFor(timeout, window);
    if (visible >= wanted) return [];
    const isRefused = visible < timeout;
    const facts = `Messages of ${queue.name} become visible again after ${visible} s, while ${reader.name} may run for ${timeout} s`;
    const comes = isRefused
      ? 'Lambda rejects such a mapping. If the mapping exists already, a message is passed to a second invocation while the first still works on it'
      : `AWS recommends ${wanted} s: the messages of a throttled or slow batch become visible too early, are processed twice, and count as received`;
    return [
      {
        severity: isRefused ? (mapping.place ? 'rejected' : 'at-risk') : 'unwatched',
        resource: queue,
        others: [mapping.arn, reader.arn],
        location: 'Properties/VisibilityTimeout',
        says: `${facts}. ${comes}.`,
        fix: setVisibilityTimeout(queue, wanted),
      },
    ];
  });
}

const { min: FEWEST, max: MOST } = QUEUE_LIMITS.receiveCount;

function outOfRange({ queues }: Inventory): CheckResult[] {
  return queues.flatMap((resource): CheckResult[] => {
    const policy = knownValue(resource.redrivePolicy);
    const count = policy && knownValue(policy.maxReceiveCount);
    if (policy === undefined || count === undefined) return [];
    if (Number.isInteger(count) && count >= FEWEST && count <= MOST) return [];
    return [
      {
        severity: 'rejected',
        resource,
        location: 'Properties/RedrivePolicy/maxReceiveCount',
        says: `The maxReceiveCount of ${resource.name} is ${count}: SQS accepts whole numbers from 1 to 1,000.`,
        fix: setMaxReceiveCount(resource, policy, ADVISED),
      },
    ];
  });
}

const ADVISED = 5;

/** With less, a batch that is throttled once leaves its messages one attempt or none. */
const FEW = 3;

/** @see https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html */
function tooFew(inventory: Inventory): CheckResult[] {
  return readings(inventory).flatMap(({ queue }): CheckResult[] => {
    const policy = knownValue(queue.redrivePolicy);
    const count = policy && knownValue(policy.maxReceiveCount);
    if (policy === undefined || count === undefined || count >= FEW || count < FEWEST) return [];
    return [
      {
        severity: 'unwatched',
        resource: queue,
        location: 'Properties/RedrivePolicy/maxReceiveCount',
        says: `SQS moves a message of ${queue.name} to the dead-letter queue after ${count === 1 ? 'the first receive' : `${count} receives`}. Messages that Lambda throttles count as received, so good messages become dead letters under load. AWS recommends 5.`,
        fix: setMaxReceiveCount(queue, policy, ADVISED),
      },
    ];
  });
}

/** The checks of a queue's retention period, receive count and visibility timeout. */
export const QUEUE_SETTINGS_CHECKS: readonly Check[] = [
  { id: 'dead-letters-kept-too-short', severities: ['at-risk'], find: keptTooShort },
  { id: 'dead-letters-expire-early', severities: ['at-risk'], find: expireEarly },
  { id: 'receive-count-out-of-range', severities: ['rejected'], find: outOfRange },
  { id: 'too-few-receives', severities: ['unwatched'], find: tooFew },
  { id: 'visibility-too-short', severities: ['rejected', 'at-risk', 'unwatched'], find: visibilityTooShort },
];
