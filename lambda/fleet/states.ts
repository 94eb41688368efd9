import { type EndpointName, groupOf } from '../../policy/fleet/endpoint';
import { itemKeys, type ParkedItem, type StateItem } from '../../policy/fleet/fleet-items';
import type { Delivery } from '../../policy/fleet/fleet-messages';
import { afterParking, newState } from '../../policy/fleet/state-item';
import type { FleetPorts } from './ports';

/** How often a change of a state is decided again because another function changed the state at the same time. */
const TRIES = 6;

/** Before the second try; then twice as long each time. Half of it is random. */
const FIRST_WAIT_MS = 50;

/** Other functions changed the state of an endpoint at the same time, again and again. */
export class ContendedError extends Error {
  override readonly name = 'ContendedError';
}

/** The states of endpoints in one invocation. Changes of one endpoint come one after the other. */
export class States {
  private readonly known = new Map<string, StateItem | undefined>();
  private readonly underWay = new Map<string, Promise<unknown>>();
  private readonly nextParking = new Map<
    string,
    { readonly items: ParkedItem[]; readonly written: Promise<StateItem> }
  >();

  constructor(private readonly ports: Pick<FleetPorts, 'table' | 'wait' | 'chance'>) {}

  /** Takes over what was just read, unless it is older than what is known. */
  learn(name: EndpointName, state: StateItem | undefined): void {
    const group = groupOf(name);
    const known = this.known.get(group);
    if (!known || (state && state.version > known.version)) this.known.set(group, state);
  }

  current(name: EndpointName): StateItem {
    return this.known.get(groupOf(name)) ?? newState(name);
  }

  /**
   * Writes the state that `decide` makes of the current one, which it decides again if another function was faster. The same object
   * is not written.
   * @param isFresh whether to read the state first
   * @throws ContendedError, and what the table throws
   */
  change(name: EndpointName, decide: (state: StateItem) => StateItem, isFresh = false): Promise<StateItem> {
    return this.inTurn(groupOf(name), () => this.write(name, decide, isFresh));
  }

  /**
   * Writes the state after a message was parked. Messages that wait for it together share one write. None joins once the state is read: it
   * must be read after the message was written.
   */
  parked(name: EndpointName, item: ParkedItem): Promise<StateItem> {
    const group = groupOf(name);
    const next = this.nextParking.get(group);
    if (next) {
      next.items.push(item);
      return next.written;
    }
    const items = [item];
    const written = this.inTurn(group, () => {
      this.nextParking.delete(group);
      return this.write(name, state => items.reduce(afterParking, state), true);
    });
    this.nextParking.set(group, { items, written });
    return written;
  }

  private inTurn(group: string, run: () => Promise<StateItem>): Promise<StateItem> {
    const before = this.underWay.get(group) ?? Promise.resolve();
    const change = before.then(run);
    const ended = change.then(
      () => undefined,
      // The caller gets the error: the next change is decided from what is known.
      () => undefined,
    );
    this.underWay.set(group, ended);
    return change;
  }

  private async write(
    name: EndpointName,
    decide: (state: StateItem) => StateItem,
    isFresh: boolean,
  ): Promise<StateItem> {
    const { table, wait, chance } = this.ports;
    for (let attempt = 0; attempt < TRIES; attempt += 1) {
      if (isFresh || attempt > 0) this.known.set(groupOf(name), await table.state(name));
      const read = this.current(name);
      const decided = decide(read);
      if (decided === read) return read;
      const written = { ...decided, version: read.version + 1 };
      if (await table.putState(written, read.version)) {
        this.known.set(groupOf(name), written);
        return written;
      }
      await wait(FIRST_WAIT_MS * 2 ** attempt * (0.5 + chance() / 2));
    }
    throw new ContendedError(`the state of ${groupOf(name)} was changed ${TRIES} times at once`);
  }
}

/** Why a message is parked, and until when. */
export interface Parking {
  /** Attempts so far. */
  readonly attempts: number;
  /** @default - it waits for its endpoint: see `ParkedItem.dueAtMs` */
  readonly dueAtMs?: number;
  readonly reason: string;
}

/** When a message is given up. */
export function giveUpAtMs(
  { sentAtMs }: Pick<Delivery, 'sentAtMs'>,
  { settings }: Pick<FleetPorts, 'settings'>,
): number {
  return sentAtMs + settings.maxAgeSeconds * 1_000;
}

/**
 * Parks a message. The prober looks at its endpoint when this resolves, and the caller may delete the message from its queue.
 *
 * The item is written first and the state is read after it. A prober puts an endpoint to sleep only if it found no message after the
 * last change of the state, so it either finds this message or cannot write the state.
 */
export async function park(
  delivery: Delivery,
  { attempts, dueAtMs = delivery.sentAtMs, reason }: Parking,
  ports: Pick<FleetPorts, 'table' | 'settings'>,
  states: States,
): Promise<void> {
  const { id: deliveryId, eventId, type, data, sentAtMs, endpointCreatedAtMs, returnedDueAtMs = -1 } = delivery;
  const limitMs = giveUpAtMs(delivery, ports);
  const due = Math.max(sentAtMs, Math.min(dueAtMs, limitMs), returnedDueAtMs + 1);
  const key = itemKeys.parked(delivery, due, deliveryId);
  const item: ParkedItem = {
    ...key,
    deliveryId,
    eventId,
    type,
    data,
    sentAtMs,
    attempts,
    dueAtMs: due,
    giveUpAtMs: limitMs,
    reason,
    ...(endpointCreatedAtMs !== undefined && { endpointCreatedAtMs }),
  };
  await ports.table.park(item);
  await states.parked(delivery, item);
}
