import { deadLetterQueues } from '../../../diagnosis/inventory/feeders';
import type { QueueFacts } from '../../../diagnosis/inventory/inventory';
import { firstExpiry, type OldestMessage, queueExpiry } from '../../../diagnosis/inventory/queue-expiry';
import { DAY_MS, DAY_SECONDS } from '../../../policy/time-units';
import { inventoryOf, queue, queueArn, UNKNOWN } from '../inventories';

describe('expiry span', () => {
  const NOW_MS = Date.parse('2026-01-20T00:00:00Z');
  const days = (count: number) => count * 86_400;

  const heldFor = (heldDays: number, more: Partial<OldestMessage> = {}): OldestMessage => ({
    heldSinceMs: NOW_MS - heldDays * DAY_MS,
    retentionSeconds: days(14),
    isFifo: false,
    sourceRetentionSeconds: undefined,
    ...more,
  });

  /** In days from now. */
  function expiryIn(oldest: OldestMessage): readonly number[] {
    const { earliestMs, latestMs } = firstExpiry(oldest, NOW_MS);
    return [earliestMs, latestMs].map(atMs => (atMs - NOW_MS) / DAY_MS);
  }

  // aws-semantics, section 7: a move keeps the enqueue timestamp in a standard queue, and resets it in a FIFO queue.
  test.each([
    { what: 'of what was sent there, to the instant', oldest: heldFor(4), expires: [10, 10] },
    {
      what: 'of what SQS moved, sooner by as long as its source may have kept it',
      oldest: heldFor(4, { sourceRetentionSeconds: days(4) }),
      expires: [6, 10],
    },
    {
      what: 'in a FIFO queue, which begins anew at the move',
      oldest: heldFor(4, { sourceRetentionSeconds: days(4), isFifo: true }),
      expires: [10, 10],
    },
    {
      what: 'at any moment, where the source keeps messages as long as the queue',
      oldest: heldFor(1, { sourceRetentionSeconds: days(14) }),
      expires: [0, 13],
    },
    { what: 'now, where the figure is older than the letter can be', oldest: heldFor(15), expires: [0, 0] },
  ])('the first message expires $what', ({ oldest, expires }) => {
    expect(expiryIn(oldest)).toEqual(expires);
  });
});

describe('queue expiry', () => {
  const NOW_MS = Date.UTC(2026, 0, 20);

  /** Returns when messages expire that have been for a day in a queue with 10 days of retention, after a move from these sources. */
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
  ])('the first message expires %s', (_, days, found) => {
    expect(found()).toEqual(days);
  });
});
