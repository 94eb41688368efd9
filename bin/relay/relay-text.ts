import { type Relay, relayState } from '../../account/relay/find-relays';
import type { RelayFacts } from '../../account/relay/relay-state';
import { destinationText, stateText } from '../../account/relay/relay-state';
import type { RelaySwitchPlan, SwitchChange } from '../../account/relay/switch-relay';
import { formatNumber } from '../../policy/format-text';
import type { PlannedChange } from '../shared/planned-change';
import { type Column, listLines, type Screen } from '../shared/terminal-text';

function countText(count: number | undefined, { areUnknown }: RelayFacts['messages']): string {
  if (count !== undefined) return formatNumber(count);
  return areUnknown ? '?' : '-';
}

const COLUMNS: readonly Column<RelayFacts>[] = [
  { heading: 'RELAY', align: 'left', cell: ({ relay }) => relay.name },
  { heading: 'DELIVERS TO', align: 'left', cell: ({ relay }) => destinationText(relay) },
  { heading: 'BREAKER', align: 'left', cell: ({ relay }) => stateText(relay) },
  { heading: 'DUE', align: 'right', cell: ({ messages }) => countText(messages.visible, messages) },
  { heading: 'IN FLIGHT', align: 'right', cell: ({ messages }) => countText(messages.inFlight, messages) },
  { heading: 'DEAD', align: 'right', cell: ({ messages }) => countText(messages.dead, messages) },
  {
    heading: 'FAILURE ALARM',
    align: 'left',
    cell: ({ failureAlarm, areAlarmsUnknown }) => failureAlarm?.state ?? (areAlarmsUnknown ? '?' : 'none'),
  },
];

function needsAttention({ relay, failureAlarm, messages }: RelayFacts): boolean {
  const isHeld = !['closed', 'running', 'unknown'].includes(relayState(relay));
  return isHeld || failureAlarm?.state === 'ALARM' || (messages.dead ?? 0) > 0;
}

/** A table of relays. Those that need attention are highlighted. */
export function listText(facts: readonly RelayFacts[], region: string, screen: Screen): string {
  if (facts.length === 0) return `No relay is in ${region}.\n`;
  return `${listLines(COLUMNS, facts, screen, needsAttention).join('\n')}\n`;
}

function changeText({ enabled, maximumConcurrency }: SwitchChange): string {
  const switched = enabled ? 'enabled' : 'disabled';
  return maximumConcurrency === undefined ? switched : `${switched}, with a concurrency of ${maximumConcurrency}`;
}

/** The plan as a command prints it. */
export function plannedSwitch(relay: Relay, plan: RelaySwitchPlan): Omit<PlannedChange, 'work'> {
  const { name } = relay;
  const { action, mapping, from, to, change, notes } = plan;
  const { enabled, maximumConcurrency = null } = change ?? {};
  const already = `${name} ${action === 'stop' ? 'is stopped by hand' : 'is running'} already`;
  return {
    words: ['relay', action, name],
    title: `${action === 'stop' ? 'Stop' : 'Start'} ${name}, which delivers to ${destinationText(relay)}.`,
    facts: [
      ['Breaker now', stateText(relay)],
      ['Mapping', ...(change ? [`${mapping.id} becomes ${changeText(change)}`] : [])],
    ],
    notes,
    change: { command: `relay ${action}`, resource: mapping.id, details: { relay: name, from, to } },
    document: {
      relay: name,
      action,
      from,
      to,
      mappingId: mapping.id,
      change: change ? { enabled, maximumConcurrency } : null,
    },
    nothing: change ? undefined : already,
  };
}
