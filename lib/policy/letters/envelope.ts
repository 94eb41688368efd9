import { isHeaderValue } from '../limits/header-value';

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

/** Where members of an envelope may be missing. */
const OPTIONAL_TEXTS = [
  'SequenceNumber',
  'Subject',
  'SignatureVersion',
  'Signature',
  'SigningCertURL',
  'UnsubscribeURL',
] as const;

const DEMANDED_TEXTS = ['MessageId', 'TopicArn', 'Message', 'Timestamp'] as const;

/** Those that go into headers as they are. */
const HEADER_TEXTS: readonly string[] = ['MessageId', 'TopicArn'];

type Members = Readonly<Record<string, unknown>>;

function subscriptionArnIn(unsubscribeUrl: string): string | undefined {
  const query = unsubscribeUrl.split('?')[1];
  return (query !== undefined && new URLSearchParams(query).get('SubscriptionArn')) || undefined;
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

function isDemandedText(name: string, value: unknown): boolean {
  return typeof value === 'string' && (!HEADER_TEXTS.includes(name) || isHeaderValue(value));
}

function isOptionalText(name: string, value: unknown): boolean {
  if (value === undefined) return true;
  return typeof value === 'string' && (name !== 'UnsubscribeURL' || isHeaderValue(subscriptionArnIn(value) ?? ''));
}

function wrongMembers(members: Members): string[] {
  const { MessageAttributes: attributes = {} } = members;
  const areAttributes = isObject(attributes) && Object.values(attributes).every(isAttribute);
  return [
    ...DEMANDED_TEXTS.filter(name => !isDemandedText(name, members[name])),
    ...OPTIONAL_TEXTS.filter(name => !isOptionalText(name, members[name])),
    ...(areAttributes ? [] : ['MessageAttributes']),
  ];
}

const ENVELOPE_MEMBERS: readonly string[] = ['Type', ...DEMANDED_TEXTS, ...OPTIONAL_TEXTS, 'MessageAttributes'];

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
  const wrong = wrongMembers(members);
  if (wrong.length > 0) return { kind: 'none', reason: `is a Notification without a proper ${wrong.join(', ')}` };
  const envelope: unknown = Object.fromEntries(
    ENVELOPE_MEMBERS.filter(name => members[name] !== undefined).map(name => [name, members[name]]),
  );
  return { kind: 'notification', envelope: envelope as NotificationEnvelope };
}

/** The subscription an envelope was put together for: SNS tells it in the address to unsubscribe at and nowhere else. */
export function subscriptionArnOf({ UnsubscribeURL: url }: NotificationEnvelope): string | undefined {
  return url === undefined ? undefined : subscriptionArnIn(url);
}
