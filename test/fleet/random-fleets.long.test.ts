import { LedgerSums, seedsToPlay } from '../scenarios/seeds';
import { playFleet } from './random-fleets';

const sums = new LedgerSums();

afterAll(() => sums.print());

describe('A fleet whose calls fail and whose functions die', () => {
  test.each(seedsToPlay(3))('loses none of its messages (seed %i)', async seed => {
    const ledger = await playFleet(seed);
    sums.add('fleet', ledger);
    expect({ lost: ledger.lost, withoutReason: ledger.withoutReason }).toEqual({ lost: [], withoutReason: [] });
    expect(ledger.delivered + ledger.deadLettered).toBe(ledger.published);
  });
});
