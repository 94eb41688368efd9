import { type BreakerPorts, breakerHandler, type MappingChange } from '../../../lambda/relay-breaker/breaker';
import type { DrainResult } from '../../../lambda/relay-breaker/drain';
import type { BreakerFacts, MappingFacts } from '../../../policy/relay/breaker';

const NOW = Date.UTC(2026, 0, 5, 9);

const OPEN: MappingFacts = { state: 'Disabled', maximumConcurrency: 2, lastModifiedAtMs: NOW - 300_000 };

const factsOf = (mapping: MappingFacts): BreakerFacts => ({
  nowMs: NOW,
  mapping,
  configuredConcurrency: 5,
  alarm: { state: 'OK', sinceMs: NOW - 300_000 },
  settleMs: 300_000,
  probeIntervalMs: 300_000,
  tickMs: 300_000,
});

/** A run that finds an open breaker, and after its probe, which succeeds, another mapping. */
async function runDuringWhich(afterwards: MappingFacts) {
  const found = [OPEN, afterwards];
  const changes: MappingChange[] = [];
  const reported: number[] = [];
  const lines: unknown[] = [];
  const ports: BreakerPorts = {
    facts: async () => factsOf(found.shift() ?? afterwards),
    change: async change => {
      changes.push(change);
      return { state: 'Enabling', maximumConcurrency: change.maximumConcurrency, lastModifiedAtMs: NOW };
    },
    probe: async () => ({ result: { kind: 'answered', attempts: 1, delivered: 1, failedAttempts: 0 } }),
    drain: () => Promise.reject(new Error('nothing was expiring')),
    nowMs: () => NOW,
    retentionMs: 864_000_000,
    tellState: state => reported.push(state),
    log: line => lines.push(line),
  };
  await breakerHandler(ports)({}, { getRemainingTimeInMillis: () => 300_000 });
  return { changes, reported, lines };
}

describe('A breaker whose probe was answered', () => {
  test('enables a mapping that is as it was', async () => {
    const { changes, reported } = await runDuringWhich(OPEN);
    expect([changes, reported]).toEqual([[{ enabled: true, maximumConcurrency: 2 }], [1]]);
  });

  test.each([
    ['somebody stopped by hand meanwhile', { ...OPEN, maximumConcurrency: 5 }, 3, 'stopped-by-hand'],
    ['another run started meanwhile', { ...OPEN, state: 'Enabled', maximumConcurrency: 4 }, 1, 'half-open'],
    ['somebody started meanwhile', { ...OPEN, state: 'Enabled', maximumConcurrency: 5 }, 0, 'closed'],
  ])('leaves alone one that %s', async (_, afterwards, state, to) => {
    const { changes, reported, lines } = await runDuringWhich(afterwards);
    expect([changes, reported]).toEqual([[], [state]]);
    expect(lines).toEqual([
      expect.objectContaining({
        did: 'probe',
        reason: 'the endpoint answers, but the mapping was changed meanwhile',
        from: 'open',
        to,
      }),
    ]);
  });
});

describe('A sweep of an open breaker', () => {
  const HOUR = 3_600_000;
  const TICK = 300_000;
  /** Of a queue that keeps messages for ten days: gone through every twelve hours. */
  const SWEEP_AT = Date.UTC(2026, 0, 5, 12);

  async function run(event: unknown, nowMs: number, drained: Partial<DrainResult> = {}) {
    const seen = { ...factsOf({ ...OPEN, lastModifiedAtMs: nowMs }), nowMs };
    const lines: unknown[] = [];
    let sweeps = 0;
    const ports: BreakerPorts = {
      facts: async () => seen,
      change: () => Promise.reject(new Error('nothing was to be changed')),
      probe: () => Promise.reject(new Error('nothing was to be tried')),
      drain: async ({ isSweep }) => {
        if (isSweep) sweeps += 1;
        return { givenUp: 0, failed: 0, putBack: 0, ended: 'no message is left', errors: [], ...drained };
      },
      nowMs: () => nowMs,
      retentionMs: 240 * HOUR,
      tellState: () => undefined,
      log: line => lines.push(line),
    };
    const ran = breakerHandler(ports)(event, { getRemainingTimeInMillis: () => 300_000 });
    return { ran, lines, sweeps: () => sweeps };
  }

  const tickAt = (atMs: number) => ({ source: 'aws.events', time: new Date(atMs).toISOString() });

  test('happens once, however late its ticks come', async () => {
    const meant = [-1, 0, 1].map(ticks => SWEEP_AT + 1_000 + ticks * TICK);
    const late = [50_000, 59_000, 2_000];
    const sweeps = meant.map(async (atMs, index) => {
      const { ran, sweeps } = await run(tickAt(atMs), atMs + (late[index] ?? 0));
      await ran;
      return sweeps();
    });
    expect(await Promise.all(sweeps)).toEqual([0, 1, 0]);
  });

  test('happens though its tick comes later than the next one was to', async () => {
    const { ran, sweeps } = await run(tickAt(SWEEP_AT + TICK - 1_000), SWEEP_AT + TICK + 30_000);
    await ran;
    expect(sweeps()).toBe(1);
  });

  test.each([
    [{}, 0],
    [{ source: 'aws.cloudwatch', time: '2026-01-05T12:00:00Z' }, 0],
    [{ source: 'aws.events', time: 'soon' }, 0],
  ])('goes by the clock where it is asked by %j', async (event, expected) => {
    const { ran, sweeps } = await run(event, SWEEP_AT + TICK);
    await ran;
    expect(sweeps()).toBe(expected);
  });

  test('that met an error says how far it came, and fails: there is an alarm for that', async () => {
    const error = new Error('too large');
    const { ran, lines } = await run({}, SWEEP_AT, { givenUp: 7, failed: 1, errors: [error] });
    await expect(ran).rejects.toBe(error);
    expect(lines.at(-1)).toEqual(
      expect.objectContaining({ level: 'WARN', message: 'expiring', givenUp: 7, failed: 1 }),
    );
    const more = await run({}, SWEEP_AT, { errors: [error, error] });
    await expect(more.ran).rejects.toThrow('2 errors, first Error: too large');
  });
});
