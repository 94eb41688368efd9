import type { SendMessageResult } from '@aws-sdk/client-sqs';
import { AwsError } from '../../kernel/aws-error';
import type { Caller } from '../../kernel/caller';
import { MAX_MESSAGE_BYTES } from '../limits';
import {
  checkFifoBatch,
  checkSending,
  receiptOf,
  type Sending,
  type SendMessageInput,
  type SendReceipt,
  sentMessageOf,
  sizeOf,
} from '../message/sending';
import { checkMayEncrypt, encryptionOf } from '../queue/encryption';
import type { Queue } from '../queue/queue';
import type { Call, SqsState } from '../sqs-state';
import { answerBatch } from './batch';
import { onQueue, type SqsFamily } from './sqs-action';

export const sendMessage = onQueue((state, queue, { input, caller }: Call<SendMessageInput>): SendMessageResult => {
  checkSending(input, queue.settings);
  return sendChecked(state, queue, input, caller);
});

function sendChecked(state: SqsState, queue: Queue, sending: Sending, caller: Caller): SendReceipt {
  const { context } = state;
  const { settings } = queue;
  checkMayEncrypt(context, queue, caller);
  const made = { id: context.random.uuid(), sentAtMs: state.nowMs, encryption: encryptionOf(queue) };
  const sent = sentMessageOf(sending, settings, caller, made);
  const ownDelaySeconds = queue.fifo ? undefined : sending.DelaySeconds;
  return receiptOf(sending, queue.send(sent, ownDelaySeconds ?? settings.delaySeconds));
}

export const sendMessageBatch: Required<SqsFamily>['SendMessageBatch'] = onQueue((state, queue, { input, caller }) => {
  const bytes = (input.Entries ?? []).reduce((sum, entry) => sum + sizeOf(entry), 0);
  if (bytes > MAX_MESSAGE_BYTES) {
    throw new AwsError(
      'AWS.SimpleQueueService.BatchRequestTooLong',
      `Batch requests cannot be longer than ${MAX_MESSAGE_BYTES} bytes. You have sent ${bytes} bytes.`,
    );
  }
  const { fifo } = queue.settings;
  return answerBatch(
    input.Entries,
    'SendMessageBatchRequestEntry',
    (entry, Id) => {
      checkSending(entry, queue.settings, true);
      return { Id, ...sendChecked(state, queue, entry, caller) };
    },
    entries => fifo && checkFifoBatch(entries, fifo),
  );
}, 'sqs:SendMessage');
