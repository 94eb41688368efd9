/** Which message it was. */
interface Notification {
  readonly messageMD5Sum: string;
  readonly messageId: string;
  readonly topicArn?: string | undefined;
  /** When it was published: `2019-11-05 18:33:46.123`, in UTC. */
  readonly timestamp: string;
}

/** What became of it. */
interface Delivery {
  readonly deliveryId: string;
  /** JSON. Absent where the subscription has none, and for the delivery to the dead-letter queue itself. */
  readonly redrivePolicy?: string | undefined;
  /** An ARN, a URL or an address. */
  readonly destination: string;
  /** Of a device. */
  readonly token?: string | undefined;
  /** JSON from AWS's own services, plain text from others. */
  readonly providerResponse: string;
  /** From the publication until the last attempt began. */
  readonly dwellTimeMs: number;
  /** Absent where a function took its event. */
  readonly attempts?: number | undefined;
  /** Absent where no answer came. */
  readonly statusCode?: number | undefined;
}

/**
 * A record of delivery-status logging, which SNS writes once a delivery, when it is over.
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-topic-attributes.html
 */
export interface StatusRecord {
  readonly notification: Notification;
  readonly delivery: Delivery;
  readonly status: 'SUCCESS' | 'FAILURE';
}

/** A field of a record, as Logs Insights names it; filters put `$.` before it. */
export type StatusField = 'status' | `notification.${keyof Notification}` | `delivery.${keyof Delivery}`;

/** The fields by which failures are counted and looked up. */
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

/** How SNS writes a redrive policy into a record, with a blank after the colon. */
export function redrivePolicyText(deadLetterTargetArn: string): string {
  return `{"deadLetterTargetArn": "${deadLetterTargetArn}"}`;
}

/** The text members of what may be a JSON object; none of anything else, for an endpoint answers what it likes. */
function textMembers(text: string): Readonly<Record<string, string>> {
  const members = Object.entries(objectIn(text) ?? {});
  return Object.fromEntries(members.filter((member): member is [string, string] => typeof member[1] === 'string'));
}

function objectIn(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The dead-letter queue a failed delivery's message went to, or was to go to; undefined where it was to go nowhere. */
export function deadLetterTargetOf({ delivery }: StatusRecord): string | undefined {
  return textMembers(delivery.redrivePolicy ?? '')['deadLetterTargetArn'];
}

/** The error a service of AWS names, and what it says of it; nothing of what others answer. */
export function errorIn({ delivery: { providerResponse } }: StatusRecord): {
  readonly code?: string;
  readonly message?: string;
} {
  const { ErrorCode: code, ErrorMessage: message } = textMembers(providerResponse);
  return { ...(code !== undefined && { code }), ...(message !== undefined && { message }) };
}

/** What the other side said: `AccessDenied: Access to … is denied.`, or its own words. */
export function answerOf(record: StatusRecord): string {
  const { code, message } = errorIn(record);
  return code === undefined || message === undefined ? record.delivery.providerResponse : `${code}: ${message}`;
}

/** Reads a line of a delivery-status log; undefined where it is no record of a delivery to a subscriber. */
export function readStatusRecord(line: string): StatusRecord | undefined {
  const record = objectIn(line);
  return record && 'notification' in record && 'delivery' in record && 'status' in record
    ? (record as StatusRecord)
    : undefined;
}

/** Whose deliveries are logged. */
export interface LoggedTopic {
  readonly region: string;
  readonly account: string;
  /** The topic's name; of text messages and pushes without a topic, what SNS logs them under. */
  readonly name: string;
}

/** The log groups SNS writes to. */
export interface StatusLogGroups {
  readonly success: string;
  readonly failure: string;
}

/** @see https://docs.aws.amazon.com/sns/latest/dg/topics-attrib.html */
export function statusLogGroups({ region, account, name }: LoggedTopic): StatusLogGroups {
  const success = `sns/${region}/${account}/${name}`;
  return { success, failure: `${success}/Failure` };
}
