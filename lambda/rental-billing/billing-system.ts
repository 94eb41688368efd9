import type { HttpAnswer } from '../https/https-send';
import type { Invoice } from './invoice';

/** Posts a body and returns the answer, or rejects when there is none in time. */
export type Post = (url: URL, headers: Readonly<Record<string, string>>, body: string) => Promise<HttpAnswer>;

/** The billing system did not take an invoice. Lambda tries again, and then keeps the order in its dead-letter queue. */
export class BillingError extends Error {
  override readonly name = 'BillingError';
}

/** As much of an answer as helps in an error. */
const SHOWN_BODY_CHARACTERS = 200;

function isTaken(statusCode: number): boolean {
  return statusCode >= 200 && statusCode < 300;
}

/**
 * Sends one invoice. Its number is the idempotency key, because a timed-out attempt may have been booked.
 * @throws BillingError on any answer but a 2xx, and when there is none
 */
export async function send(invoice: Invoice, url: URL, post: Post): Promise<HttpAnswer> {
  const body = JSON.stringify(invoice);
  const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': invoice.number };
  const answer = await post(url, headers, body).catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    throw new BillingError(`${invoice.number}: no answer from ${url.host}: ${reason}`, { cause: error });
  });
  if (isTaken(answer.statusCode)) return answer;
  const shown = answer.body.slice(0, SHOWN_BODY_CHARACTERS);
  throw new BillingError(`${invoice.number}: ${url.host} answered ${answer.statusCode}: ${shown}`);
}
