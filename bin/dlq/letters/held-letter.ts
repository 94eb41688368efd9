import type { Message } from '@aws-sdk/client-sqs';
import { type DeadLetter, deadLetterOf } from '../../../mover/dead-letter';

/** A letter that is hidden from others for a while. */
export interface HeldMessage extends DeadLetter {
  /** All that SQS says of it, by SQS's names. */
  readonly system: Readonly<Record<string, string>>;
}

export function heldMessageOf(message: Message): HeldMessage {
  return { ...deadLetterOf(message), system: message.Attributes ?? {} };
}
