/** A message attribute, as both SNS and SQS define it. */
interface MessageAttribute {
  readonly DataType?: string | undefined;
  readonly StringValue?: string | undefined;
  readonly BinaryValue?: Uint8Array | undefined;
}

type MessageAttributeKind = 'String' | 'Number' | 'Binary';

/** A data type, optionally followed by a user-defined label: `Number.float`. */
const DATA_TYPE = /^(String|Number|Binary)(\..+)?$/;
const MAX_DATA_TYPE_LENGTH = 256;

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/;

/**
 * Returns the kind of value of a data type; undefined for an invalid data type.
 *
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-message-attributes.html
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-message-metadata.html
 */
export function attributeKind(dataType: string): MessageAttributeKind | undefined {
  if (dataType.length > MAX_DATA_TYPE_LENGTH) return undefined;
  const [, kind] = DATA_TYPE.exec(dataType) ?? [];
  return kind as MessageAttributeKind | undefined;
}

/** Returns the value of an attribute of this kind; undefined when it is missing or in the wrong field. */
export function attributeValue(
  kind: MessageAttributeKind,
  { StringValue, BinaryValue }: MessageAttribute,
): string | Uint8Array | undefined {
  return kind === 'Binary' ? BinaryValue : StringValue;
}

/**
 * Whether a text is a valid value of a `Number`. AWS documents an integer or a floating-point number, but not its
 * syntax. **Assumption SQS-19:** Both SNS and SQS accept a decimal number with or without an exponent, without spaces,
 * that fits a double. So a queue accepts what SNS accepts.
 */
export function isNumberText(text: string): boolean {
  return NUMBER.test(text) && Number.isFinite(Number(text));
}

/** The bytes of names, types and values that count towards the size of a message. */
export function attributeBytes(attributes: Readonly<Record<string, MessageAttribute>>): number {
  let bytes = 0;
  for (const name in attributes) {
    const { DataType = '', StringValue = '', BinaryValue } = attributes[name] ?? {};
    bytes += Buffer.byteLength(name) + Buffer.byteLength(DataType);
    bytes += BinaryValue?.byteLength ?? Buffer.byteLength(StringValue);
  }
  return bytes;
}

/** The suffix of the name of every FIFO topic and queue. */
export const FIFO_SUFFIX = '.fifo';

export function isFifoName(nameOrArn: string): boolean {
  return nameOrArn.endsWith(FIFO_SUFFIX);
}

const TOKEN = /^[!-~]{1,128}$/;
const ENTRY_ID = /^[A-Za-z0-9_-]{1,80}$/;

/** Whether a text can be a message group id, a deduplication id or similar: printable ASCII without spaces. */
export function isToken(text: string): boolean {
  return TOKEN.test(text);
}

/** Whether a text can be the id of a batch entry, or the label of a permission. */
export function isEntryId(text: string): boolean {
  return ENTRY_ID.test(text);
}

/**
 * A text whose length is known before it is created. It is created once, when it is first read. So an SNS envelope in a
 * queue that is never read is never signed.
 */
export interface LazyText {
  /** Bytes in UTF-8. */
  readonly byteLength: number;
  /** The text, where it need not be created. @default - it is not created yet */
  readonly text?: string;
  /** Creates the text. */
  toString(): string;
}

/** The length of a text in UTF-8, without creating a lazy text. */
export function byteLengthOf(text: string | LazyText): number {
  return typeof text === 'string' ? Buffer.byteLength(text) : text.byteLength;
}

/** The longest prefix of a text with at most `mostBytes` bytes in UTF-8. It never cuts a character in two. */
export function firstBytes(text: string, mostBytes: number): string {
  const bytes = Buffer.from(text);
  if (bytes.byteLength <= mostBytes) return text;
  let end = mostBytes;
  // Bytes of the form 10xxxxxx continue a character.
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return bytes.subarray(0, end).toString();
}

/** How long FIFO queues and topics remember deduplication ids, and queues remember receive attempt ids. */
const REMEMBERED_MS = 300_000;

interface Remembered<Value> {
  readonly value: Value;
  readonly atMs: number;
}

/**
 * Remembers a value by its id for five minutes. Expired values are removed in bulk, so that adding one takes the same
 * short time at any size. Nothing is kept for longer than ten minutes of use.
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
