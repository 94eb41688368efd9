import type { ReceiveMessageRequest, ReceiveMessageResult } from '@aws-sdk/client-sqs';
import type { Caller } from '../../kernel/caller';
import { invalidValue, notForThisQueueType, overLimit } from '../errors';
import { MAX_VISIBILITY_SECONDS } from '../limits';
import type { Message } from '../message/message';
import { presentMessage, requestedAttributes } from '../message/received-message';
import { checkToken } from '../message/sending';
import { checkMayDecrypt } from '../queue/encryption';
import type { Queue } from '../queue/queue';
import type { Call, SqsState } from '../sqs-state';
import { onQueue } from './sqs-action';

/** A long poll returns a promise, which due work resolves. */
export const receiveMessage = onQueue(receive);

function receive(
  state: SqsState,
  queue: Queue,
  { input, caller }: Call<ReceiveMessageRequest>,
): ReceiveMessageResult | Promise<ReceiveMessageResult> {
  checkRanges(input);
  const wishes = requestedAttributes(input);
  const { MaxNumberOfMessages = 1, WaitTimeSeconds = queue.settings.receiveWaitSeconds } = input;
  const { ReceiveRequestAttemptId: attemptId } = input;
  checkAttemptId(attemptId, queue);
  // A FIFO queue at its limit of in-flight messages returns nothing.
  if (!queue.fifo && WaitTimeSeconds === 0 && queue.store.remainingInFlight === 0) throw overLimit();

  const attempt = (): ReceiveMessageResult | undefined => {
    if (!queue.hasReceivable(attemptId)) return undefined;
    const timeout = input.VisibilityTimeout ?? queue.settings.visibilityTimeoutSeconds;
    const admit = admitting(state, caller);
    const messages = queue.receive({ max: MaxNumberOfMessages, timeoutSeconds: timeout, attemptId, admit });
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
  return queue.receivers.wait(
    WaitTimeSeconds * 1000,
    () => (queue.hasReceivable(attemptId) ? answerLater(state, queue, caller, attempt) : undefined),
    () => answerLater(state, queue, caller, empty),
    caller.onGone,
  );
}

/** Checks that the caller may decrypt each message. SQS asks KMS once for each key, because it reuses data keys. */
function admitting({ context }: SqsState, caller: Caller): (message: Message) => void {
  const usable = new Set<string>();
  return ({ sent: { encryption } }) => {
    if (encryption === undefined) return;
    const use = `${encryption.keyId} ${encryption.queueArn}`;
    if (usable.has(use)) return;
    checkMayDecrypt(context, encryption, caller);
    usable.add(use);
  };
}

/** Answers a long poll. Checks the injected faults again, because they may have changed while it waited. */
function answerLater<Answer>({ checks }: SqsState, { arn }: Queue, caller: Caller, answer: () => Answer): Answer {
  return checks.recordingRefusals('ReceiveMessage', arn, () => {
    checks.checkFault('ReceiveMessage', arn, caller);
    return answer();
  });
}

function checkAttemptId(attemptId: string | undefined, queue: Queue): void {
  if (attemptId === undefined) return;
  if (!queue.fifo) throw notForThisQueueType(attemptId, 'ReceiveRequestAttemptId');
  checkToken(attemptId, 'ReceiveRequestAttemptId');
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
