import { createHash } from 'node:crypto';
import { isoInstant } from '../../kernel/clock';
import type { Message } from '../message';

/** The end of a delivery, as its record tells it. */
export interface DeliveryStatus {
  readonly message: Message;
  /** The text the destination received, or would have. */
  readonly body: string;
  /** An ARN, a URL or an address. */
  readonly destination: string;
  readonly succeeded: boolean;
  /** Shown where the subscription has one, and never for the delivery to the dead-letter queue itself. */
  readonly deadLetterQueueArn?: string;
  readonly providerResponse: string;
  /** When it was published; for the delivery to the dead-letter queue, when the one to the endpoint had failed for good. */
  readonly readyAtMs: number;
  /** When the last attempt was handed over. */
  readonly startedAtMs: number;
  /** @default - not shown: a function that took its event */
  readonly attempts?: number;
  /** @default - not shown: no answer came */
  readonly statusCode?: number;
}

/** `2019-11-05 18:33:46.123`, in UTC. */
function logInstant(atMs: number): string {
  return isoInstant(atMs).replace('T', ' ').replace('Z', '');
}

/**
 * One record of a delivery-status log.
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-topic-attributes.html
 */
export function statusRecord(status: DeliveryStatus, deliveryId: string): string {
  const { message, deadLetterQueueArn, attempts, statusCode } = status;
  return JSON.stringify({
    notification: {
      messageMD5Sum: createHash('md5').update(status.body).digest('hex'),
      messageId: message.id,
      topicArn: message.topic.arn,
      timestamp: logInstant(status.readyAtMs),
    },
    delivery: {
      deliveryId,
      ...(deadLetterQueueArn !== undefined && { redrivePolicy: `{"deadLetterTargetArn": "${deadLetterQueueArn}"}` }),
      destination: status.destination,
      providerResponse: status.providerResponse,
      dwellTimeMs: status.startedAtMs - status.readyAtMs,
      ...(attempts !== undefined && { attempts }),
      ...(statusCode !== undefined && { statusCode }),
    },
    status: status.succeeded ? 'SUCCESS' : 'FAILURE',
  });
}
