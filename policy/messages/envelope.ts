import { isHeaderValue } from '../text-formats';

/** One attribute of a message, as an envelope shows it. */
export interface EnvelopedAttribute {
  /** `String`, `String.Array`, `Number` or `Binary`. */
  readonly Type: string;
  /** Of a binary attribute, in base64. */
  readonly Value: string;
}

/**
 * What SNS puts into a queue whose subscription has no raw message delivery. What is optional is absent, never null.
 * @see https://docs.aws.amazon.com/sns/latest/dg/http-notification-json.html
 */
export interface NotificationEnvelope {
  readonly Type: 'Notification';
  readonly MessageId: string;
  /** Of a FIFO topic. */
  readonly SequenceNumber?: string;
  readonly TopicArn: string;
  readonly Subject?: string;
  readonly Message: string;
  /** ISO 8601, to the millisecond. */
  readonly Timestamp: string;
  /** Like the two that follow, absent from a FIFO topic's. */
  readonly SignatureVersion?: string;
  readonly Signature?: string;
  readonly SigningCertURL?: string;
  readonly UnsubscribeURL?: string;
  readonly MessageAttributes?: Readonly<Record<string, EnvelopedAttribute>>;
}

/** What came of reading a queue's message. */
export type EnvelopeReading =
  | { readonly kind: 'notification'; readonly envelope: NotificationEnvelope }
  /** `reason` completes a sentence that begins with the message: `is not JSON`. */
  | { readonly kind: 'none'; readonly reason: string };

type Members = Readonly<Record<string, unknown>>;

/** The ARN an address to unsubscribe at names. */
interface Subscription {
  readonly unsubscribeUrl: string;
  readonly arn: string | undefined;
  /** Whether it can be a header; where there is none, nothing hinders it. */
  readonly canBeHeader: boolean;
}

function readSubscription(unsubscribeUrl: string): Subscription {
  const query = unsubscribeUrl.split('?')[1];
  const arn = (query !== undefined && new URLSearchParams(query).get('SubscriptionArn')) || undefined;
  return { unsubscribeUrl, arn, canBeHeader: isHeaderValue(arn ?? '') };
}

let lastSubscription: Subscription = { unsubscribeUrl: '', arn: undefined, canBeHeader: true };

/** A queue's envelopes are of one subscription, as a rule, and its address takes half as long to read as their whole JSON. */
function subscriptionIn(unsubscribeUrl: string): Subscription {
  if (lastSubscription.unsubscribeUrl !== unsubscribeUrl) lastSubscription = readSubscription(unsubscribeUrl);
  return lastSubscription;
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isAttribute(value: unknown): value is EnvelopedAttribute {
  return isObject(value) && typeof value['Type'] === 'string' && typeof value['Value'] === 'string';
}

/** The members that are there: SNS leaves out what it has none of, and some who imitate it write null. */
function membersIn(body: string): Members | string {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return 'is not JSON';
  }
  if (!isObject(value)) return 'is not a JSON object';
  if (!Object.values(value).includes(null)) return value;
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== null));
}

function areAttributes(value: unknown): boolean {
  return isObject(value) && Object.values(value).every(isAttribute);
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isHeaderText(value: unknown): boolean {
  return isText(value) && isHeaderValue(value);
}

function isAbsentOrText(value: unknown): boolean {
  return value === undefined || isText(value);
}

/** By its name, what a member must be; in the order in which those that are not are named. */
const RULES: Readonly<Record<string, (value: unknown) => boolean>> = {
  MessageId: isHeaderText,
  TopicArn: isHeaderText,
  Message: isText,
  Timestamp: isText,
  SequenceNumber: isAbsentOrText,
  Subject: isAbsentOrText,
  SignatureVersion: isAbsentOrText,
  Signature: isAbsentOrText,
  SigningCertURL: isAbsentOrText,
  UnsubscribeURL: value => value === undefined || (isText(value) && subscriptionIn(value).canBeHeader),
  MessageAttributes: value => value === undefined || areAttributes(value),
};

const RULES_IN_ORDER = Object.entries(RULES);

const ENVELOPE_MEMBERS: ReadonlySet<string> = new Set(['Type', ...Object.keys(RULES)]);

/** The same object where every member is known, as they are of SNS: copying it takes as long as reading it did. */
function knownMembers(members: Members): Members {
  if (Object.keys(members).every(name => ENVELOPE_MEMBERS.has(name))) return members;
  return Object.fromEntries(Object.entries(members).filter(([name]) => ENVELOPE_MEMBERS.has(name)));
}

/**
 * Reads what SNS put into a queue whose subscription has no raw message delivery. Members it does not know are passed over.
 * What SNS would send on as a header, the message's id and the ARNs of topic and subscription, must be able to be one.
 */
export function readEnvelope(body: string): EnvelopeReading {
  const members = membersIn(body);
  if (typeof members === 'string') return { kind: 'none', reason: members };
  const { Type: type } = members;
  if (type !== 'Notification') {
    const got = typeof type === 'string' ? `a ${type}` : 'without a Type';
    return { kind: 'none', reason: `is ${got}, and not a Notification of SNS` };
  }
  const wrong = RULES_IN_ORDER.filter(([name, isProper]) => !isProper(members[name])).map(([name]) => name);
  if (wrong.length > 0) return { kind: 'none', reason: `is a Notification without a proper ${wrong.join(', ')}` };
  const envelope: unknown = knownMembers(members);
  return { kind: 'notification', envelope: envelope as NotificationEnvelope };
}

/** The subscription an envelope was put together for: SNS tells it in the address to unsubscribe at and nowhere else. */
export function subscriptionArnOf({ UnsubscribeURL: url }: NotificationEnvelope): string | undefined {
  return url === undefined ? undefined : subscriptionIn(url).arn;
}
