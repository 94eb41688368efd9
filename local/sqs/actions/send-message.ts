import type { SendMessageResult } from '@aws-sdk/client-sqs';
import type { Caller } from '../../kernel/caller';
import type { Call, SqsInternals } from '../desk';
import { checkMayEncrypt } from '../encryption';
import {
  checkSending,
  receiptOf,
  type Sending,
  type SendMessageInput,
  type SendReceipt,
  sentMessageOf,
} from '../letter';
import type { Queue } from '../queue';

/** @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessage.html */
export function sendMessage(
  internals: SqsInternals,
  queue: Queue,
  { input, caller }: Call<SendMessageInput>,
): SendMessageResult {
  checkSending(input, queue.settings);
  return sendChecked(internals, queue, input, caller);
}

/** Sends what has been found to be sendable. */
export function sendChecked(internals: SqsInternals, queue: Queue, sending: Sending, caller: Caller): SendReceipt {
  const { context } = internals;
  const { settings } = queue;
  checkMayEncrypt(context, queue, caller);
  const sent = sentMessageOf(sending, settings, context.random.uuid(), caller, internals.nowMs);
  const ownDelaySeconds = queue.fifo ? undefined : sending.DelaySeconds;
  return receiptOf(sending, queue.send(sent, ownDelaySeconds ?? settings.delaySeconds));
}
