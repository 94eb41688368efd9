import type { SNSEvent, SNSEventRecord } from 'aws-lambda';

/** One line of the function's log, as JSON. */
export interface LogLine {
  readonly level: 'INFO' | 'ERROR';
  readonly message: string;
  readonly [detail: string]: unknown;
}

/** An HTTP response. */
export interface Response {
  readonly statusCode: number;
  readonly body: string;
}

/** Posts a body. Rejects if there is no response. */
type Post = (url: URL, headers: Readonly<Record<string, string>>, body: string) => Promise<Response>;

/** What the handler needs from outside. */
export interface BillingPorts {
  readonly billingUrl: URL;
  readonly post: Post;
  readonly log: (line: LogLine) => void;
}

async function bill({ Sns }: SNSEventRecord, { billingUrl, post, log }: BillingPorts): Promise<void> {
  const { MessageId: messageId } = Sns;
  try {
    const invoice = invoiceFor(readOrder(Sns.Message), messageId);
    const { statusCode } = await send(invoice, billingUrl, post);
    log({ level: 'INFO', message: 'billed', messageId, number: invoice.number, total: invoice.total, statusCode });
  } catch (error) {
    const { name, message: reason } = error instanceof Error ? error : new Error(String(error));
    log({ level: 'ERROR', message: 'not billed', messageId, error: name, reason });
    throw error;
  }
}

/**
 * Bills the orders of an SNS event, which contains one message. If it fails, Lambda retries the whole event. An invoice
 * that was already sent has the same idempotency key.
 */
export function billingHandler(ports: BillingPorts): (event: SNSEvent) => Promise<void> {
  return async event => {
    for (const record of event.Records) await bill(record, ports);
  };
}

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

/** The statuses that are billed. The subscription's filter policy delivers no others. */
const BILLABLE_STATUSES = ['confirmed', 'canceled'] as const;

type OrderStatus = (typeof BILLABLE_STATUSES)[number];

/** An order that cannot be billed, even if it is retried. */
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
    rule: 'must be an ISO 4217 code of three uppercase characters',
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
 * Reads an order from a published message.
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

/** What the billing system books: an invoice for a confirmed order, a credit note for a canceled one. */
interface Invoice {
  readonly kind: 'invoice' | 'credit-note';
  /** The order and its status. The billing system books each number once, however often it is sent. */
  readonly number: string;
  readonly customerId: string;
  readonly currency: string;
  readonly lines: readonly InvoiceLine[];
  /** In the currency's smallest unit; negative on a credit note. */
  readonly total: number;
  /** The SNS message it was created from. */
  readonly sourceMessageId: string;
}

interface InvoiceLine {
  readonly description: string;
  readonly quantity: number;
  /** In the currency's smallest unit; negative on a credit note. */
  readonly unitPrice: number;
}

const KINDS = {
  confirmed: { kind: 'invoice', sign: 1 },
  canceled: { kind: 'credit-note', sign: -1 },
} as const satisfies Record<OrderStatus, { kind: Invoice['kind']; sign: 1 | -1 }>;

/** Creates the invoice of an order. The same order and message always give the same invoice. */
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

/** The billing system did not accept an invoice. Lambda retries, and then sends the order to its dead-letter queue. */
class BillingError extends Error {
  override readonly name = 'BillingError';
}

/** The part of a response that is shown in an error. */
const SHOWN_BODY_CHARACTERS = 200;

/**
 * Sends one invoice. Its number is the idempotency key, because an attempt that timed out may have been booked.
 */
async function send(invoice: Invoice, url: URL, post: Post): Promise<Response> {
  const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': invoice.number };
  const response = await post(url, headers, JSON.stringify(invoice)).catch((cause: unknown) => {
    throw new BillingError(`${invoice.number}: no response from ${url.host}: ${reasonOf(cause)}`, { cause });
  });
  if (response.statusCode >= 200 && response.statusCode < 300) return response;
  const shown = response.body.slice(0, SHOWN_BODY_CHARACTERS);
  throw new BillingError(`${invoice.number}: ${url.host} answered ${response.statusCode}: ${shown}`);
}

/** `fetch` wraps what went wrong: its own message is only "fetch failed". */
function reasonOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  return thrown.cause instanceof Error ? reasonOf(thrown.cause) : thrown.message || thrown.name;
}
