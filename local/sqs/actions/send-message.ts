import type { SendMessageResult } from '@aws-sdk/client-sqs';
import type { Caller } from '../../kernel/caller';
import type { Call, Desk } from '../desk';
import { checkMayEncrypt } from '../encryption';
import { checkSending, letterOf, receiptOf, type Sending, type SendMessageInput, type SendReceipt } from '../letter';
import type { Queue } from '../queue';

/** @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessage.html */
export function sendMessage(desk: Desk, queue: Queue, { input, caller }: Call<SendMessageInput>): SendMessageResult {
  checkSending(input, queue.settings);
  return sendChecked(desk, queue, input, caller);
}

/** Sends what has been found to be sendable. */
export function sendChecked(desk: Desk, queue: Queue, sending: Sending, caller: Caller): SendReceipt {
  const { context } = desk;
  const { settings } = queue;
  checkMayEncrypt(context, queue, caller);
  const letter = letterOf(sending, settings, context.random.uuid(), caller, desk.nowMs);
  const ownDelaySeconds = queue.fifo ? undefined : sending.DelaySeconds;
  return receiptOf(sending, queue.send(letter, ownDelaySeconds ?? settings.delaySeconds));
}
