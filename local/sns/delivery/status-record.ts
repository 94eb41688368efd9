import { createHash } from 'node:crypto';
import { redrivePolicyText, type StatusRecord } from '../../../policy/messages/status-record';
import { isoInstant } from '../../kernel/clock';
import type { TextMessage } from '../sms/text-message';

/** The end of a delivery, as its record tells it. */
export interface DeliveryStatus {
  readonly messageId: string;
  /** @default - it was not published to a topic */
  readonly topicArn?: string;
  /** The text the destination received, or would have. */
  readonly body: string;
  /** An ARN, a URL or an address. */
  readonly destination: string;
  /** Of a device. */
  readonly token?: string;
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

const word = (succeeded: boolean): StatusRecord['status'] => (succeeded ? 'SUCCESS' : 'FAILURE');

/**
 * One record of a delivery-status log.
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-topic-attributes.html
 */
export function statusRecord(status: DeliveryStatus, deliveryId: string): string {
  const { messageId, topicArn, deadLetterQueueArn, token, attempts, statusCode } = status;
  const record: StatusRecord = {
    notification: {
      messageMD5Sum: createHash('md5').update(status.body).digest('hex'),
      messageId,
      topicArn,
      timestamp: logInstant(status.readyAtMs),
    },
    delivery: {
      deliveryId,
      ...(deadLetterQueueArn !== undefined && { redrivePolicy: redrivePolicyText(deadLetterQueueArn) }),
      destination: status.destination,
      token,
      providerResponse: status.providerResponse,
      dwellTimeMs: status.startedAtMs - status.readyAtMs,
      attempts,
      statusCode,
    },
    status: word(status.succeeded),
  };
  return JSON.stringify(record);
}

/** The end of a delivery to a phone. */
export type TextMessageStatus = Pick<
  DeliveryStatus,
  'messageId' | 'destination' | 'succeeded' | 'providerResponse' | 'readyAtMs' | 'startedAtMs'
> &
  Pick<TextMessage, 'smsType' | 'parts'>;

/**
 * One record of the log of text messages. What only a carrier knows (its name and codes, the price, when the phone
 * acknowledged) is left out.
 * @see https://docs.aws.amazon.com/sns/latest/dg/sms_stats_cloudwatch.html
 */
export function textMessageRecord(status: TextMessageStatus): string {
  return JSON.stringify({
    notification: { messageId: status.messageId, timestamp: logInstant(status.readyAtMs) },
    delivery: {
      numberOfMessageParts: status.parts,
      destination: status.destination,
      smsType: status.smsType,
      providerResponse: status.providerResponse,
      dwellTimeMs: status.startedAtMs - status.readyAtMs,
    },
    status: word(status.succeeded),
  });
}
