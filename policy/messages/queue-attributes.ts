import { QUEUE_LIMITS } from '../aws-limits';

/** A message attribute of SQS. */
export interface QueueAttribute {
  /** `String`, `Number` or `Binary`, with a label of the sender's after a dot. */
  readonly DataType: string;
  readonly StringValue?: string;
  readonly BinaryValue?: Uint8Array;
}

export type QueueAttributes = Readonly<Record<string, QueueAttribute>>;

/** The attributes a dead letter is sent with. */
export interface FittedAttributes {
  readonly attributes: QueueAttributes;
  /** The names of what did not fit, in the order it was tried. */
  readonly omitted: readonly string[];
}

/**
 * How many attributes a message can have.
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-message-metadata.html
 */
const MAX_ATTRIBUTES = 10;

/**
 * Characters a message of SQS cannot have: what XML 1.0 leaves out, and halves of surrogate pairs.
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessage.html
 */
const UNSENDABLE = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu;

/** What SQS does not take in a text is replaced. */
export function textAttribute(value: string): QueueAttribute {
  return { DataType: 'String', StringValue: value.replace(UNSENDABLE, '\u{fffd}') };
}

export function numberAttribute(value: number): QueueAttribute {
  return { DataType: 'Number', StringValue: String(value) };
}

export function timeAttribute(ms: number): QueueAttribute {
  return textAttribute(new Date(ms).toISOString());
}

/** As `timeAttribute` writes it. */
const WRITTEN_TIME = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)\.(\d{3})Z$/;

/** When an attribute of ours says it was, in milliseconds since 1970; undefined where it is none. */
export function timeIn(written: string): number | undefined {
  const found = WRITTEN_TIME.exec(written);
  if (!found) return undefined;
  const [year = 0, month = 0, day, hour, minute, second, ms] = found.slice(1).map(Number);
  return Date.UTC(year, month - 1, day, hour, minute, second, ms);
}

/** Name, type and value count alike. */
function bytesOf([name, { DataType, StringValue = '', BinaryValue }]: [string, QueueAttribute]): number {
  const value = BinaryValue?.byteLength ?? Buffer.byteLength(StringValue);
  return Buffer.byteLength(name) + Buffer.byteLength(DataType) + value;
}

/** How long a message is, as SQS measures it: the body and its attributes. */
export function messageBytes(body: string, attributes: QueueAttributes): number {
  return Object.entries(attributes).reduce((sum, entry) => sum + bytesOf(entry), Buffer.byteLength(body));
}

/**
 * The attributes that fit beside `body`: what is said of a letter first, then what it came with. One it came with by the name
 * of one that is said, as when it was dead once before, gives way. SQS refuses an empty value, and so an empty text is left out.
 *
 * @param said by its importance
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
  const attributes: Record<string, QueueAttribute> = {};
  const omitted: string[] = [];
  let room = QUEUE_LIMITS.messageBytes.max - Buffer.byteLength(body);
  let places = MAX_ATTRIBUTES;
  for (const [name, attribute] of [...reasons, ...others]) {
    const bytes = bytesOf([name, attribute]);
    if (places === 0 || bytes > room) {
      omitted.push(name);
      continue;
    }
    attributes[name] = attribute;
    room -= bytes;
    places -= 1;
  }
  return { attributes, omitted };
}
