import { createHash } from 'node:crypto';
import { invalidParameter } from '../errors';
import type { FifoMemory } from '../fifo';
import type { Topic } from '../topic';

/** What Publish, and each entry of PublishBatch, says of a message's group. */
export interface GroupInput {
  readonly Message?: string | undefined;
  readonly MessageDeduplicationId?: string | undefined;
  readonly MessageGroupId?: string | undefined;
}

/** What a message says of its group and of itself. */
export interface MessageGroup {
  readonly groupId?: string;
  /** On a FIFO topic. */
  readonly deduplicationId?: string;
}

/** Letters, digits and punctuation. */
const ID = /^[!-~]{1,128}$/;

/** AWS publishes the rule and not what it says of an id that breaks it: the words are ours. */
function checkId(parameter: string, id: string): void {
  if (!ID.test(id)) {
    throw invalidParameter(`${parameter} Reason: must have 1 to 128 letters, digits and punctuation marks`);
  }
}

function fifoGroup(fifo: FifoMemory, { Message = '', MessageGroupId, MessageDeduplicationId }: GroupInput) {
  if (!MessageGroupId) throw invalidParameter('The MessageGroupId parameter is required for FIFO topics');
  checkId('MessageGroupId', MessageGroupId);
  if (MessageDeduplicationId !== undefined) {
    checkId('MessageDeduplicationId', MessageDeduplicationId);
    return { groupId: MessageGroupId, deduplicationId: MessageDeduplicationId };
  }
  if (!fifo.contentBasedDeduplication) {
    throw invalidParameter(
      'The topic should either have ContentBasedDeduplication enabled or MessageDeduplicationId provided explicitly',
    );
  }
  return { groupId: MessageGroupId, deduplicationId: createHash('sha256').update(Message).digest('hex') };
}

/**
 * The group of a message. On a standard topic it is what queues are fair by, and may be missing.
 * @throws AwsError
 * @see https://docs.aws.amazon.com/sns/latest/dg/fifo-message-grouping.html
 */
export function messageGroupOf({ fifo }: Topic, input: GroupInput): MessageGroup {
  if (fifo) return fifoGroup(fifo, input);
  if (input.MessageDeduplicationId !== undefined) {
    throw invalidParameter(
      'MessageDeduplicationId Reason: The request includes MessageDeduplicationId parameter that is not valid for this topic type',
    );
  }
  const { MessageGroupId: groupId } = input;
  if (groupId === undefined) return {};
  checkId('MessageGroupId', groupId);
  return { groupId };
}
