import { groupOf } from '../../policy/fleet/endpoint';
import type { StateItem } from '../../policy/fleet/fleet-items';
import type { FleetPorts } from './ports';

/** The messages of an endpoint are counted that often, at most. */
const AGAIN_MS = 600_000;

/** Endpoints that are counted together. */
const AT_ONCE = 20;

/** Read units of DynamoDB that a run may take on average: 2.70 US dollars a month if it always takes them. */
const UNITS_A_RUN = 500;

/**
 * How many messages are parked in all. A number that every parking and every return changes would cost a write each, so the prober counts
 * the messages of some endpoints in each run, and remembers the others.
 */
export class ParkedCounts {
  private readonly known = new Map<string, { readonly count: number; readonly atMs: number }>();
  private units = 0;

  /**
   * Counts the messages of endpoints that were counted long ago.
   *
   * @param states of all endpoints that may have parked messages
   * @returns how many are parked; undefined until each endpoint was counted
   */
  async counted(
    states: readonly StateItem[],
    { table, nowMs }: Pick<FleetPorts, 'nowMs'> & { readonly table: Pick<FleetPorts['table'], 'countParked'> },
  ): Promise<number | undefined> {
    const groups = new Set(states.map(groupOf));
    for (const group of this.known.keys()) if (!groups.has(group)) this.known.delete(group);
    const atMsOf = (state: StateItem) => this.known.get(groupOf(state))?.atMs ?? 0;
    const due = states.filter(state => atMsOf(state) <= nowMs() - AGAIN_MS).sort((a, b) => atMsOf(a) - atMsOf(b));
    // A large count may take the units of later runs.
    this.units = Math.min(UNITS_A_RUN, this.units + UNITS_A_RUN);
    for (let from = 0; from < due.length && this.units > 0; from += AT_ONCE) {
      await Promise.all(
        due.slice(from, from + AT_ONCE).map(async state => {
          const { count, units } = await table.countParked(state);
          this.known.set(groupOf(state), { count, atMs: nowMs() });
          this.units -= units;
        }),
      );
    }
    if (this.known.size < groups.size) return undefined;
    return [...this.known.values()].reduce((sum, { count }) => sum + count, 0);
  }
}
