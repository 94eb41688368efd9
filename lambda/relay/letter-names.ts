import { readEnvelope } from '../../policy/messages/envelope';
import type { RelayMessage } from './letter';

/** What a line of the log that is no record of an attempt calls a message. */
export interface MessageIds {
  /**
   * SNS's id, which the publisher has, as in the records of attempts.
   * @default - the message is no notification of SNS
   */
  readonly messageId?: string;
  readonly sqsMessageId: string;
  readonly receiveCount: number;
}

/** Reads the envelope once more: it is called only where something went wrong. */
export function idsOf({ body, messageId: sqsMessageId, receiveCount }: RelayMessage): MessageIds {
  const reading = readEnvelope(body);
  const messageId = reading.kind === 'notification' ? reading.envelope.MessageId : undefined;
  return { ...(messageId !== undefined && { messageId }), sqsMessageId, receiveCount };
}
