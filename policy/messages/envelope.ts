import { isObject, type JsonObject } from '../json-members';

export interface EnvelopedAttribute {
  /** `String`, `String.Array`, `Number` or `Binary`. */
  readonly Type: string;
  /** For a binary attribute, in base64. */
  readonly Value: string;
}

/**
 * The envelope that SNS sends to a queue whose subscription has no raw message delivery. Optional members are absent,
 * never null.
 * @see https://docs.aws.amazon.com/sns/latest/dg/http-notification-json.html
 */
export interface NotificationEnvelope {
  readonly Type: 'Notification';
  readonly MessageId: string;
  /** Only from a FIFO topic. */
  readonly SequenceNumber?: string;
  readonly TopicArn: string;
  readonly Subject?: string;
  readonly Message: string;
  /** ISO 8601, to the millisecond. */
  readonly Timestamp: string;
  /** Absent from a FIFO topic, like the next two. */
  readonly SignatureVersion?: string;
  readonly Signature?: string;
  readonly SigningCertURL?: string;
  readonly UnsubscribeURL?: string;
  readonly MessageAttributes?: Readonly<Record<string, EnvelopedAttribute>>;
}

/** The result of reading a message of a queue. */
type EnvelopeReading =
  | { readonly kind: 'notification'; readonly envelope: NotificationEnvelope }
  /** `reason` completes a sentence that begins with the message: `is not JSON`. */
  | { readonly kind: 'none'; readonly reason: string };

/**
 * Visible Latin-1 characters, blanks and tabs: the values that Node.js sends.
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-5.5
 */
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

export function isHeaderValue(text: string): boolean {
  return HEADER_VALUE.test(text);
}

/** The subscription named in an unsubscribe URL. */
interface Subscription {
  readonly unsubscribeUrl: string;
  readonly arn: string | undefined;
  /** Whether the ARN can be an HTTP header. True if there is no ARN. */
  readonly canBeHeader: boolean;
}

function readSubscription(unsubscribeUrl: string): Subscription {
  const query = unsubscribeUrl.split('?')[1];
  const arn = (query !== undefined && new URLSearchParams(query).get('SubscriptionArn')) || undefined;
  return { unsubscribeUrl, arn, canBeHeader: isHeaderValue(arn ?? '') };
}

let lastSubscription: Subscription = { unsubscribeUrl: '', arn: undefined, canBeHeader: true };

/**
 * Caches the last URL: the envelopes in a queue usually belong to one subscription, and reading its URL takes half as
 * long as reading the JSON.
 */
function subscriptionIn(unsubscribeUrl: string): Subscription {
  if (lastSubscription.unsubscribeUrl !== unsubscribeUrl) lastSubscription = readSubscription(unsubscribeUrl);
  return lastSubscription;
}

function isAttribute(value: unknown): value is EnvelopedAttribute {
  return isObject(value) && typeof value['Type'] === 'string' && typeof value['Value'] === 'string';
}

/** The members of the body. Null members are removed: SNS omits what is absent, but some imitations write null. */
function membersIn(body: string): JsonObject | string {
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

export function areAttributes(value: unknown): boolean {
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

/** The rule for each member, in the order in which violations are listed. */
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

/** Removes unknown members. Usually there are none, and then nothing is copied: a copy takes as long as reading did. */
function knownMembers(members: JsonObject): JsonObject {
  if (Object.keys(members).every(name => ENVELOPE_MEMBERS.has(name))) return members;
  return Object.fromEntries(Object.entries(members).filter(([name]) => ENVELOPE_MEMBERS.has(name)));
}

/**
 * Reads the envelope that SNS sends to a queue without raw message delivery. Unknown members are ignored. Values that
 * SNS would send as HTTP headers must be valid ones: the message id, and the ARNs of topic and subscription.
 */
export function readEnvelope(body: string): EnvelopeReading {
  const members = membersIn(body);
  if (typeof members === 'string') return { kind: 'none', reason: members };
  const { Type: type } = members;
  if (type !== 'Notification') {
    const got = typeof type === 'string' ? `a ${type}` : 'without a Type';
    return { kind: 'none', reason: `is ${got}, not an SNS Notification` };
  }
  const wrong = RULES_IN_ORDER.filter(([name, isProper]) => !isProper(members[name])).map(([name]) => name);
  if (wrong.length > 0) return { kind: 'none', reason: `is a Notification without a valid ${wrong.join(', ')}` };
  const envelope: unknown = knownMembers(members);
  return { kind: 'notification', envelope: envelope as NotificationEnvelope };
}

/** The subscription an envelope was made for. SNS names it only in the unsubscribe URL. */
export function subscriptionArnOf({ UnsubscribeURL: url }: NotificationEnvelope): string | undefined {
  return url === undefined ? undefined : subscriptionIn(url).arn;
}
