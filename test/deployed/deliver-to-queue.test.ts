import { DeleteQueueCommand, GetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import type { Stack } from 'aws-cdk-lib';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { SqsSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { DurableTopic } from '../../lib';
import { Deployed } from '../support/deployed';

const ORDER = '{"orderId":"A-1","customer":"Zoë O\'Brien"}';
const ATTRIBUTES = { 'order-status': { DataType: 'String', StringValue: 'confirmed' } };

/** One customer-managed key for everything but one queue, and each queue with a fate of its own. */
function durable(stack: Stack): void {
  const key = new Key(stack, 'Key');
  const topics = new Map(
    ['Calm', 'Orders', 'Sabotaged'].map(id => [id, new DurableTopic(stack, id, { masterKey: key })]),
  );
  const deliver = (topic: string, id: string, { encryptionMasterKey = key, rawMessageDelivery = false } = {}) =>
    topics
      .get(topic)
      ?.deliverToQueue(id, new Queue(stack, `${id}Queue`, { encryptionMasterKey }), { rawMessageDelivery });
  deliver('Calm', 'Enveloped');
  deliver('Calm', 'Bare', { rawMessageDelivery: true });
  deliver('Orders', 'Witness');
  deliver('Orders', 'Unlocked');
  deliver('Orders', 'Deleted');
  deliver('Orders', 'Vault', { encryptionMasterKey: new Key(stack, 'VaultKey') });
  deliver('Orders', 'Raw', { rawMessageDelivery: true });
  deliver('Sabotaged', 'Lost');
}

const deadLetters = (id: string) => `Orders/Deliveries/${id}/DeadLetterQueue`;
const FAILING = ['Unlocked', 'Deleted', 'Vault', 'Raw'];

describe('deliverToQueue, with a customer-managed key on topic, queue and dead-letter queue', () => {
  let deployed: Deployed;

  beforeAll(async () => {
    deployed = await Deployed.stack(durable);
  });

  test('delivers, enveloped and raw, and nothing is a dead letter', async () => {
    const messageId = await deployed.publish('Calm', ORDER, { MessageAttributes: ATTRIBUTES });
    await deployed.aws.runUntilIdle();
    const [body = '', ...others] = await deployed.take('EnvelopedQueue');
    expect(others).toEqual([]);
    expect(JSON.parse(body)).toMatchObject({ Type: 'Notification', MessageId: messageId, Message: ORDER });
    expect(await deployed.take('BareQueue')).toEqual([ORDER]);
    expect(deployed.happened('sns.dead-lettered').filter(it => it.messageId === messageId)).toEqual([]);
  });

  test('encrypts its own dead-letter queues with the topic’s key', async () => {
    const { Attributes } = await deployed.sqs.send(
      new GetQueueAttributesCommand({
        QueueUrl: deployed.ref(deadLetters('Witness')),
        AttributeNames: ['KmsMasterKeyId'],
      }),
    );
    expect(Attributes).toEqual({ KmsMasterKeyId: deployed.arn('Key') });
  });

  describe('once a queue’s policy, its key or the queue itself is gone', () => {
    let messageId: string;
    let failedAt: number;

    beforeAll(async () => {
      await deployed.takeQueuePolicyAway('UnlockedQueue');
      await deployed.takeQueuePolicyAway('RawQueue');
      await deployed.sqs.send(new DeleteQueueCommand({ QueueUrl: deployed.ref('DeletedQueue') }));
      deployed.aws.services.kms.disableKey(deployed.ref('VaultKey'));
      failedAt = deployed.seconds;
      messageId = await deployed.publish('Orders', ORDER, { MessageAttributes: ATTRIBUTES });
      await deployed.advance({ minutes: 2 });
    });

    test('keeps the exact body the queue would have received', async () => {
      const [received = ''] = await deployed.take('WitnessQueue');
      expect(JSON.parse(received).MessageId).toBe(messageId);
      const subscription = (id: string) => deployed.ref(`Orders/Deliveries/${id}/Subscription`);
      for (const id of ['Unlocked', 'Deleted', 'Vault']) {
        const [message, ...others] = await deployed.receive(deadLetters(id));
        expect(others).toEqual([]);
        expect(message?.Body).toBe(received.replace(subscription('Witness'), subscription(id)));
        expect(message?.MessageAttributes).toBeUndefined();
      }
      const [raw] = await deployed.receive(deadLetters('Raw'));
      expect(raw?.Body).toBe(ORDER);
      expect(raw?.MessageAttributes).toEqual({ 'order-status': expect.objectContaining({ StringValue: 'confirmed' }) });
      expect(await deployed.receive(deadLetters('Witness'))).toEqual([]);
    });

    test('tries none of them again, and says why each failed', () => {
      const dead = deployed.happened('sns.dead-lettered').filter(it => it.messageId === messageId);
      const idOf = (arn: string) => FAILING.find(id => deployed.ref(`Orders/Deliveries/${id}/Subscription`) === arn);
      const causes = dead.map(({ subscriptionArn, attempts, cause }) => [
        idOf(subscriptionArn),
        attempts,
        cause.errorCode,
      ]);
      expect(causes).toHaveLength(4);
      expect(causes).toEqual(
        expect.arrayContaining([
          ['Unlocked', 1, 'AccessDenied'],
          ['Raw', 1, 'AccessDenied'],
          ['Deleted', 1, 'AWS.SimpleQueueService.NonExistentQueue'],
          ['Vault', 1, 'KMS.DisabledException'],
        ]),
      );
    });

    test('raises the alarm of each dead-letter queue that got one within the minute, and no other', async () => {
      for (const id of FAILING) {
        const [at = Number.NaN, ...others] = deployed.alarmed(`${deadLetters(id)}/ArrivalsAlarm`);
        expect(at - failedAt).toBeLessThanOrEqual(60);
        expect(others).toEqual([]);
      }
      expect(deployed.alarmed(`${deadLetters('Witness')}/ArrivalsAlarm`)).toEqual([]);
      expect(deployed.alarmed('Orders/LostMessagesAlarm')).toEqual([]);
      expect(await deployed.topicSum('Orders', 'NumberOfNotificationsRedrivenToDlq')).toBe(4);
      expect(await deployed.topicSum('Orders', 'NumberOfNotificationsFailedToRedriveToDlq')).toBe(0);
    });
  });

  test('raises the lost-messages alarm once a dead-letter queue itself is out of reach', async () => {
    await deployed.takeQueuePolicyAway('LostQueue');
    await deployed.takeQueuePolicyAway('Sabotaged/Deliveries/Lost/DeadLetterQueue');
    const sabotagedAt = deployed.seconds;
    const messageId = await deployed.publish('Sabotaged', ORDER);
    await deployed.advance({ minutes: 2 });
    expect(deployed.happened('sns.lost')).toMatchObject([{ messageId, cause: { errorCode: 'AccessDenied' } }]);
    expect(await deployed.topicSum('Sabotaged', 'NumberOfNotificationsFailedToRedriveToDlq')).toBe(1);
    const [at = Number.NaN] = deployed.alarmed('Sabotaged/LostMessagesAlarm');
    expect(at - sabotagedAt).toBeLessThanOrEqual(60);
  });
});

/** With ours it is an error: deadLetterQueue must be another queue than the one delivered to. */
test('a queue that is its own dead-letter queue loses what it cannot take, with plain aws-cdk-lib', async () => {
  const deployed = await Deployed.stack(stack => {
    const queue = new Queue(stack, 'Queue');
    new Topic(stack, 'Orders').addSubscription(new SqsSubscription(queue, { deadLetterQueue: queue }));
  });
  await deployed.takeQueuePolicyAway('Queue');
  const messageId = await deployed.publish('Orders', ORDER);
  await deployed.aws.runUntilIdle();
  expect(deployed.happened('sns.lost')).toMatchObject([{ messageId, cause: { errorCode: 'AccessDenied' } }]);
});
