/** What the rental API accepts and publishes. Amounts are in the currency's smallest unit, so that they stay whole. */
export interface RentalOrder {
  readonly orderId: string;
  readonly status: OrderStatus;
  readonly customerId: string;
  readonly vehicleClass: string;
  readonly days: number;
  /** In the currency's smallest unit, a day. */
  readonly dailyRate: number;
  /** ISO 4217: `EUR`, `JPY`. */
  readonly currency: string;
}

/** The statuses billing acts on; the subscription's filter policy lets no other through. */
export const BILLABLE_STATUSES = ['confirmed', 'canceled'] as const;

export type OrderStatus = (typeof BILLABLE_STATUSES)[number];

/** An order that cannot be billed, however often it is tried. */
export class UnbillableOrderError extends Error {
  override readonly name = 'UnbillableOrderError';
}

interface FieldRule {
  readonly rule: string;
  readonly holds: (value: unknown) => boolean;
}

const TEXT: FieldRule = {
  rule: 'must be text that is not empty',
  holds: value => typeof value === 'string' && value.length > 0,
};

const FIELDS: Readonly<Record<keyof RentalOrder, FieldRule>> = {
  orderId: TEXT,
  status: {
    rule: `must be one of ${BILLABLE_STATUSES.join(', ')}`,
    holds: value => BILLABLE_STATUSES.some(status => status === value),
  },
  customerId: TEXT,
  vehicleClass: TEXT,
  days: {
    rule: 'must be a whole number, 1 or more',
    holds: value => Number.isSafeInteger(value) && Number(value) >= 1,
  },
  dailyRate: {
    rule: 'must be a whole number of the smallest unit, 0 or more',
    holds: value => Number.isSafeInteger(value) && Number(value) >= 0,
  },
  currency: {
    rule: 'must be an ISO 4217 code of three capital letters',
    holds: value => typeof value === 'string' && /^[A-Z]{3}$/.test(value),
  },
};

function parse(message: string): unknown {
  try {
    return JSON.parse(message);
  } catch (error) {
    throw new UnbillableOrderError(`the order is not JSON: ${error instanceof Error ? error.message : error}`);
  }
}

/**
 * Reads an order from the message that was published.
 * @throws UnbillableOrderError that names every field at fault
 */
export function readOrder(message: string): RentalOrder {
  const parsed = parse(message);
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    throw new UnbillableOrderError('the order must be a JSON object');
  }
  const fields: Readonly<Record<string, unknown>> = { ...parsed };
  const problems = Object.entries(FIELDS)
    .filter(([name, { holds }]) => !holds(fields[name]))
    .map(([name, { rule }]) => `${name} ${rule}, got: ${JSON.stringify(fields[name])}`);
  if (problems.length > 0) throw new UnbillableOrderError(problems.join('; '));
  return parsed as RentalOrder;
}
