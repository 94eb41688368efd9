import { DynamoDB } from '@aws-sdk/client-dynamodb';
import { KMS } from '@aws-sdk/client-kms';
import { type Message, SQS } from '@aws-sdk/client-sqs';
import { FleetClient, type FleetClientOptions } from '../../fleet';
import { LocalAws } from '../../local';
import type { FleetSettings } from '../../policy/fleet/fleet-settings';
import { TABLE } from './fleet-account';
import { SETTINGS } from './fleet-settings';

/** A simulation with the table, the key and the queues of a fleet, and clients of it. */
export async function clientAccount(others: Partial<FleetSettings> = {}) {
  const aws = LocalAws.start();
  const [dynamoDb, kms, sqs] = [
    new DynamoDB({ ...aws.clientConfig(), maxAttempts: 1 }),
    new KMS(aws.clientConfig()),
    new SQS(aws.clientConfig()),
  ];
  await dynamoDb.createTable(TABLE);
  const { KeyMetadata } = await kms.createKey({});
  const queue = async (QueueName: string) => (await sqs.createQueue({ QueueName })).QueueUrl ?? '';
  await aws.advance({ minutes: 1 });
  const settings: FleetSettings = {
    ...SETTINGS,
    fleetName: 'shop',
    keyArn: KeyMetadata?.Arn ?? '',
    eventsQueueUrl: await queue('events'),
    deliveriesQueueUrl: await queue('deliveries'),
    deadLetterQueueUrl: await queue('dead-letters'),
    attemptRetentionSeconds: 7 * 86_400,
    logsBodies: true,
    ...others,
  };
  const clientOf = (options: Partial<FleetClientOptions> = {}, changed: Partial<FleetSettings> = {}) => {
    let random = 0;
    const machine = {
      nowMs: () => aws.nowMs,
      wait: async () => {},
      freshBytes: (count: number) => {
        random += 1;
        return new Uint8Array(count).fill(random);
      },
    };
    return new FleetClient({
      dynamoDb,
      kms,
      sqs,
      machine,
      settings: JSON.stringify({ ...settings, ...changed }),
      ...options,
    });
  };
  /** Receives and deletes all messages of a queue. */
  const drained = async (QueueUrl: string) => {
    const found: Message[] = [];
    for (;;) {
      const { Messages = [] } = await sqs.receiveMessage({
        QueueUrl,
        MaxNumberOfMessages: 10,
        MessageSystemAttributeNames: ['All'],
      });
      if (Messages.length === 0) return found;
      found.push(...Messages);
      for (const { ReceiptHandle } of Messages) await sqs.deleteMessage({ QueueUrl, ReceiptHandle });
    }
  };
  return { aws, dynamoDb, kms, sqs, settings, clientOf, client: clientOf(), drained };
}
