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
}

async function decide(facts: BreakerFacts, probe: BreakerPorts['probe']): Promise<Decision> {
  const step = breakerStep(facts);
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
      const after = afterProbe(await probe());
      if (after.kind === 'leave') return { did: 'probe', reason: after.reason };
      const { maximumConcurrency, reason } = after;
      return { did: 'half-open', reason, change: { enabled: true, maximumConcurrency } };
    }
  }
}

/**
 * Moves a relay's breaker by one step. It keeps no state of its own, so that it may run at any time, twice at once, or again
 * after it broke off: whatever it left half done is a state of the mapping from which the next run goes on.
 */
export function breakerHandler({ facts, change, probe, tellState, log }: BreakerPorts): () => Promise<void> {
  return async () => {
    const seen = await facts();
    const { did, reason, change: wanted } = await decide(seen, probe);
    const changed = wanted && (await change(wanted));
    const from = breakerState(seen.mapping, seen.configuredConcurrency);
    const to = breakerState(changed ?? seen.mapping, seen.configuredConcurrency);
    tellState(BREAKER_STATES[to]);
    const busy = wanted && !changed ? { left: 'the mapping is being changed: the next run goes on' } : {};
    log({ level: 'INFO', message: 'breaker', did, reason, from, to, alarm: seen.alarm.state, ...busy });
  };
}
