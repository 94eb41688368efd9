import { isoInstant } from '../../../local';
import type { DecodedMessage } from '../../../policy/messages/decoded-letter';
import type { QueueAttributes } from '../../../policy/messages/queue-attributes';
import type { NamedQueue } from '../the-queue';
import { expiryOf } from './letter-expiry';

/** An attribute as JSON has it: bytes in base64. */
export interface AttributeDocument {
  readonly type: string;
  readonly value?: string;
  readonly base64?: string;
}

export function attributesDocument(attributes: QueueAttributes): Readonly<Record<string, AttributeDocument>> {
  const entries = Object.entries(attributes).map(([name, { DataType: type, StringValue: value, BinaryValue }]) => {
    const base64 = BinaryValue && Buffer.from(BinaryValue).toString('base64');
    return [name, { type, ...(value !== undefined && { value }), ...(base64 !== undefined && { base64 }) }] as const;
  });
  return Object.fromEntries(entries);
}

/** A letter as `--json` prints it; `null` is what it does not have, or what is not known. */
export function messageDocument({ message, who, before, payload }: DecodedMessage, queue: NamedQueue) {
  const { atMs, mayBeLater } = expiryOf(message, queue);
  return {
    messageId: message.messageId,
    sentAt: isoInstant(message.sentAtMs),
    firstReceivedAt: isoInstant(message.firstReceivedAtMs),
    receiveCount: message.receiveCount,
    expiresAt: isoInstant(atMs),
    mayExpireLater: mayBeLater,
    groupId: message.groupId ?? null,
    deduplicationId: message.deduplicationId ?? null,
    sequenceNumber: message.sequenceNumber ?? null,
    movedFromArn: message.movedFromArn ?? null,
    traceHeader: message.traceHeader ?? null,
    who,
    before,
    attributes: attributesDocument(message.attributes),
    payload,
    body: message.body,
  };
}
