import { firstExpiry, type OldestMessage } from '../../../policy/messages/expiry-span';

const DAY_MS = 86_400_000;
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

// aws-semantics, section 7: the retention clock of a standard queue keeps the original enqueue timestamp, a FIFO queue's is reset.
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
])('the first letter expires $what', ({ oldest, expires }) => {
  expect(expiryIn(oldest)).toEqual(expires);
});
