import type { Random } from '../../../local';

/** What the shop posts to the API. Amounts are in the currency's smallest unit. */
export interface Order {
  readonly orderId: string;
  readonly status: 'confirmed' | 'canceled' | 'pending';
  readonly customerId: string;
  readonly vehicleClass: string;
  readonly days: number;
  readonly dailyRate: number;
  readonly currency: string;
}

/** What a day costs in each class the fleet has. */
const DAILY_RATES: Readonly<Record<string, number>> = { compact: 3_900, estate: 5_200, van: 6_800, electric: 6_100 };

const CLASSES = Object.keys(DAILY_RATES);

/** A class the API accepts and the fleet does not have: whoever fulfils such an order fails, every time. */
export const POISON_CLASS = 'hovercraft';

export function isInFleet(vehicleClass: string): boolean {
  return vehicleClass in DAILY_RATES;
}

/** Writes orders as customers would: mostly confirmed, some canceled, some still pending. */
export class OrderBook {
  private written = 0;

  constructor(private readonly random: Random) {}

  /** @param poison an order nobody can fulfil */
  next(poison: boolean): Order {
    this.written += 1;
    const vehicleClass = this.oneOf(CLASSES);
    return {
      orderId: `R-${String(this.written).padStart(4, '0')}`,
      status: poison ? 'confirmed' : this.status(),
      customerId: `C-${this.random.integer(100, 999)}`,
      vehicleClass: poison ? POISON_CLASS : vehicleClass,
      days: this.random.integer(1, 14),
      dailyRate: DAILY_RATES[vehicleClass] ?? 0,
      currency: 'EUR',
    };
  }

  /** Milliseconds to the next order: customers come independently of each other, `perHour` of them on average. */
  gapMs(perHour: number): number {
    return Math.round((-Math.log(1 - this.random.fraction()) * 3_600_000) / perHour);
  }

  private status(): Order['status'] {
    const chance = this.random.fraction();
    if (chance < 0.7) return 'confirmed';
    return chance < 0.85 ? 'canceled' : 'pending';
  }

  private oneOf(choices: readonly string[]): string {
    return choices[this.random.integer(0, choices.length - 1)] ?? POISON_CLASS;
  }
}
