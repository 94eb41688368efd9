import type { ReceiveMessageRequest, ReceiveMessageResult } from '@aws-sdk/client-sqs';
import type { Call, Desk } from '../desk';
import { checkMayDecrypt } from '../encryption';
import { invalidValue, overLimit } from '../errors';
import { MAX_IN_FLIGHT, MAX_VISIBILITY_SECONDS } from '../limits';
import type { Queue } from '../queue';
import { checkWishes, presentMessage, type Wishes } from '../received-message';

/** @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_ReceiveMessage.html */
export function receiveMessage(
  desk: Desk,
  queue: Queue,
  { input, caller }: Call<ReceiveMessageRequest>,
): ReceiveMessageResult | Promise<ReceiveMessageResult> {
  checkRanges(input);
  const wishes = wishesOf(input);
  checkWishes(wishes);
  const { MaxNumberOfMessages = 1, WaitTimeSeconds = queue.settings.receiveWaitSeconds } = input;
  if (WaitTimeSeconds === 0 && queue.store.inFlightCount >= MAX_IN_FLIGHT) throw overLimit();

  const attempt = (): ReceiveMessageResult | undefined => {
    if (queue.store.visibleCount === 0) return undefined;
    checkMayDecrypt(desk.context, queue, caller);
    const timeout = input.VisibilityTimeout ?? queue.settings.visibilityTimeoutSeconds;
    const messages = queue.receive(MaxNumberOfMessages, timeout);
    if (messages.length === 0) return undefined;
    return { Messages: messages.map(message => presentMessage(message, wishes, queue.identity.name)) };
  };
  const empty = (): ReceiveMessageResult => {
    queue.metrics.put('NumberOfEmptyReceives', 1);
    return {};
  };

  const atOnce = attempt();
  if (atOnce) return atOnce;
  if (WaitTimeSeconds === 0) return empty();
  const later = (): ReceiveMessageResult | undefined => desk.keeper.noting('ReceiveMessage', queue.arn, attempt);
  return queue.receivers.wait(WaitTimeSeconds * 1000, later, empty);
}

function wishesOf(input: ReceiveMessageRequest): Wishes {
  const { AttributeNames = [], MessageSystemAttributeNames = [], MessageAttributeNames = [] } = input;
  return {
    system: [...AttributeNames, ...MessageSystemAttributeNames],
    message: MessageAttributeNames.map(name => (name === '.*' ? 'All' : name)),
  };
}

function checkRanges({
  MaxNumberOfMessages: max = 1,
  WaitTimeSeconds: wait = 0,
  VisibilityTimeout,
}: ReceiveMessageRequest) {
  if (!(max >= 1 && max <= 10)) {
    throw invalidValue(max, 'MaxNumberOfMessages', 'Must be between 1 and 10, if provided.');
  }
  if (!(wait >= 0 && wait <= 20)) {
    throw invalidValue(wait, 'WaitTimeSeconds', 'Must be >= 0 and <= 20, if provided.');
  }
  if (VisibilityTimeout !== undefined && !(VisibilityTimeout >= 0 && VisibilityTimeout <= MAX_VISIBILITY_SECONDS)) {
    const range = `Must be between 0 and ${MAX_VISIBILITY_SECONDS}, if provided.`;
    throw invalidValue(VisibilityTimeout, 'VisibilityTimeout', range);
  }
}
