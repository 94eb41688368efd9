import { formatNumber } from '../../policy/wording';
import type { Paint } from '../paint';
import { type Column, table } from '../table';
import { relayState } from './relay';
import type { RelayFacts } from './relay-facts';
import { destinationText, stateText } from './wording';

function countText(count: number | undefined): string {
  return count === undefined ? '-' : formatNumber(count);
}

const COLUMNS: readonly Column<RelayFacts>[] = [
  { heading: 'RELAY', align: 'left', cell: ({ relay }) => relay.name },
  { heading: 'DELIVERS TO', align: 'left', cell: ({ relay }) => destinationText(relay) },
  { heading: 'BREAKER', align: 'left', cell: ({ relay }) => stateText(relay) },
  { heading: 'DUE', align: 'right', cell: ({ messages }) => countText(messages.visible) },
  { heading: 'IN FLIGHT', align: 'right', cell: ({ messages }) => countText(messages.inFlight) },
  { heading: 'DEAD', align: 'right', cell: ({ messages }) => countText(messages.dead) },
  { heading: 'FAILURE ALARM', align: 'left', cell: ({ failureAlarm }) => failureAlarm?.state ?? 'none' },
];

function needsSomebody({ relay, failureAlarm, messages }: RelayFacts): boolean {
  const isHeld = !['closed', 'running'].includes(relayState(relay));
  return isHeld || failureAlarm?.state === 'ALARM' || (messages.dead ?? 0) > 0;
}

/** A line a relay; those that somebody should look at stand out. */
export function listText(facts: readonly RelayFacts[], region: string, paint: Paint): string {
  if (facts.length === 0) return `No relay is in ${region}.\n`;
  const [heading = '', ...lines] = table(COLUMNS, facts);
  const painted = facts.map((it, index) => {
    const line = lines[index] ?? '';
    return needsSomebody(it) ? paint.yellow(line) : line;
  });
  return `${[paint.bold(heading), ...painted].join('\n')}\n`;
}
