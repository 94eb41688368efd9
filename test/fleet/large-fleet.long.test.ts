import { playLargeFleet, playNoisyTenant } from './large-fleet';

/** `DLO_FLEET=full` plays 10,000 endpoints: 500 messages a second for ten minutes, and 100,000 over a day. It takes a quarter of an hour, and prints what happened. */
const IS_FULL = process.env['DLO_FLEET'] === 'full';

const SIZE = IS_FULL ? { endpoints: 10_000, concurrency: 50 } : { endpoints: 300, concurrency: 3 };
const BURST = IS_FULL ? { messages: 300_000, seconds: 600 } : { messages: 1_200, seconds: 60 };
const DAY = IS_FULL ? { messages: 100_000, seconds: 86_400 } : { messages: 300, seconds: 2 * 3_600 };

describe('A large fleet with dead, slow, flapping and rate limiting endpoints, and a tenant with 40 % of its traffic', () => {
  test.each([
    { load: 'a burst', ...SIZE, ...BURST },
    { load: 'traffic over a day', ...SIZE, ...DAY },
    // With few messages, it is the same as the first.
    ...(IS_FULL ? [{ load: 'a burst on a plain queue', ...SIZE, ...BURST, isFair: false }] : []),
  ])(
    '$load: loses no message, and healthy endpoints do not wait for the others',
    async ({ load, ...options }) => {
      const report = await playLargeFleet(options);
      if (IS_FULL) process.stdout.write(`${load}: ${JSON.stringify(report)}\n`);
      const { due, delivered, dead, parked, lost, queued } = report;
      expect({ sum: delivered + dead + parked, queued, lost }).toEqual({ sum: due, queued: 0, lost: 0 });
      expect(report.healthyP99Ms).toBeLessThanOrEqual(5_000);
      expect(report.ceilingsExceeded).toBe(0);
      expect(report.shortestDeadGapMs).toBeGreaterThanOrEqual(60_000);
    },
    3_600_000,
  );
});

test('A tenant that sends 1,500 messages at once delays other tenants on a plain queue, and hardly on a fair queue', async () => {
  const [fair, plain] = [await playNoisyTenant(true), await playNoisyTenant(false)];
  expect(fair).toBeLessThanOrEqual(5_000);
  expect(plain).toBeGreaterThan(2 * fair);
});
