import { type Message, ReceiveMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { QUEUE_BATCH_SIZE } from '../../policy/aws-limits';

export interface ReceiveOptions {
  /** 1 to 10. */
  readonly max: number;
  readonly waitSeconds: number;
  /** How long received messages stay hidden. @default - the queue's visibility timeout */
  readonly hiddenSeconds?: number;
}

export function messageReceiver(
  client: SQSClient,
  QueueUrl: string,
): (options: ReceiveOptions) => Promise<readonly Message[]> {
  return async ({ max, waitSeconds, hiddenSeconds }) => {
    const { Messages = [] } = await client.send(
      new ReceiveMessageCommand({
        QueueUrl,
        MaxNumberOfMessages: max,
        WaitTimeSeconds: waitSeconds,
        ...(hiddenSeconds !== undefined && { VisibilityTimeout: hiddenSeconds }),
        MessageSystemAttributeNames: ['All'],
        MessageAttributeNames: ['All'],
      }),
    );
    return Messages;
  };
}

/** Batch calls under way at once, so that thousands of messages take seconds. */
const PARALLEL_CALLS = 10;

/** Calls `each` with batches of the items, up to ten calls at once. Returns the results in order. */
export async function inBatches<Item, Result>(
  items: readonly Item[],
  each: (batch: readonly Item[]) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (let from = 0; from < items.length; from += PARALLEL_CALLS * QUEUE_BATCH_SIZE) {
    const part = items.slice(from, from + PARALLEL_CALLS * QUEUE_BATCH_SIZE);
    const starts = Array.from(
      { length: Math.ceil(part.length / QUEUE_BATCH_SIZE) },
      (_, batch) => batch * QUEUE_BATCH_SIZE,
    );
    results.push(...(await Promise.all(starts.map(start => each(part.slice(start, start + QUEUE_BATCH_SIZE))))));
  }
  return results;
}
