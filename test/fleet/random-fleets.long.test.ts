import { LedgerSums, seedsToPlay } from '../scenarios/seeds';
import { playFleet } from './random-fleets';

const sums = new LedgerSums();

afterAll(() => sums.print());

describe('Whatever calls fail and whenever a function dies, a fleet loses nothing', () => {
  test.each(seedsToPlay(5))('seed %i', async seed => {
    const ledger = await playFleet(seed);
    sums.add('fleet', ledger);
    expect({ lost: ledger.lost, withoutReason: ledger.withoutReason }).toEqual({ lost: [], withoutReason: [] });
    expect(ledger.delivered + ledger.deadLettered).toBe(ledger.published);
  });
});
