import { firingTexts, runbookLinkOf } from '../../account/connection/alarms';
import { dloCommand, type Site } from '../../account/connection/printed-commands';
import { relayState } from './relay';
import type { RelayFacts } from './relay-facts';

/** From when on an open breaker tries the endpoint next, once in each of its intervals; undefined of any other. */
export function nextProbeMs({ relay }: RelayFacts, nowMs: number): number | undefined {
  const { mapping, breaker } = relay;
  if (!mapping || breaker?.probeIntervalMs === undefined || relayState(relay) !== 'open') return undefined;
  const { probeIntervalMs } = breaker;
  const intervals = Math.ceil((nowMs - mapping.lastModifiedAtMs) / probeIntervalMs);
  return mapping.lastModifiedAtMs + Math.max(1, intervals) * probeIntervalMs;
}

function ofState({ relay, failureAlarm }: RelayFacts, site: Site): string[] {
  const start = (...words: string[]) => dloCommand(['relay', 'start', relay.name, ...words], site);
  const restored = 'npx cdk deploy --revert-drift makes it anew.';
  const runbook = failureAlarm && runbookLinkOf(failureAlarm);
  const advice = {
    closed: [],
    running: [],
    'half-open': [
      'The endpoint answers again: the breaker doubles the concurrency by itself, after each message it tries with success.',
    ],
    open: [
      'Have the endpoint repaired; the breaker then starts the relay by itself. ' +
        `This does not wait for it${runbook === undefined ? '' : `; see ${runbook} before`}:\n${start()}`,
    ],
    'stopped-by-hand': [`No attempt is spent meanwhile. This lets it go on:\n${start('--execute')}`],
    'no-mapping': [`Nothing takes messages from its queue, for somebody deleted the mapping: ${restored}`],
  };
  return advice[relayState(relay)];
}

/** What its operator can do: what its state asks for, and what each alarm that fires says, with its link to the runbook. */
export function adviceOf(facts: RelayFacts, site: Site): string[] {
  const { relay, messages, alarms } = facts;
  // That of the breaker tells people nothing the state does not.
  const firing = firingTexts(alarms.filter(({ name }) => name !== relay.breaker?.alarmName));
  const isLost = relay.settings !== undefined && messages.dead === undefined;
  const lost = isLost ? ['Its dead-letter queue is not there: what it gives up goes round in its queue.'] : [];
  return [...ofState(facts, site), ...lost, ...firing];
}
