import { deadLetterQueues } from '../../../diagnosis/inventory/feeders';
import type { QueueFacts } from '../../../diagnosis/inventory/inventory';
import { queueExpiry } from '../../../diagnosis/inventory/queue-expiry';
import { inventoryOf, queue, queueArn, UNKNOWN } from '../../diagnosis/inventories';

const DAY_SECONDS = 86_400;
const DAY_MS = DAY_SECONDS * 1_000;
const NOW_MS = Date.UTC(2026, 0, 20);

/** Of letters held for a day by a queue that keeps them for ten, moved there from queues that keep theirs so long. */
function expiry(dead: Partial<QueueFacts>, ...sources: readonly QueueFacts['retentionSeconds'][]) {
  const redrivePolicy = { deadLetterTargetArn: queueArn('dead'), maxReceiveCount: 3 };
  const queues = [
    queue('dead', { retentionSeconds: 10 * DAY_SECONDS, ...dead }),
    ...sources.map((retentionSeconds, at) => queue(`work-${at}`, { retentionSeconds, redrivePolicy })),
  ];
  const [fed] = deadLetterQueues(inventoryOf({ queues }));
  const span = fed && queueExpiry(fed, NOW_MS - DAY_MS, NOW_MS);
  return span && [span.earliestMs, span.latestMs].map(atMs => (atMs - NOW_MS) / DAY_MS);
}

test.each<[what: string, days: readonly number[] | undefined, found: () => readonly number[] | undefined]>([
  ['as much earlier as its source may have kept them', [5, 9], () => expiry({}, 4 * DAY_SECONDS)],
  ['as its longest source may have, of several', [3, 9], () => expiry({}, 4 * DAY_SECONDS, 6 * DAY_SECONDS)],
  ['at any moment where a source does not tell: it may keep them for 14 days', [0, 9], () => expiry({}, UNKNOWN)],
  ['of a FIFO queue, counted from the move', [9, 9], () => expiry({ isFifo: true }, 4 * DAY_SECONDS)],
  ['unknown where the queue does not tell', undefined, () => expiry({ retentionSeconds: UNKNOWN }, 4 * DAY_SECONDS)],
])('the first letter expires %s', (_, days, found) => {
  expect(found()).toEqual(days);
});
