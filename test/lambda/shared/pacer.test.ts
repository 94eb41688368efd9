import { Pacer } from '../../../lambda/relay/invocation';

test.each([
  { what: 'right', stepMs: 0 },
  { what: 'set back by 20 seconds', stepMs: -20_000 },
])('The pacer of a relay keeps its interval while the clock is $what', async ({ stepMs }) => {
  let passedMs = 0;
  let offsetMs = 60_000;
  const wait = async (milliseconds: number) => {
    passedMs += milliseconds;
  };
  const pacer = new Pacer(100, () => passedMs + offsetMs, wait);
  const turnsAtMs: number[] = [];
  for (let request = 0; request < 10; request += 1) {
    if (request === 5) offsetMs += stepMs;
    expect(pacer.waitMs).toBeLessThanOrEqual(100);
    await pacer.turn();
    turnsAtMs.push(passedMs);
  }
  expect(turnsAtMs).toEqual([100, 200, 300, 400, 500, 600, 700, 800, 900, 1_000]);
});
