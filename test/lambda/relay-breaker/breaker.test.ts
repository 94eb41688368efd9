import { type BreakerPorts, breakerHandler, type MappingChange } from '../../../lambda/relay-breaker/breaker';
import type { BreakerFacts, MappingFacts } from '../../../lib/policy/relay/breaker';

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
  const told: number[] = [];
  const lines: unknown[] = [];
  const ports: BreakerPorts = {
    facts: async () => factsOf(found.shift() ?? afterwards),
    change: async change => {
      changes.push(change);
      return { state: 'Enabling', maximumConcurrency: change.maximumConcurrency, lastModifiedAtMs: NOW };
    },
    probe: async () => ({ result: { kind: 'answered', attempts: 1, failedAttempts: 0 } }),
    drain: () => Promise.reject(new Error('nothing was expiring')),
    nowMs: () => NOW,
    retentionMs: 864_000_000,
    tellState: state => told.push(state),
    log: line => lines.push(line),
  };
  await breakerHandler(ports)({}, { getRemainingTimeInMillis: () => 300_000 });
  return { changes, told, lines };
}

describe('A breaker whose probe was answered', () => {
  test('enables a mapping that is as it was', async () => {
    const { changes, told } = await runDuringWhich(OPEN);
    expect([changes, told]).toEqual([[{ enabled: true, maximumConcurrency: 2 }], [1]]);
  });

  test.each([
    ['somebody stopped by hand meanwhile', { ...OPEN, maximumConcurrency: 5 }, 3, 'stopped-by-hand'],
    ['another run started meanwhile', { ...OPEN, state: 'Enabled', maximumConcurrency: 4 }, 1, 'half-open'],
    ['somebody started meanwhile', { ...OPEN, state: 'Enabled', maximumConcurrency: 5 }, 0, 'closed'],
  ])('leaves alone one that %s', async (_, afterwards, state, to) => {
    const { changes, told, lines } = await runDuringWhich(afterwards);
    expect([changes, told]).toEqual([[], [state]]);
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
