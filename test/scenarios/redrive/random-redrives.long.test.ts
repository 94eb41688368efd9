import { LedgerSums, seedsToPlay } from '../seeds';
import { RandomRedrives } from './random-redrives';

const sums = new LedgerSums();

afterAll(() => sums.print());

// AWS: "Standard queues … at-least-once delivery", and Lambda retries batches, so messages may be delivered more than once.
test.each(seedsToPlay(1))(
  'A redrive by task, copy, lane and replay, with faults, crashes at every point, and an operator who interferes loses none of 200 messages each (seed %i)',
  async seed => {
    for (const [way, ledger] of await RandomRedrives.play(seed)) {
      sums.add(way, ledger);
      const { lost, withoutReason } = ledger;
      expect({ way, lost, withoutReason }).toEqual({ way, lost: [], withoutReason: [] });
      expect(ledger.delivered + ledger.deadLettered).toBe(ledger.published);
    }
  },
);
