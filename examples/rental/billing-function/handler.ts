import type { SNSEvent, SNSEventRecord } from 'aws-lambda';
import { errorOf, type Log } from '../../../lambda/shared/log';
import { type Post, send } from './billing-system';
import { invoiceFor } from './invoice';
import { readOrder } from './order';

/** What the handler needs of the world. */
export interface Ports {
  readonly billingUrl: URL;
  readonly post: Post;
  readonly log: Log;
}

async function bill({ Sns }: SNSEventRecord, { billingUrl, post, log }: Ports): Promise<void> {
  const { MessageId: messageId } = Sns;
  try {
    const invoice = invoiceFor(readOrder(Sns.Message), messageId);
    const { statusCode } = await send(invoice, billingUrl, post);
    log({ level: 'INFO', message: 'billed', messageId, number: invoice.number, total: invoice.total, statusCode });
  } catch (error) {
    const { name, message } = errorOf(error);
    log({ level: 'ERROR', message: 'not billed', messageId, error: name, reason: message });
    throw error;
  }
}

/**
 * Bills the orders of an SNS event; SNS puts one in each. It fails as a whole, and Lambda then tries the event again: an
 * invoice that went through already carries the same idempotency key.
 */
export function billingHandler(ports: Ports): (event: SNSEvent) => Promise<void> {
  return async event => {
    for (const record of event.Records) await bill(record, ports);
  };
}
