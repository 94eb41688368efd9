import { paceMs } from '../../../policy/relay/relay-settings';

describe('The pace of an invocation', () => {
  test.each([
    ['is the share of each', 20, 5, 250],
    ['is a second where each has one request a second', 5, 5, 1_000],
    ['is of a whole number of requests a second: three of 2.5 would fall into some', 5, 2, 500],
    ['is of a whole number where it is more, too', 10, 3, 1_000 / 3],
    ['is longer than a second where there are fewer requests a second than invocations', 2, 5, 2_500],
  ])('%s', (_, maxReceivesPerSecond, maximumConcurrency, ms) => {
    expect(paceMs({ maxReceivesPerSecond, maximumConcurrency })).toBe(ms);
  });

  test('is none where there is no ceiling', () => {
    expect(paceMs({ maximumConcurrency: 5 })).toBe(0);
    expect(paceMs({})).toBe(0);
  });
});
