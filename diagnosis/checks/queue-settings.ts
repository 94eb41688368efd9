import { QUEUE_LIMITS } from '../../policy/aws-limits';
import { formatDuration } from '../../policy/format-text';
import { isKnown, knownValue } from '../../template/maybe-known';
import { setMaxReceiveCount, setRetention, setVisibilityTimeout, visibilityFor } from '../fixes/change-settings';
import { deadLetterQueues } from '../inventory/feeders';
import type { FunctionFacts, Inventory, MappingFacts, QueueFacts } from '../inventory/inventory';
import { functionOf, queueOf } from '../inventory/look-ups';
import type { Check, CheckResult } from './finding';

/** A queue and the function that reads it. */
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
    const facts = `Messages of ${queue.name} come back after ${visible} s, and ${reader.name} may run for ${timeout} s`;
    const comes = isRefused
      ? 'Lambda rejects such a mapping, and where it is there already a message is given to a second run while the first works on it'
      : `AWS asks for ${wanted} s: a batch that is throttled or slow comes back meanwhile, is worked on twice, and is counted as received`;
    return [
      {
        severity: isRefused ? (mapping.place ? 'rejected' : 'loses') : 'note',
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
        says: `The maxReceiveCount of ${resource.name} is ${count}: SQS takes whole numbers from 1 to 1,000.`,
        fix: setMaxReceiveCount(resource, policy, ADVISED),
      },
    ];
  });
}

const ADVISED = 5;
/** Below, one batch that is throttled once leaves a message one try or none. */
const FEW = 3;

/** @see https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html */
function tooFew(inventory: Inventory): CheckResult[] {
  return readings(inventory).flatMap(({ queue }): CheckResult[] => {
    const policy = knownValue(queue.redrivePolicy);
    const count = policy && knownValue(policy.maxReceiveCount);
    if (policy === undefined || count === undefined || count >= FEW || count < FEWEST) return [];
    return [
      {
        severity: 'note',
        resource: queue,
        location: 'Properties/RedrivePolicy/maxReceiveCount',
        says: `A message of ${queue.name} is dead after ${count === 1 ? 'the first receive' : `${count} receives`}, and what Lambda throttles counts as received: healthy messages die when it is busy. AWS asks for 5.`,
        fix: setMaxReceiveCount(queue, policy, ADVISED),
      },
    ];
  });
}

export const RECEIVE_CHECKS: readonly Check[] = [
  { id: 'receive-count-out-of-range', find: outOfRange },
  { id: 'too-few-receives', find: tooFew },
  { id: 'visibility-too-short', find: visibilityTooShort },
];

const DAY_SECONDS = 86_400;
const LONGEST_SECONDS = QUEUE_LIMITS.retentionSeconds.max;
const LOCATION = 'Properties/MessageRetentionPeriod';

function keepLongest(queue: QueueFacts) {
  return setRetention(queue, LONGEST_SECONDS, `Let the queue ${queue.name} keep messages for 14 days.`);
}

function keptTooShort(inventory: Inventory): CheckResult[] {
  return deadLetterQueues(inventory).flatMap(({ queue }): CheckResult[] => {
    const kept = queue && knownValue(queue.retentionSeconds);
    if (queue === undefined || kept === undefined || kept >= DAY_SECONDS) return [];
    return [
      {
        severity: 'loses',
        resource: queue,
        location: LOCATION,
        says: `The dead-letter queue ${queue.name} keeps letters for ${formatDuration(kept)}: they are gone before anybody need look.`,
        fix: keepLongest(queue),
      },
    ];
  });
}

/** Of a standard queue the time a message is kept goes on from where it was sent first; of a FIFO queue it begins anew. */
function expireEarly(inventory: Inventory): CheckResult[] {
  return inventory.queues.flatMap((source): CheckResult[] => {
    const dead = queueOf(knownValue(knownValue(source.redrivePolicy)?.deadLetterTargetArn ?? ''), inventory, source);
    if (dead === undefined || source.isFifo !== false || dead.isFifo !== false) return [];
    if (!isKnown(source.retentionSeconds) || !isKnown(dead.retentionSeconds)) return [];
    if (source.retentionSeconds < dead.retentionSeconds) return [];
    const lower = { says: `Let the queue ${source.name} keep messages for less than 14 days, such as 4.` };
    return [
      {
        severity: 'loses',
        resource: dead,
        others: [source.arn],
        location: LOCATION,
        says: `The dead-letter queue ${dead.name} keeps letters for ${formatDuration(dead.retentionSeconds)}, its source ${source.name} for ${formatDuration(source.retentionSeconds)}, and both count from when a message was sent: it may expire as soon as it is moved.`,
        fix: source.retentionSeconds < LONGEST_SECONDS ? keepLongest(dead) : lower,
      },
    ];
  });
}

export const RETENTION_CHECKS: readonly Check[] = [
  { id: 'dead-letters-kept-too-short', find: keptTooShort },
  { id: 'dead-letters-expire-early', find: expireEarly },
];
