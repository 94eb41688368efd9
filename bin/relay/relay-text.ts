import { dloCommand, type Site } from '../../account/printed-commands';
import { type Relay, relayState } from '../../account/relay/find-relays';
import type { RelayFacts } from '../../account/relay/relay-state';
import { destinationText, stateText } from '../../account/relay/relay-words';
import type { RelaySwitchPlan, SwitchChange } from '../../account/relay/switch-relay';
import { formatNumber } from '../../policy/format-text';
import { type Column, listLines, type Screen, wrap } from '../shared/terminal-text';

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

const WIDTH = 100;

function changeText({ enabled, maximumConcurrency }: SwitchChange): string {
  const switched = enabled ? 'enabled' : 'disabled';
  return maximumConcurrency === undefined ? switched : `${switched}, with a concurrency of ${maximumConcurrency}`;
}

export function switchText(relay: Relay, plan: RelaySwitchPlan, isDone: boolean, site: Site): string {
  const { action, mapping, change, notes } = plan;
  if (!change) {
    return `Nothing to do: ${relay.name} ${action === 'stop' ? 'is stopped by hand' : 'is running'} already.\n`;
  }
  const name = action === 'stop' ? 'Stop' : 'Start';
  const end = isDone
    ? `Done. It takes Lambda up to a minute to apply it.`
    : `Nothing has been changed: ${dloCommand(['relay', action, relay.name, '--execute'], site)} does it.`;
  const lines = [
    `${name} ${relay.name}, which delivers to ${destinationText(relay)}.`,
    `  Breaker now  ${stateText(relay)}`,
    `  Mapping      ${mapping.id} becomes ${changeText(change)}`,
    ...notes.flatMap(note => wrap(`* ${note}`, WIDTH)),
    end,
  ];
  return `${lines.join('\n')}\n`;
}

/** The same for `--json`. */
export function switchDocument(
  { name }: Relay,
  { action, mapping, from, to, change }: RelaySwitchPlan,
  isDone: boolean,
) {
  const { enabled, maximumConcurrency } = change ?? {};
  return {
    relay: name,
    action,
    from,
    to,
    mappingId: mapping.id,
    change: change ? { enabled, maximumConcurrency: maximumConcurrency ?? null } : null,
    executed: isDone && change !== undefined,
  };
}
