import { QUEUE_LIMITS } from '../../policy/limits/queue-limits';
import { formatDuration } from '../../policy/wording';
import { isKnown, knownValue } from '../../template/told';
import { setRetention } from '../fixes/set-queue';
import { deadLetterQueues } from '../inventory/feeders';
import type { Inventory, QueueFacts } from '../inventory/inventory';
import { queueOf } from '../inventory/look-ups';
import type { Check, CheckResult } from './check';

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
