import type { Fleet } from '../../account/fleet/find-fleets';
import { MOST_PARKED } from '../../account/fleet/fleet-facts';
import { dloCommand } from '../../account/printed-commands';
import type { Attempt, ParkedMessage } from '../../fleet';
import { deliveryId } from '../../fleet/delivery-id';
import { type EndpointName, groupOf } from '../../policy/fleet/endpoint';
import { roughDuration } from '../../policy/format-text';
import { formatInstant, isoInstant } from '../../policy/instants';
import { MINUTE_MS } from '../../policy/time-units';
import { foreignText } from '../shared/terminal-text';
import type { AtFleet } from './at-fleet';
import { VALUE_CHARACTERS } from './endpoint-options';

/** The message of an event for an endpoint. */
export function ofEvent(
  of: EndpointName | { readonly delivery: string },
  event: string | undefined,
  { settings }: Fleet,
) {
  if ('delivery' in of || event === undefined) return of;
  return { delivery: deliveryId(settings.fleetName, event, of) };
}

interface Place {
  /** @default - it is not parked, or many messages are parked before it */
  readonly parked?: ParkedMessage;
  /** For people. */
  readonly lines: readonly string[];
}

const UNKNOWN_MESSAGE =
  'It has had no attempt, its attempts are older than the log, or no message has this id. With its event: dlo fleet attempts ENDPOINT --event ID';

/**
 * Where a message is that is not delivered.
 * @param name its endpoint. @default - unknown: it has no attempt
 */
export async function placeOf(
  delivery: string,
  name: EndpointName | undefined,
  attempts: readonly Attempt[],
  { client, named, site }: AtFleet,
): Promise<Place> {
  const last = attempts.at(-1);
  if (last?.outcome === 'delivered') return { lines: [] };
  if (!name) return { lines: [UNKNOWN_MESSAGE] };
  const { tenant, endpoint } = name;
  const show = `  ${dloCommand(['fleet', 'show', groupOf(name), ...named], site)}`;
  const first = await client.parked({ tenant, endpoint });
  const parked = first.find(it => it.deliveryId === delivery);
  if (parked) {
    const { sentAtMs, giveUpAtMs, reason } = parked;
    const until = `it becomes a dead letter at ${formatInstant(giveUpAtMs)} at the latest`;
    const says = `It is parked, because ${foreignText(reason, VALUE_CHARACTERS)}. Its event is of ${formatInstant(sentAtMs)}, and ${until}.`;
    return { parked, lines: ['', `${says} When its endpoint gets it:`, show] };
  }
  if (last?.outcome === 'dead') {
    const replay = `  ${dloCommand(['fleet', 'replay', delivery, ...named], site)}`;
    return { lines: ['', 'It is a dead letter. Once its endpoint takes it, this sends it again:', replay] };
  }
  if (last) return { lines: ['', 'It waits in the deliveries queue for its next attempt.'] };
  const where =
    first.length < MOST_PARKED ? 'It is not parked' : `It is not one of the first ${MOST_PARKED} that are parked`;
  const why =
    'It waits in a queue, the types or the filter of the endpoint leave the event out, or there was no such event';
  return { lines: [`${where}. ${why}:`, show] };
}

/** Shorter waits need no explanation: the deliveries queue holds what is attempted within a minute. */
const LONG_WAIT_MS = MINUTE_MS;

/** How many attempts of the endpoint are searched for a failure. */
const MOST_SEARCHED = 100;

/** Explains the longest wait of a message for an attempt that was due, by what its endpoint did meanwhile. */
export async function waitLines(
  attempts: readonly Attempt[],
  { client, named, site }: AtFleet,
): Promise<readonly string[]> {
  const waits = attempts.map(({ atMs, sentAtMs = atMs, ...name }, index) => {
    const before = attempts[index - 1];
    const fromMs = before ? (before.nextAtMs ?? atMs) : sentAtMs;
    return { name, fromMs, untilMs: atMs, waitMs: atMs - fromMs };
  });
  const [longest] = waits.sort((one, other) => other.waitMs - one.waitMs);
  if (!longest || longest.waitMs < LONG_WAIT_MS) return [];
  const { name, fromMs: sinceMs, untilMs, waitMs } = longest;
  const { tenant, endpoint, deliveryId: id } = name;
  const others = await client.attempts({ tenant, endpoint, sinceMs, untilMs, limit: MOST_SEARCHED });
  const failed = others.find(({ outcome, deliveryId }) => outcome === 'failed' && deliveryId !== id);
  const why = failed
    ? `Its endpoint failed meanwhile, the last time at ${formatInstant(failed.atMs)}: ${foreignText(failed.reason, VALUE_CHARACTERS)}`
    : 'Its endpoint was down, disabled or at its ceiling meanwhile, or the fleet was stalled';
  const since = dloCommand(['fleet', 'attempts', groupOf(name), '--since', isoInstant(sinceMs), ...named], site);
  return ['', `It waited ${roughDuration(waitMs)}, until ${formatInstant(untilMs)}. ${why}:`, `  ${since}`];
}
