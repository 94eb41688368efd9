import { type Message, ReceiveMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';

/** As many entries as a batch has. */
export const BATCH = 10;

/** How messages are received. */
export interface Receiving {
  /** 1 to 10. */
  readonly most: number;
  readonly waitSeconds: number;
  /** How long what is received stays hidden. @default - as long as the queue says */
  readonly hiddenSeconds?: number;
}

/** Messages with all that is known of them. */
export function receiving(client: SQSClient, QueueUrl: string): (how: Receiving) => Promise<readonly Message[]> {
  return async ({ most, waitSeconds, hiddenSeconds }) => {
    const { Messages = [] } = await client.send(
      new ReceiveMessageCommand({
        QueueUrl,
        MaxNumberOfMessages: most,
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
const CALLS = 10;

/** Does something to messages, a batch in one call. Answers what each batch came to. */
export async function inBatches<Item, Result>(
  items: readonly Item[],
  each: (batch: readonly Item[]) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (let from = 0; from < items.length; from += CALLS * BATCH) {
    const part = items.slice(from, from + CALLS * BATCH);
    const starts = Array.from({ length: Math.ceil(part.length / BATCH) }, (_, batch) => batch * BATCH);
    results.push(...(await Promise.all(starts.map(start => each(part.slice(start, start + BATCH))))));
  }
  return results;
}
