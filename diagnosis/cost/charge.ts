import type { Resource } from '../inventory/inventory';
import { dollarsFor, type PriceName } from './price-list';

/**
 * When AWS bills something: each month, also without messages; for a million messages; or in hours in which a custom
 * metric has data, which is at most the price of a month.
 */
export type BilledFor = 'month' | 'million' | 'metrics';

/** The resource that is billed: its construct's path without `Resource`, and its place. */
export type Billed = Pick<Resource, 'name' | 'place'>;

/** A number of units that AWS bills for a resource. */
export interface Charge {
  readonly resource: Billed;
  readonly billedFor: BilledFor;
  readonly price: PriceName;
  readonly units: number;
  readonly dollars: number;
  /** What the units are for, if the price does not say it: `empty receives`. */
  readonly purpose: string;
}

/** What was charged, and what could not be, each a sentence. */
export interface Counted {
  readonly charges: readonly Charge[];
  readonly unknown: readonly string[];
}

export function charger(resource: Billed, billedFor: BilledFor) {
  return (price: PriceName, units: number, purpose = ''): Charge => ({
    resource,
    billedFor,
    price,
    units,
    dollars: dollarsFor(price, units),
    purpose,
  });
}

export function unknownOf({ name }: Billed, what: string): Counted {
  return { charges: [], unknown: [`${name}: ${what}`] };
}

export function chargesOnly(charges: readonly Charge[]): Counted {
  return { charges, unknown: [] };
}

export const NOTHING: Counted = { charges: [], unknown: [] };

export function together(all: readonly Counted[]): Counted {
  return { charges: all.flatMap(({ charges }) => charges), unknown: all.flatMap(({ unknown }) => unknown) };
}
