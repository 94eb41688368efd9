import { formatDuration } from '../../policy/format-text';
import { LEAST_BREAKER_CONCURRENCY } from '../../policy/relay/breaker';
import { configuredConcurrency, type Relay, type RelayMapping, type RelayState, relayState } from './find-relays';

export type Switch = 'stop' | 'start';

/** How the mapping is changed. */
export interface SwitchChange {
  readonly enabled: boolean;
  /** Undefined leaves it alone. */
  readonly maximumConcurrency: number | undefined;
}

/** What a switch comes to. */
export interface SwitchPlan {
  readonly action: Switch;
  readonly mapping: RelayMapping;
  readonly from: RelayState;
  readonly to: RelayState;
  /** Undefined where there is nothing to do. */
  readonly change: SwitchChange | undefined;
  /** What is to be known before. */
  readonly notes: readonly string[];
}

/** What counts as being there already. */
const THERE: Readonly<Record<Switch, readonly RelayState[]>> = {
  stop: ['stopped-by-hand'],
  start: ['closed', 'running'],
};

function retentionText({ settings }: Relay): string {
  const { retentionSeconds } = settings ?? {};
  return retentionSeconds === undefined ? '' : `, which keeps each for ${formatDuration(retentionSeconds)}`;
}

function notesOf(relay: Relay, action: Switch, from: RelayState): string[] {
  if (action === 'stop') {
    return [
      `Messages wait in its queue${retentionText(relay)}. No attempt of their schedule is spent meanwhile.`,
      ...(relay.breaker ? ['Its breaker leaves it alone until somebody starts it.'] : []),
    ];
  }
  if (from === 'open') return ['Its breaker opened because the endpoint failed, and opens again if it still does.'];
  if (from === 'half-open') return ['Its breaker is at that by itself, a step at a time.'];
  return [];
}

/**
 * What stopping or starting a relay comes to. Either says the whole concurrency where the mapping has another: disabled
 * with less, a breaker would take it for its own work, and start it again.
 *
 * @throws Error where there is no mapping to switch
 */
export function switchPlan(relay: Relay, action: Switch): SwitchPlan {
  const { mapping, breaker } = relay;
  if (!mapping)
    throw new Error(`${relay.name} has no event source mapping: npx cdk deploy --revert-drift makes it anew`);
  const from = relayState(relay);
  const whole = configuredConcurrency(relay);
  const isStart = action === 'start';
  const running = breaker && breaker.configuredConcurrency >= LEAST_BREAKER_CONCURRENCY ? 'closed' : 'running';
  const to = isStart ? running : 'stopped-by-hand';
  const isWhole = mapping.maximumConcurrency === whole;
  if (THERE[action].includes(from) && (isWhole || !isStart)) {
    return { action, mapping, from, to: from, change: undefined, notes: [] };
  }
  const change = { enabled: isStart, maximumConcurrency: isWhole ? undefined : whole };
  return { action, mapping, from, to, change, notes: notesOf(relay, action, from) };
}
