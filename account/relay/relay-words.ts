import { formatInstant } from '../../policy/instants';
import { BREAKER_ALARM_PREFIX } from '../../policy/relay/breaker-event';
import { firingTexts, runbookLinkOf } from '../alarm-reports';
import { dloCommand, type Site } from '../printed-commands';
import { configuredConcurrency, destinationOf, type Relay, relayState } from './find-relays';
import type { RelayFacts } from './relay-state';

export function stateText(relay: Relay): string {
  const { mapping } = relay;
  const since = ` since ${formatInstant(mapping?.lastModifiedAtMs ?? 0)}`;
  const texts = {
    closed: 'closed',
    'half-open': `half-open ${mapping?.maximumConcurrency}/${configuredConcurrency(relay)}`,
    open: `open${since}`,
    'stopped-by-hand': `stopped by hand${since}`,
    running: 'no breaker',
    'no-mapping': 'no event source mapping',
    unknown: '?',
  };
  return texts[relayState(relay)];
}

/** The destination, without credentials. */
export function destinationText({ settings }: Relay): string {
  return settings ? destinationOf(settings.endpoint) : 'settings of another version';
}

/** The earliest time of the next probe of an open breaker. Undefined for other states. */
export function nextProbeMs({ relay }: RelayFacts, nowMs: number): number | undefined {
  const { mapping, breaker } = relay;
  if (!mapping || breaker?.probeIntervalMs === undefined || relayState(relay) !== 'open') return undefined;
  const { probeIntervalMs } = breaker;
  const intervals = Math.ceil((nowMs - mapping.lastModifiedAtMs) / probeIntervalMs);
  return mapping.lastModifiedAtMs + Math.max(1, intervals) * probeIntervalMs;
}

function ofState({ relay, failureAlarm }: RelayFacts, site: Site): string[] {
  const start = (...words: string[]) => dloCommand(['relay', 'start', relay.name, ...words], site);
  const restored = 'npx cdk deploy --revert-drift creates it again.';
  const runbook = failureAlarm && runbookLinkOf(failureAlarm);
  const advice = {
    closed: [],
    running: [],
    unknown: [],
    'half-open': [
      'The endpoint answers again. The breaker doubles the concurrency by itself after each successful probe.',
    ],
    open: [
      'Have the endpoint repaired. The breaker then starts the relay by itself. ' +
        `To start it at once${runbook === undefined ? '' : ` (see ${runbook} before)`}:\n${start()}`,
    ],
    'stopped-by-hand': [`Waiting uses up no delivery attempt. This starts it:\n${start('--execute')}`],
    'no-mapping': [`Its event source mapping was deleted, so that nothing reads its queue: ${restored}`],
  };
  return advice[relayState(relay)];
}

/** What the operator can do, by the state and the alarms of the relay. */
export function adviceOf(facts: RelayFacts, site: Site): string[] {
  const { relay, messages, alarms } = facts;
  // The breaker's own alarm says no more than the state does.
  const firing = firingTexts(alarms.filter(({ name }) => !name.startsWith(BREAKER_ALARM_PREFIX)));
  const isLost = relay.settings !== undefined && messages.dead === undefined && !messages.areUnknown;
  const lost = isLost
    ? ['Its dead-letter queue does not exist: messages without attempts left return to its queue again and again.']
    : [];
  return [...ofState(facts, site), ...lost, ...firing];
}
