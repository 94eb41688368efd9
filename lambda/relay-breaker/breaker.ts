import {
  afterProbe,
  BREAKER_STATES,
  type BreakerFacts,
  breakerState,
  breakerStep,
  type MappingFacts,
  OPEN_CONCURRENCY,
  type ProbeResult,
} from '../../lib/policy/relay/breaker';
import type { Log } from '../shared/log';

/** A change of the mapping, made in one call. */
export interface MappingChange {
  readonly enabled: boolean;
  readonly maximumConcurrency: number;
}

/** What the breaker needs of the world. */
export interface BreakerPorts {
  readonly facts: () => Promise<BreakerFacts>;
  /** Changes the mapping; undefined where Lambda is still at another change of it. */
  readonly change: (change: MappingChange) => Promise<MappingFacts | undefined>;
  /** Lets the relay try one message. */
  readonly probe: () => Promise<ProbeResult>;
  /** Tells CloudWatch the number of the breaker's state. */
  readonly tellState: (state: number) => void;
  readonly log: Log;
}

/** What the breaker did, and why. */
interface Decision {
  readonly did: string;
  readonly reason: string;
  /** @default - the mapping stays as it is */
  readonly change?: MappingChange;
  /** How the mapping was found to be in the end. @default - as it was at first */
  readonly found?: MappingFacts;
}

/** A probe takes its time, in which somebody may have stopped the relay by hand, or another run started it. */
async function enableAfterProbe(enabling: Decision, { facts }: BreakerPorts): Promise<Decision> {
  const { mapping, configuredConcurrency } = await facts();
  if (breakerState(mapping, configuredConcurrency) === 'open') return enabling;
  return { did: 'probe', reason: `${enabling.reason}, but the mapping was changed meanwhile`, found: mapping };
}

async function decide(seen: BreakerFacts, ports: BreakerPorts): Promise<Decision> {
  const step = breakerStep(seen);
  switch (step.kind) {
    case 'leave':
      return { did: 'leave', reason: step.reason };
    case 'open':
      return { did: 'open', reason: step.reason, change: { enabled: false, maximumConcurrency: OPEN_CONCURRENCY } };
    case 'widen': {
      const { maximumConcurrency, reason } = step;
      return { did: 'widen', reason, change: { enabled: true, maximumConcurrency } };
    }
    case 'probe': {
      const after = afterProbe(await ports.probe());
      if (after.kind === 'leave') return { did: 'probe', reason: after.reason };
      const { maximumConcurrency, reason } = after;
      return enableAfterProbe({ did: 'half-open', reason, change: { enabled: true, maximumConcurrency } }, ports);
    }
  }
}

/**
 * Moves a relay's breaker by one step. It keeps no state of its own, so that it may run at any time, twice at once, or again
 * after it broke off: whatever it left half done is a state of the mapping from which the next run goes on.
 */
export function breakerHandler(ports: BreakerPorts): () => Promise<void> {
  const { facts, change, tellState, log } = ports;
  return async () => {
    const seen = await facts();
    const { did, reason, change: wanted, found = seen.mapping } = await decide(seen, ports);
    const changed = wanted && (await change(wanted));
    const from = breakerState(seen.mapping, seen.configuredConcurrency);
    const to = breakerState(changed ?? found, seen.configuredConcurrency);
    tellState(BREAKER_STATES[to]);
    const busy = wanted && !changed ? { left: 'the mapping is being changed: the next run goes on' } : {};
    log({ level: 'INFO', message: 'breaker', did, reason, from, to, alarm: seen.alarm.state, ...busy });
  };
}
