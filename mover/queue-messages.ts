import { type Message, ReceiveMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';

/** As many entries as a batch has. */
export const BATCH_SIZE = 10;

/** How messages are received. */
export interface ReceiveOptions {
  /** 1 to 10. */
  readonly max: number;
  readonly waitSeconds: number;
  /** How long what is received stays hidden. @default - as long as the queue says */
  readonly hiddenSeconds?: number;
}

/** Messages with all that is known of them. */
export function messageReceiver(
  client: SQSClient,
  QueueUrl: string,
): (how: ReceiveOptions) => Promise<readonly Message[]> {
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

/** So many calls at once: our choice, so that thousands of messages take seconds. */
const PARALLEL_CALLS = 10;

/** Does something to messages, a batch in one call. Answers what each batch came to. */
export async function inBatches<Item, Result>(
  items: readonly Item[],
  each: (batch: readonly Item[]) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (let from = 0; from < items.length; from += PARALLEL_CALLS * BATCH_SIZE) {
    const part = items.slice(from, from + PARALLEL_CALLS * BATCH_SIZE);
    const starts = Array.from({ length: Math.ceil(part.length / BATCH_SIZE) }, (_, batch) => batch * BATCH_SIZE);
    results.push(...(await Promise.all(starts.map(start => each(part.slice(start, start + BATCH_SIZE))))));
  }
  return results;
}
