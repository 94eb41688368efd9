import { createHash } from 'node:crypto';
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { awsFailureOf, isCertainlyRefused } from '../../mover/aws/aws-calls';
import type { Connection } from '../connection/connection';
import { UnrepeatedSqs } from '../connection/one-attempt';
import { messageOf } from '../errors';
import type { Remover } from '../messages/each-message';
import type { HeldMessage } from '../messages/message-hold';
import type { NamedQueue } from '../messages/named-queue';
import type { EditedMessage } from './edited-message';

export interface ResendOutcome {
  /** The id of the new message. @default - SQS may or may not have it: `unsure` says why */
  readonly newMessageId?: string;
  /** Why it is unknown whether SQS has the new message. Then the old one stays. @default - it is known */
  readonly unsure?: string;
  /** Why the old message may still be in its queue. @default - SQS has deleted it */
  readonly notDeleted?: string;
}

/**
 * The deduplication id of an edited message: the same edit of the same message has the same id, so that SQS drops a second copy
 * within five minutes. SQS would drop the new message as well if it had the id of the old one.
 */
function deduplicationId({ messageId }: HeldMessage, edited: EditedMessage): string {
  return createHash('sha256')
    .update(JSON.stringify([messageId, edited.body, Object.keys(edited.attributes)]))
    .digest('hex');
}

/** Sends an edited message as a new one, and deletes the old one when SQS has the new one for certain. */
export async function resend(
  aws: Connection,
  to: NamedQueue,
  old: HeldMessage,
  edited: EditedMessage,
  remover: Remover,
): Promise<ResendOutcome> {
  const { body, attributes, groupId } = edited;
  const command = new SendMessageCommand({
    QueueUrl: to.url,
    MessageBody: body,
    MessageAttributes: { ...attributes },
    ...(groupId !== undefined && { MessageGroupId: groupId }),
    ...(to.isFifo && { MessageDeduplicationId: deduplicationId(old, edited) }),
    ...(old.traceHeader !== undefined && {
      MessageSystemAttributes: { AWSTraceHeader: { DataType: 'String', StringValue: old.traceHeader } },
    }),
  });
  let newMessageId: string | undefined;
  try {
    newMessageId = (await aws.client(UnrepeatedSqs).send(command)).MessageId;
  } catch (error) {
    if (!awsFailureOf(error, '') || isCertainlyRefused(error)) throw error;
    return { unsure: messageOf(error) };
  }
  const { reason } = await remover.remove([old]);
  return { ...(newMessageId !== undefined && { newMessageId }), ...(reason !== undefined && { notDeleted: reason }) };
}
