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
