import { DAY_MS } from '../../policy/time-units';

/** The seeds of the proof. */
const ALL_SEEDS = 200;

/**
 * The seeds to play. `npm run test:seeds` sets `DLO_SEEDS` to a range such as `1-200`. Otherwise it is a slice that changes every
 * day, so that the long suite meets all seeds in time.
 */
export function seedsToPlay(slice: number): readonly number[] {
  const [, first, last] = /^(\d+)-(\d+)$/.exec(process.env['DLO_SEEDS'] ?? '') ?? [];
  const days = Math.floor(Date.now() / DAY_MS);
  const from = first === undefined ? 1 + ((days * slice) % ALL_SEEDS) : Number(first);
  const to = last === undefined ? from + slice - 1 : Number(last);
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}

/** What became of the messages. */
export interface Ledger {
  readonly published: number;
  readonly delivered: number;
  /** Not delivered, and in a dead-letter queue or a quarantine. */
  readonly deadLettered: number;
  /** Those in a quarantine or a destination's dead-letter queue that do not say why. */
  readonly withoutReason: readonly string[];
  readonly lost: readonly string[];
}

/** Sums the ledgers of many seeds, and prints them at the end of `npm run test:seeds`. */
export class LedgerSums {
  private readonly sums = new Map<
    string,
    Record<'seeds' | 'published' | 'delivered' | 'deadLettered' | 'lost', number>
  >();

  add(kind: string, { published, delivered, deadLettered, lost }: Ledger): void {
    const before = this.sums.get(kind) ?? { seeds: 0, published: 0, delivered: 0, deadLettered: 0, lost: 0 };
    this.sums.set(kind, {
      seeds: before.seeds + 1,
      published: before.published + published,
      delivered: before.delivered + delivered,
      deadLettered: before.deadLettered + deadLettered,
      lost: before.lost + lost.length,
    });
  }

  print(): void {
    if (process.env['DLO_SEEDS'] === undefined) return;
    for (const [kind, sums] of this.sums) process.stdout.write(`${kind}: ${JSON.stringify(sums)}\n`);
  }
}
