import { createHash, type Hash, hash } from 'node:crypto';
import type { MessageAttributeValue } from '@aws-sdk/client-sqs';

const STRING_VALUE = Buffer.of(1);
const BINARY_VALUE = Buffer.of(2);

/** In hexadecimal, as the SDKs compare it with their own. */
export function md5OfText(text: string): string {
  return hash('md5', text, 'hex');
}

/** In hexadecimal. */
export function sha256OfText(text: string): string {
  return hash('sha256', text, 'hex');
}

/**
 * The digest SQS answers for message attributes: for each, by name, the name, the data type, one byte for the kind of
 * value, and the value, each text behind its length in four bytes.
 *
 * @returns undefined when there are none
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-message-metadata.html
 */
export function md5OfAttributes(attributes: Readonly<Record<string, MessageAttributeValue>>): string | undefined {
  const names = Object.keys(attributes).sort();
  if (names.length === 0) return undefined;
  const md5 = createHash('md5');
  for (const name of names) {
    const value = attributes[name];
    addMeasured(md5, Buffer.from(name));
    addMeasured(md5, Buffer.from(value?.DataType ?? ''));
    md5.update(value?.BinaryValue ? BINARY_VALUE : STRING_VALUE);
    addMeasured(md5, value?.BinaryValue ?? Buffer.from(value?.StringValue ?? ''));
  }
  return md5.digest('hex');
}

function addMeasured(md5: Hash, bytes: Uint8Array): void {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.byteLength);
  md5.update(length).update(bytes);
}
