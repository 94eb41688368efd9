import type { OrderStatus, RentalOrder } from './order';

/** What the billing system books: an invoice for a confirmed order, a credit note for a canceled one. */
export interface Invoice {
  readonly kind: 'invoice' | 'credit-note';
  /** The order and what happened to it: the billing system books one number once, however often it is sent. */
  readonly number: string;
  readonly customerId: string;
  readonly currency: string;
  readonly lines: readonly InvoiceLine[];
  /** In the currency's smallest unit; negative on a credit note. */
  readonly total: number;
  /** The SNS message that caused it, to find it again. */
  readonly sourceMessageId: string;
}

export interface InvoiceLine {
  readonly description: string;
  readonly quantity: number;
  /** In the currency's smallest unit; negative on a credit note. */
  readonly unitPrice: number;
}

const KINDS = {
  confirmed: { kind: 'invoice', sign: 1 },
  canceled: { kind: 'credit-note', sign: -1 },
} as const satisfies Record<OrderStatus, { kind: Invoice['kind']; sign: 1 | -1 }>;

/** What an order amounts to. The same order and message always give the same invoice. */
export function invoiceFor(order: RentalOrder, sourceMessageId: string): Invoice {
  const { kind, sign } = KINDS[order.status];
  const unitPrice = sign * order.dailyRate;
  return {
    kind,
    number: `${order.orderId}-${order.status}`,
    customerId: order.customerId,
    currency: order.currency,
    lines: [{ description: `Rental, class ${order.vehicleClass}`, quantity: order.days, unitPrice }],
    total: unitPrice * order.days,
    sourceMessageId,
  };
}
