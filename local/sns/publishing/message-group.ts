import { createHash } from 'node:crypto';
import { isToken } from '../../kernel/token';
import { invalidParameter } from '../errors';
import type { FifoMemory } from '../fifo';
import type { Topic } from '../topic';

/** What Publish, and each entry of PublishBatch, says of a message's group. */
export interface GroupInput {
  readonly Message?: string | undefined;
  readonly MessageDeduplicationId?: string | undefined;
  readonly MessageGroupId?: string | undefined;
}

/** What a message of a standard topic says of its group. */
export interface StandardGroup {
  readonly kind: 'standard';
  /** What queues are fair by. */
  readonly groupId?: string;
}

/** What a message of a FIFO topic says of its group and of itself. */
export interface FifoGroup {
  readonly kind: 'fifo';
  /** The topic's. */
  readonly memory: FifoMemory;
  readonly groupId: string;
  readonly deduplicationId: string;
}

export type MessageGroup = StandardGroup | FifoGroup;

const NO_GROUP: StandardGroup = { kind: 'standard' };

/** AWS publishes the rule and not what it says of an id that breaks it: the words are ours. */
function checkId(parameter: string, id: string): void {
  if (!isToken(id)) {
    throw invalidParameter(`${parameter} Reason: must have 1 to 128 letters, digits and punctuation marks`);
  }
}

function fifoGroup(
  memory: FifoMemory,
  { Message = '', MessageGroupId, MessageDeduplicationId }: GroupInput,
): FifoGroup {
  if (!MessageGroupId) throw invalidParameter('The MessageGroupId parameter is required for FIFO topics');
  checkId('MessageGroupId', MessageGroupId);
  if (MessageDeduplicationId !== undefined) {
    checkId('MessageDeduplicationId', MessageDeduplicationId);
    return { kind: 'fifo', memory, groupId: MessageGroupId, deduplicationId: MessageDeduplicationId };
  }
  if (!memory.contentBasedDeduplication) {
    throw invalidParameter(
      'The topic should either have ContentBasedDeduplication enabled or MessageDeduplicationId provided explicitly',
    );
  }
  const deduplicationId = createHash('sha256').update(Message).digest('hex');
  return { kind: 'fifo', memory, groupId: MessageGroupId, deduplicationId };
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
  if (groupId === undefined) return NO_GROUP;
  checkId('MessageGroupId', groupId);
  return { kind: 'standard', groupId };
}
