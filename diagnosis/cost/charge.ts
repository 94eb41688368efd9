import { isKnown } from '../../template/maybe-known';
import type { Resource } from '../inventory/inventory';
import type { ResourceReading } from '../template-reader/app-reading';
import { type CostAssumptions, INVOCATION_LOG_KILOBYTES, KILOBYTES_IN_A_GIGABYTE } from './assumptions';
import { usageIn } from './declared-usage';
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

const DEFAULT_MEMORY_MEGABYTES = 128;
const MEGABYTES_IN_A_GIGABYTE = 1_024;

/** How often a function runs, and for how many messages. */
interface Runs {
  readonly invocations: number;
  readonly messages: number;
  readonly billedFor: BilledFor;
  readonly purpose: string;
}

/** What the invocations of a function cost, with their logs. Functions of this package state how long they run. */
export function functionCharges(
  handler: ResourceReading,
  { invocations, messages, billedFor, purpose }: Runs,
  { invocationSeconds: assumedSeconds }: CostAssumptions,
): Counted {
  const billed = handler.as('');
  const charge = charger(billed, billedFor);
  const usage = usageIn(handler.metadata);
  const { invocationSeconds = assumedSeconds, messageSeconds = 0, messageLogKilobytes = 0 } = usage ?? {};
  const { invocationLogKilobytes = INVOCATION_LOG_KILOBYTES, queueRequests = 0, metricRequests = 0 } = usage ?? {};
  const { readUnits = 0, messageReadUnits = 0, messageWriteUnits = 0 } = usage ?? {};
  const [reads, writes] = [invocations * readUnits + messages * messageReadUnits, messages * messageWriteUnits];
  const seconds = invocations * invocationSeconds + messages * messageSeconds;
  const logKilobytes = invocations * invocationLogKilobytes + messages * messageLogKilobytes;
  const others = [
    charge('invocation', invocations, purpose),
    charge('logGigabyte', logKilobytes / KILOBYTES_IN_A_GIGABYTE, 'log of the function'),
    ...(queueRequests > 0 ? [charge('queueRequest', invocations * queueRequests, 'requests of the function')] : []),
    ...(metricRequests > 0 ? [charge('metricRequest', invocations * metricRequests)] : []),
    ...(reads > 0 ? [charge('tableRead', reads)] : []),
    ...(writes > 0 ? [charge('tableWrite', writes)] : []),
  ];
  const memory = handler.given('MemorySize').number(DEFAULT_MEMORY_MEGABYTES);
  const architectures = handler.given('Architectures').texts();
  if (!isKnown(memory) || !isKnown(architectures)) {
    const unknown = unknownOf(billed, 'its memory or architecture is unknown, so its GB-seconds are not counted');
    return { ...unknown, charges: others };
  }
  const price = architectures.includes('arm64') ? 'armGigabyteSecond' : 'x86GigabyteSecond';
  return chargesOnly([...others, charge(price, (seconds * memory) / MEGABYTES_IN_A_GIGABYTE, purpose)]);
}
