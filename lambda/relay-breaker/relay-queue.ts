import {
  ChangeMessageVisibilityBatchCommand,
  DeleteMessageBatchCommand,
  GetQueueAttributesCommand,
  type Message,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { inBatches, messageReceiver, type ReceiveOptions } from '../shared/queue-messages';

/** The relay's queue, as its breaker uses it. */
export interface RelayQueue {
  readonly receive: (how: ReceiveOptions) => Promise<readonly Message[]>;
  readonly remove: (messages: readonly Message[]) => Promise<void>;
  /** Makes messages visible again. */
  readonly putBack: (messages: readonly Received[]) => Promise<void>;
  /** How many messages somebody has, or wait to be tried again. */
  readonly inFlight: () => Promise<number>;
}

/** What SQS needs to know of a message to do something with it. */
export type Received = Pick<Message, 'ReceiptHandle'>;

function entries(messages: readonly Received[]) {
  return messages.map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle }));
}

export function relayQueue(client: SQSClient, QueueUrl: string): RelayQueue {
  return {
    receive: messageReceiver(client, QueueUrl),
    // What is not deleted comes back, and is attended to once more: as with any consumer.
    remove: async messages => {
      await inBatches(messages, batch =>
        client.send(new DeleteMessageBatchCommand({ QueueUrl, Entries: entries(batch) })),
      );
    },
    putBack: async messages => {
      await inBatches(messages, batch => {
        const Entries = entries(batch).map(entry => ({ ...entry, VisibilityTimeout: 0 }));
        return client.send(new ChangeMessageVisibilityBatchCommand({ QueueUrl, Entries }));
      });
    },
    inFlight: async () => {
      const AttributeNames = ['ApproximateNumberOfMessagesNotVisible' as const];
      const { Attributes } = await client.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames }));
      return Number(Attributes?.ApproximateNumberOfMessagesNotVisible ?? 0);
    },
  };
}
