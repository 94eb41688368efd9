import type { EndpointItem, ItemKey, ParkedItem, StateItem } from '../../policy/fleet/fleet-items';
import { type Delivery, isFor } from '../../policy/fleet/fleet-messages';
import { watchedAt } from '../../policy/fleet/state-item';
import { withoutUndefined } from '../../policy/json-members';
import { deadLetterDelivery, type GivenUp } from './dead-letters';
import type { FleetPorts } from './ports';
import type { FleetTally } from './tally';

/** What the prober works with. */
export interface Probing<Ports extends FleetPorts = FleetPorts> {
  readonly ports: Ports;
  readonly tally: FleetTally;
}

/** Messages that are read and sent together, if they are small. */
export const PAGE = 100;

/** Messages of one endpoint are given up for so long; then others have their turn. */
const LONGEST_MS = 4_000;

/** Why a parked message is given up. */
type Why = (item: ParkedItem) => Omit<GivenUp, 'sentAtMs'>;

const tooOld: Why = ({ reason }) => ({ cause: 'retention-spent', reason: `it waited until it was too old: ${reason}` });

export const ofRemoved: Why = () => ({ cause: 'endpoint-removed', reason: 'the endpoint was removed' });

/** A state, and the first message that is parked. */
interface Kept {
  readonly state: StateItem;
  /** It may be one to give up that the dead-letter queue did not take. @default - none is parked */
  readonly first: ParkedItem | undefined;
}

/** Writes a state. @returns it with its new version; undefined if another function came first, and then the next look decides */
export async function written(
  state: StateItem,
  read: StateItem,
  { table }: Pick<FleetPorts, 'table'>,
): Promise<StateItem | undefined> {
  const next = { ...state, version: read.version + 1 };
  return (await table.putState(next, read.version)) ? next : undefined;
}

export function deliveryOf({ tenant, endpoint }: StateItem, parked: ParkedItem): Delivery {
  const { deliveryId: id, eventId, type, data, sentAtMs, attempts, endpointCreatedAtMs } = parked;
  const of = endpointCreatedAtMs === undefined ? {} : { endpointCreatedAtMs };
  return { id, tenant, endpoint, eventId, type, data, sentAtMs, attempts, ...of };
}

/** Sends parked messages to the dead-letter queue, and then deletes them. @returns whether it has all of them */
async function giveUp(
  state: StateItem,
  parked: readonly ParkedItem[],
  why: Why,
  { ports, tally }: Probing,
): Promise<boolean> {
  const taken = await Promise.all(
    parked.map(item => deadLetterDelivery(deliveryOf(state, item), why(item), ports, tally)),
  );
  const gone = parked.filter((_, index) => taken[index]);
  await ports.table.unpark(gone);
  tally.count('Returned', gone.length);
  return gone.length === parked.length;
}

/** Gives up messages that are too old, or for an endpoint of this name that was removed. */
export async function giveUpExpired(state: StateItem, endpoint: EndpointItem, probing: Probing): Promise<Kept> {
  const now = probing.ports.nowMs();
  const isPast = (atMs: number | undefined) => atMs !== undefined && atMs <= now;
  const isExpired = (item: ParkedItem) => isPast(item.giveUpAtMs);
  const retryGiveUpAtMs = isPast(state.retryGiveUpAtMs)
    ? await giveUpRetries(state, isExpired, probing)
    : state.retryGiveUpAtMs;
  const isMeant = (item: ParkedItem) => isExpired(item) || !isFor(item, endpoint);
  const why: Why = item => (isFor(item, endpoint) ? tooOld : ofRemoved)(item);
  const first = await giveUpFirst(state, isMeant, why, probing);
  const giveUpAtMs = isPast(state.giveUpAtMs) ? first?.giveUpAtMs : state.giveUpAtMs;
  if (giveUpAtMs === state.giveUpAtMs && retryGiveUpAtMs === state.retryGiveUpAtMs) return { state, first };
  const changed: StateItem = withoutUndefined({ ...state, giveUpAtMs, retryGiveUpAtMs });
  const { health, probeAtMs = now } = changed;
  const next = await written(health === 'open' ? watchedAt(changed, probeAtMs, now) : changed, state, probing.ports);
  // Another function may have changed the state meanwhile: then nothing is written in this look.
  return { state: next ?? state, first };
}

/** Gives up messages from the first on. @returns the first that is left, which may be one to give up too */
export async function giveUpFirst(
  state: StateItem,
  isMeant: (item: ParkedItem) => boolean,
  why: Why,
  probing: Probing,
): Promise<ParkedItem | undefined> {
  const { table, nowMs } = probing.ports;
  const startedAtMs = nowMs();
  for (let limit = 1; ; limit = PAGE) {
    const { items } = await table.parkedPage(state, limit);
    const meant = items.filter(isMeant);
    if (meant.length === 0) return items[0];
    const isDone = await giveUp(state, meant, why, probing);
    if (isDone && nowMs() - startedAtMs <= LONGEST_MS) continue;
    return (await table.parkedPage(state, 1)).items[0];
  }
}

/**
 * Gives up messages that wait for a retry of their own. They are in the order in which they are due, so younger ones may be before them.
 *
 * @returns when the first of those that are left is given up; undefined if none is left
 */
async function giveUpRetries(
  state: StateItem,
  isExpired: (item: ParkedItem) => boolean,
  probing: Probing,
): Promise<number | undefined> {
  const { table, nowMs } = probing.ports;
  const startedAtMs = nowMs();
  let firstMs = Number.POSITIVE_INFINITY;
  let after: ItemKey | undefined;
  do {
    const page = await table.parkedRetries(state, after);
    const expired = page.items.filter(isExpired);
    const isDone = await giveUp(state, expired, tooOld, probing);
    const left = isDone ? page.items.filter(item => !expired.includes(item)) : page.items;
    firstMs = left.reduce((ms, { giveUpAtMs }) => Math.min(ms, giveUpAtMs), firstMs);
    after = page.next;
  } while (after && nowMs() - startedAtMs <= LONGEST_MS);
  // The next look begins again.
  if (after) return state.retryGiveUpAtMs;
  return firstMs === Number.POSITIVE_INFINITY ? undefined : firstMs;
}
