import { parseObject } from '../json-members';

interface Notification {
  readonly messageMD5Sum: string;
  readonly messageId: string;
  readonly topicArn?: string | undefined;
  /** When it was published: `2019-11-05 18:33:46.123`, in UTC. */
  readonly timestamp: string;
}

interface Delivery {
  readonly deliveryId: string;
  /** JSON. Absent if the subscription has none, and for the delivery to the dead-letter queue itself. */
  readonly redrivePolicy?: string | undefined;
  /** An ARN, a URL or an address. */
  readonly destination: string;
  /** The device token of a mobile push. */
  readonly token?: string | undefined;
  /** JSON from AWS services, plain text from others. */
  readonly providerResponse: string;
  /** From the publication until the last attempt began. */
  readonly dwellTimeMs: number;
  /** Absent if a function accepted its event. */
  readonly attempts?: number | undefined;
  /** Absent if the endpoint did not answer. */
  readonly statusCode?: number | undefined;
}

/**
 * A record of delivery status logging. SNS writes one record per delivery, when the delivery has ended.
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-topic-attributes.html
 */
export interface StatusRecord {
  readonly notification: Notification;
  readonly delivery: Delivery;
  readonly status: 'SUCCESS' | 'FAILURE';
}

/** The record of one attempt of a relay: SNS's format, with fields that only a relay has. */
export interface RelayAttemptRecord extends StatusRecord {
  readonly relay: {
    readonly verdict: 'delivered' | 'retry' | 'dead';
    readonly reason: string;
    /** Why the answer's body is incomplete. @default - the body is complete */
    readonly cut?: string;
    /** Requests of the attempt. @default 1 */
    readonly requests?: number;
    readonly receiveCount: number;
    /** 0 if the retry follows at once. @default - no retry follows */
    readonly nextRetryInSeconds?: number;
    readonly latencyMs: number;
    readonly latenessMs: number;
  };
}

/** A field of a record, as Logs Insights names it. Metric filters put `$.` before it. */
type StatusField = 'status' | `notification.${keyof Notification}` | `delivery.${keyof Delivery}`;

/** The fields used to count and find failures. */
export const STATUS_FIELDS = {
  status: 'status',
  messageId: 'notification.messageId',
  topicArn: 'notification.topicArn',
  destination: 'delivery.destination',
  statusCode: 'delivery.statusCode',
  attempts: 'delivery.attempts',
  answer: 'delivery.providerResponse',
  dwellTimeMs: 'delivery.dwellTimeMs',
  redrivePolicy: 'delivery.redrivePolicy',
} as const satisfies Record<string, StatusField>;

/** Formats a redrive policy as SNS writes it into a record, with a blank after the colon. */
export function redrivePolicyText(deadLetterTargetArn: string): string {
  return `{"deadLetterTargetArn": "${deadLetterTargetArn}"}`;
}

/** The string members of a JSON object; empty for any other text, because an endpoint may answer anything. */
function textMembers(text: string): Readonly<Record<string, string>> {
  const members = Object.entries(parseObject(text) ?? {});
  return Object.fromEntries(members.filter((member): member is [string, string] => typeof member[1] === 'string'));
}

/**
 * The dead-letter queue to which a failed delivery's message was sent or should have been sent; undefined if there is
 * none.
 */
export function deadLetterTargetOf({ delivery }: StatusRecord): string | undefined {
  return textMembers(delivery.redrivePolicy ?? '')['deadLetterTargetArn'];
}

/** The error code and message that an AWS service returned; empty for the answers of other endpoints. */
export function errorIn({ delivery: { providerResponse } }: StatusRecord): {
  readonly code?: string;
  readonly message?: string;
} {
  const { ErrorCode: code, ErrorMessage: message } = textMembers(providerResponse);
  return { ...(code !== undefined && { code }), ...(message !== undefined && { message }) };
}

/** The endpoint's answer: `AccessDenied: Access to … is denied.` from an AWS service, otherwise the answer as it is. */
export function answerOf(record: StatusRecord): string {
  const { code, message } = errorIn(record);
  return code === undefined || message === undefined ? record.delivery.providerResponse : `${code}: ${message}`;
}

/** Reads one line of a delivery status log. Returns undefined if it is not the record of a delivery to a subscriber. */
export function readStatusRecord(line: string): StatusRecord | undefined {
  const record = parseObject(line);
  return record && 'notification' in record && 'delivery' in record && 'status' in record
    ? (record as unknown as StatusRecord)
    : undefined;
}

interface LoggedTopic {
  readonly region: string;
  readonly account: string;
  /** The topic's name. For text messages and pushes without a topic, the name SNS logs them under. */
  readonly name: string;
}

interface StatusLogGroups {
  readonly success: string;
  readonly failure: string;
}

/** @see https://docs.aws.amazon.com/sns/latest/dg/topics-attrib.html */
export function statusLogGroups({ region, account, name }: LoggedTopic): StatusLogGroups {
  const success = `sns/${region}/${account}/${name}`;
  return { success, failure: `${success}/Failure` };
}
