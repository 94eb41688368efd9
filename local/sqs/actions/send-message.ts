import type { SendMessageRequest, SendMessageResult } from '@aws-sdk/client-sqs';
import type { Call, Desk } from '../desk';
import { checkMayEncrypt } from '../encryption';
import { checkSending, letterOf, receiptOf } from '../letter';
import type { Queue } from '../queue';

/** @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessage.html */
export function sendMessage(desk: Desk, queue: Queue, call: Call<SendMessageRequest>): SendMessageResult {
  const { input, caller } = call;
  checkSending(input, queue.settings);
  checkMayEncrypt(desk.context, queue, caller);
  const letter = letterOf(input, desk.context.random.uuid(), caller, desk.nowMs);
  queue.send(letter, input.DelaySeconds ?? queue.settings.delaySeconds);
  return receiptOf(input, letter);
}
