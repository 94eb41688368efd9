import type { HttpAnswer, NoAnswer } from '../../../lambda/shared/http-send';
import { messageOf } from '../../../lambda/shared/transport-error';
import type { Invoice } from './invoice';

/** Posts a body. That nobody answers is no error of its own. */
export type Post = (
  url: URL,
  headers: Readonly<Record<string, string>>,
  body: string,
) => Promise<HttpAnswer | NoAnswer>;

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
  const answer = await post(url, headers, body);
  if (answer.kind === 'unanswered') {
    const { cause } = answer;
    throw new BillingError(`${invoice.number}: no answer from ${url.host}: ${messageOf(cause)}`, { cause });
  }
  if (isTaken(answer.statusCode)) return answer;
  const shown = answer.body.slice(0, SHOWN_BODY_CHARACTERS);
  throw new BillingError(`${invoice.number}: ${url.host} answered ${answer.statusCode}: ${shown}`);
}
