import { isoInstant } from '../../../local';
import type { DecodedLetter } from '../../../policy/messages/decoded-letter';
import type { QueueAttributes } from '../../../policy/messages/queue-attributes';
import type { TheQueue } from '../the-queue';
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
export function letterDocument({ letter, who, before, payload }: DecodedLetter, queue: TheQueue) {
  const { atMs, mayBeLater } = expiryOf(letter, queue);
  return {
    messageId: letter.messageId,
    sentAt: isoInstant(letter.sentAtMs),
    firstReceivedAt: isoInstant(letter.firstReceivedAtMs),
    receiveCount: letter.receiveCount,
    expiresAt: isoInstant(atMs),
    mayExpireLater: mayBeLater,
    groupId: letter.groupId ?? null,
    deduplicationId: letter.deduplicationId ?? null,
    sequenceNumber: letter.sequenceNumber ?? null,
    movedFromArn: letter.movedFromArn ?? null,
    traceHeader: letter.traceHeader ?? null,
    who,
    before,
    attributes: attributesDocument(letter.attributes),
    payload,
    body: letter.body,
  };
}
