import {
  type BatchResultErrorEntry,
  ChangeMessageVisibilityBatchCommand,
  DeleteMessageBatchCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import type { Wait } from '../lambda/shared/clock';
import { inBatches, messageReceiver } from '../lambda/shared/queue-messages';
import { type DeadLetter, deadLetterOf } from './dead-letter';
import { backoffMs, MAX_CALLS, retryTransient } from './persistence';

/**
 * Our choice: how long a letter is ours, which is more than all attempts to carry it take. Where the function breaks off it
 * comes back after that.
 */
const HOLD_SECONDS = 120;

/** The dead-letter queue, as a stint uses it. All of it rejects with what SQS answers. */
export interface DeadLetterReceiver {
  /**
   * At most ten. None where no letter is visible.
   * @param waitSeconds how long it waits for one, 1 to 5
   */
  readonly receive: (most: number, waitSeconds: number) => Promise<readonly DeadLetter[]>;
  /** Deletes letters, and answers why those are still there that SQS did not delete. */
  readonly remove: (deadLetters: readonly DeadLetter[]) => Promise<ReadonlyMap<DeadLetter, string>>;
  /** Hides letters from now on; for 0 seconds it gives them back. Where SQS refuses, one is hidden as it was. */
  readonly hide: (deadLetters: readonly DeadLetter[], seconds: number) => Promise<void>;
}

function entriesOf(deadLetters: readonly DeadLetter[]) {
  return deadLetters.map(({ receiptHandle }, index) => ({ Id: String(index), ReceiptHandle: receiptHandle }));
}

function failuresIn(
  failed: readonly BatchResultErrorEntry[],
  deadLetters: readonly DeadLetter[],
): readonly (readonly [DeadLetter, string])[] {
  return failed.flatMap(({ Id, Code, Message }) => {
    const deadLetter = deadLetters[Number(Id)];
    return deadLetter ? [[deadLetter, `${Code}: ${Message}`] as const] : [];
  });
}

/** Deletes letters of one batch; what SQS itself fails at is asked for again. Answers what it refuses in the end. */
async function removeBatch(client: SQSClient, QueueUrl: string, wait: Wait, batch: readonly DeadLetter[]) {
  const refused: (readonly [DeadLetter, string])[] = [];
  let rest = batch;
  for (let calls = 1; ; calls += 1) {
    const command = new DeleteMessageBatchCommand({ QueueUrl, Entries: entriesOf(rest) });
    const { Failed = [] } = await retryTransient(wait, () => client.send(command));
    const isOver = calls === MAX_CALLS;
    const passing = Failed.filter(({ SenderFault = false }) => !SenderFault && !isOver);
    refused.push(
      ...failuresIn(
        Failed.filter(entry => !passing.includes(entry)),
        rest,
      ),
    );
    rest = failuresIn(passing, rest).map(([deadLetter]) => deadLetter);
    if (rest.length === 0) return refused;
    await wait(backoffMs(calls));
  }
}

export function deadLetterReceiver(client: SQSClient, QueueUrl: string, wait: Wait): DeadLetterReceiver {
  const receive = messageReceiver(client, QueueUrl);
  return {
    receive: async (most, waitSeconds) => {
      const how = { max: most, waitSeconds, hiddenSeconds: HOLD_SECONDS };
      return (await retryTransient(wait, () => receive(how))).map(deadLetterOf);
    },
    remove: async deadLetters => {
      const refusals = await inBatches(deadLetters, batch => removeBatch(client, QueueUrl, wait, batch));
      return new Map(refusals.flat());
    },
    hide: async (deadLetters, VisibilityTimeout) => {
      await inBatches(deadLetters, batch => {
        const Entries = entriesOf(batch).map(entry => ({ ...entry, VisibilityTimeout }));
        return retryTransient(wait, () => client.send(new ChangeMessageVisibilityBatchCommand({ QueueUrl, Entries })));
      });
    },
  };
}
