/** A message attribute as SNS and SQS both have it. */
export interface MessageAttribute {
  readonly DataType?: string | undefined;
  readonly StringValue?: string | undefined;
  readonly BinaryValue?: Uint8Array | undefined;
}

export type MessageAttributeKind = 'String' | 'Number' | 'Binary';

/** A kind, and whatever somebody calls their own sort of it: `Number.float`. */
const DATA_TYPE = /^(String|Number|Binary)(\..+)?$/;
const MAX_DATA_TYPE_LENGTH = 256;

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/;

/**
 * What kind of value a data type promises; undefined when it is none.
 *
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-message-attributes.html
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-message-metadata.html
 */
export function attributeKind(dataType: string): MessageAttributeKind | undefined {
  if (dataType.length > MAX_DATA_TYPE_LENGTH) return undefined;
  const [, kind] = DATA_TYPE.exec(dataType) ?? [];
  return kind as MessageAttributeKind | undefined;
}

/** What an attribute of this kind holds; undefined when that is missing, or stands in the other field. */
export function attributeValue(
  kind: MessageAttributeKind,
  { StringValue, BinaryValue }: MessageAttribute,
): string | Uint8Array | undefined {
  return kind === 'Binary' ? BinaryValue : StringValue;
}

/**
 * Whether the value of a `Number` is one. AWS says that it is an integer or a floating-point number and not how it is
 * written. Our choice, the same for SNS and SQS so that what SNS takes a queue takes too: decimal, with an exponent or
 * without, nothing around it, and no larger than a double can hold.
 */
export function isNumberText(text: string): boolean {
  return NUMBER.test(text) && Number.isFinite(Number(text));
}

/** Names, types and values, as they count towards the size of a message. */
export function attributeBytes(attributes: Readonly<Record<string, MessageAttribute>>): number {
  let bytes = 0;
  for (const name in attributes) {
    const { DataType = '', StringValue = '', BinaryValue } = attributes[name] ?? {};
    bytes += Buffer.byteLength(name) + Buffer.byteLength(DataType);
    bytes += BinaryValue?.byteLength ?? Buffer.byteLength(StringValue);
  }
  return bytes;
}

/** The end of the name of every FIFO topic and queue. */
export const FIFO_SUFFIX = '.fifo';

export function isFifoName(nameOrArn: string): boolean {
  return nameOrArn.endsWith(FIFO_SUFFIX);
}

const TOKEN = /^[!-~]{1,128}$/;
const ENTRY_ID = /^[A-Za-z0-9_-]{1,80}$/;

/** Whether a text can be a message group id, a deduplication id or the like: letters, digits and punctuation of ASCII. */
export function isToken(text: string): boolean {
  return TOKEN.test(text);
}

/** Whether a text can be the id of an entry of a batch, or the label of a permission. */
export function isEntryId(text: string): boolean {
  return ENTRY_ID.test(text);
}

/**
 * A text whose length is known before it is made. It is made when somebody reads it, and once: an SNS envelope that stays in
 * a queue nobody reads is never signed.
 */
export interface LazyText {
  /** In UTF-8. */
  readonly byteLength: number;
  /** The text itself. */
  toString(): string;
}

/** The length of a text in UTF-8, without making one that is not made yet. */
export function byteLengthOf(text: string | LazyText): number {
  return typeof text === 'string' ? Buffer.byteLength(text) : text.byteLength;
}

/** The longest beginning of a text that has at most so many bytes in UTF-8; a character is never cut in two. */
export function firstBytes(text: string, mostBytes: number): string {
  const bytes = Buffer.from(text);
  if (bytes.byteLength <= mostBytes) return text;
  let end = mostBytes;
  // Bytes of the form 10xxxxxx carry on a character.
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return bytes.subarray(0, end).toString();
}

/** For how long FIFO queues and topics know the ids of what was sent to them, and queues those of who received. */
const REMEMBERED_MS = 300_000;

interface Remembered<Value> {
  readonly value: Value;
  readonly atMs: number;
}

/**
 * Remembers a value by its id for five minutes. What is older goes in bulk, so that remembering takes the same short time
 * however much there is; nothing is kept for longer than ten minutes of use.
 */
export class FiveMinuteMemory<Value> {
  private young = new Map<string, Remembered<Value>>();
  private old = new Map<string, Remembered<Value>>();
  private youngSinceMs = Number.NEGATIVE_INFINITY;

  remember(id: string, value: Value, nowMs: number): void {
    this.forget(nowMs);
    this.young.set(id, { value, atMs: nowMs });
  }

  recall(id: string, nowMs: number): Value | undefined {
    const known = this.young.get(id) ?? this.old.get(id);
    return known && nowMs < known.atMs + REMEMBERED_MS ? known.value : undefined;
  }

  clear(): void {
    this.young.clear();
    this.old.clear();
  }

  private forget(nowMs: number): void {
    if (nowMs < this.youngSinceMs + REMEMBERED_MS) return;
    this.old = nowMs < this.youngSinceMs + 2 * REMEMBERED_MS ? this.young : new Map();
    this.young = new Map();
    this.youngSinceMs = nowMs;
  }
}
