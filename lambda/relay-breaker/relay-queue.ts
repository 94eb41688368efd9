import {
  ChangeMessageVisibilityBatchCommand,
  DeleteMessageBatchCommand,
  GetQueueAttributesCommand,
  type Message,
  ReceiveMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';

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

/** The relay's queue, as its breaker uses it. */
export interface RelayQueue {
  readonly receive: (how: Receiving) => Promise<readonly Message[]>;
  readonly remove: (messages: readonly Message[]) => Promise<void>;
  /** Makes messages visible again. */
  readonly putBack: (messages: readonly Message[]) => Promise<void>;
  /** How many messages somebody has, or wait to be tried again. */
  readonly inFlight: () => Promise<number>;
}

function entries(messages: readonly Message[]) {
  return messages.map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle }));
}

/** So many calls at once: our choice, so that thousands of messages take seconds. */
const CALLS = 10;

async function inBatches(
  messages: readonly Message[],
  each: (batch: readonly Message[]) => Promise<void>,
): Promise<void> {
  for (let from = 0; from < messages.length; from += CALLS * BATCH) {
    const part = messages.slice(from, from + CALLS * BATCH);
    const starts = Array.from({ length: Math.ceil(part.length / BATCH) }, (_, batch) => batch * BATCH);
    await Promise.all(starts.map(start => each(part.slice(start, start + BATCH))));
  }
}

export function relayQueue(client: SQSClient, QueueUrl: string): RelayQueue {
  return {
    receive: async ({ most, waitSeconds, hiddenSeconds }) => {
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
    },
    // What is not deleted comes back, and is attended to once more: as with any consumer.
    remove: messages =>
      inBatches(messages, async batch => {
        await client.send(new DeleteMessageBatchCommand({ QueueUrl, Entries: entries(batch) }));
      }),
    putBack: messages =>
      inBatches(messages, async batch => {
        const Entries = entries(batch).map(entry => ({ ...entry, VisibilityTimeout: 0 }));
        await client.send(new ChangeMessageVisibilityBatchCommand({ QueueUrl, Entries }));
      }),
    inFlight: async () => {
      const AttributeNames = ['ApproximateNumberOfMessagesNotVisible' as const];
      const { Attributes } = await client.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames }));
      return Number(Attributes?.ApproximateNumberOfMessagesNotVisible ?? 0);
    },
  };
}
