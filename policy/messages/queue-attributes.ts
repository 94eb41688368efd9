import { MAX_MESSAGE_ATTRIBUTES, QUEUE_LIMITS } from '../aws-limits';

export interface QueueAttribute {
  /** `String`, `Number` or `Binary`, optionally with a custom label after a dot. */
  readonly DataType: string;
  readonly StringValue?: string;
  readonly BinaryValue?: Uint8Array;
}

export type QueueAttributes = Readonly<Record<string, QueueAttribute>>;

/** The attributes with which a dead letter is sent. */
export interface FittedAttributes {
  readonly attributes: QueueAttributes;
  /** The names of those that did not fit, in order. */
  readonly omitted: readonly string[];
}

/**
 * Characters that an SQS message must not contain: those that XML 1.0 excludes, and lone surrogates.
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessage.html
 */
const UNSENDABLE = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu;

/** Characters that SQS does not accept are replaced. */
export function textAttribute(value: string): QueueAttribute {
  return { DataType: 'String', StringValue: value.replace(UNSENDABLE, '\u{fffd}') };
}

export function numberAttribute(value: number): QueueAttribute {
  return { DataType: 'Number', StringValue: String(value) };
}

export function timeAttribute(ms: number): QueueAttribute {
  return textAttribute(new Date(ms).toISOString());
}

/** The format of `timeAttribute`. */
const WRITTEN_TIME = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)\.(\d{3})Z$/;

/** Parses a time written by `timeAttribute`, in milliseconds since 1970. Returns undefined for any other text. */
export function timeIn(written: string): number | undefined {
  const found = WRITTEN_TIME.exec(written);
  if (!found) return undefined;
  const [year = 0, month = 0, day, hour, minute, second, ms] = found.slice(1).map(Number);
  return Date.UTC(year, month - 1, day, hour, minute, second, ms);
}

/** The name, the type and the value all count. */
function bytesOf([name, { DataType, StringValue = '', BinaryValue }]: [string, QueueAttribute]): number {
  const value = BinaryValue?.byteLength ?? Buffer.byteLength(StringValue);
  return Buffer.byteLength(name) + Buffer.byteLength(DataType) + value;
}

/** The size of a message as SQS measures it: the body and the attributes. */
export function messageBytes(body: string, attributes: QueueAttributes): number {
  return Object.entries(attributes).reduce((sum, entry) => sum + bytesOf(entry), Buffer.byteLength(body));
}

/**
 * Selects the attributes that fit next to `body`: first `said`, then those the message came with. If both have the same
 * name, as when it was dead-lettered before, `said` wins. SQS refuses empty values, so an empty text is left out.
 *
 * @param said the new attributes, the most important first
 * @param original the attributes the message came with
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-messages.html
 */
export function fittedAttributes(
  said: readonly (readonly [string, QueueAttribute])[],
  body: string,
  original: QueueAttributes = {},
): FittedAttributes {
  const reasons = said.filter(([, { StringValue }]) => StringValue !== '');
  const taken = new Set(reasons.map(([name]) => name));
  const others = Object.entries(original).filter(([name]) => !taken.has(name));
  const fitted: [string, QueueAttribute][] = [];
  const omitted: string[] = [];
  let room = QUEUE_LIMITS.messageBytes.max - Buffer.byteLength(body);
  let places = MAX_MESSAGE_ATTRIBUTES;
  for (const [name, attribute] of [...reasons, ...others]) {
    const bytes = bytesOf([name, attribute]);
    if (places === 0 || bytes > room) {
      omitted.push(name);
      continue;
    }
    fitted.push([name, attribute]);
    room -= bytes;
    places -= 1;
  }
  return { attributes: Object.fromEntries(fitted), omitted };
}
