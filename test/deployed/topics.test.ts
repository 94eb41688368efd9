import { SetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import { type App, Stack } from 'aws-cdk-lib';
import { Key } from 'aws-cdk-lib/aws-kms';
import { FifoThroughputScope, type ITopic, Topic } from 'aws-cdk-lib/aws-sns';
import { SqsSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { DeadLetterAccess, DeadLetterQueue, DurableTopic, ImportedDeadLetterQueue, ImportedTopic } from '../../lib';
import { assemblyOf } from '../support/assembly';
import { Deployed } from '../support/deployed';
import { inlineFunction } from '../support/inline-function';

describe('durable fifo topic', () => {
  const ORDERED = 'Prices/Deliveries/Ordered/DeadLetterQueue';
  const UNORDERED = 'Prices/Deliveries/Unordered/DeadLetterQueue';

  const ofCar = (car: string, MessageDeduplicationId?: string) => ({
    MessageGroupId: car,
    ...(MessageDeduplicationId !== undefined && { MessageDeduplicationId }),
  });

  function deploy(fifoThroughputScope = FifoThroughputScope.TOPIC): Promise<Deployed> {
    return Deployed.stack(stack => {
      const fifo = { fifo: true, contentBasedDeduplication: true };
      const topic = new DurableTopic(stack, 'Prices', { ...fifo, fifoThroughputScope });
      topic.deliverToQueue('Ordered', new Queue(stack, 'Updates', { fifo: true }), { rawMessageDelivery: true });
      topic.deliverToQueue('Unordered', new Queue(stack, 'Archive'), { rawMessageDelivery: true });
    });
  }

  /** aws-semantics 4 and 7: the reason why `sharedDeadLetterQueue` is refused for a FIFO topic. */
  test('A FIFO dead-letter queue of two subscriptions of one FIFO topic drops the second dead letter of a message', async () => {
    const deployed = await Deployed.stack(stack => {
      const topic = new Topic(stack, 'Prices', { fifo: true, contentBasedDeduplication: true });
      const deadLetterQueue = new Queue(stack, 'Dead', { fifo: true });
      for (const id of ['One', 'Other'])
        topic.addSubscription(new SqsSubscription(new Queue(stack, id, { fifo: true }), { deadLetterQueue }));
    });
    for (const id of ['One', 'Other']) await deployed.takeQueuePolicyAway(id);
    await deployed.publish('Prices', '10', ofCar('car-1'));
    await deployed.aws.runUntilIdle();
    expect(deployed.happened('sns.dead-lettered')).toHaveLength(2);
    expect(await deployed.receive('Dead')).toHaveLength(1);
    await deployed.close();
  });

  /** aws-semantics 4. */
  describe('A FIFO DurableTopic', () => {
    test('keeps each group in order through an outage of its queue', async () => {
      const deployed = await deploy();
      const untilMs = deployed.aws.nowMs + 30_000;
      deployed.aws.faults.set({ service: 'sqs', action: 'SendMessage', resource: deployed.arn('Updates'), untilMs });
      for (const price of ['10', '11', '12']) await deployed.publish('Prices', price, ofCar('car-1'));
      await deployed.aws.runUntilIdle();
      expect(await deployed.take('Updates')).toEqual(['10', '11', '12']);
      expect(await deployed.take(ORDERED)).toEqual([]);
    });

    test('keeps order, group and deduplication id of what dies, in a FIFO dead-letter queue', async () => {
      const deployed = await deploy();
      await deployed.takeQueuePolicyAway('Updates');
      for (const [price, car] of [
        ['10', 'car-1'],
        ['20', 'car-2'],
        ['11', 'car-1'],
      ] as const) {
        await deployed.publish('Prices', price, ofCar(car, `id-${price}`));
      }
      await deployed.aws.runUntilIdle();
      const messages = (await deployed.receive(ORDERED)).map(({ Body, Attributes }) => [
        Attributes?.['MessageGroupId'],
        Body,
        Attributes?.['MessageDeduplicationId'],
      ]);
      expect(messages.filter(([car]) => car === 'car-1')).toEqual([
        ['car-1', '10', 'id-10'],
        ['car-1', '11', 'id-11'],
      ]);
      expect(messages.filter(([car]) => car === 'car-2')).toEqual([['car-2', '20', 'id-20']]);
      expect(deployed.happened('sns.lost')).toEqual([]);
    });

    test('keeps what a standard queue did not get in a standard dead-letter queue, without the group', async () => {
      const deployed = await deploy();
      await deployed.takeQueuePolicyAway('Archive');
      await deployed.publish('Prices', '10', ofCar('car-1'));
      await deployed.aws.runUntilIdle();
      const [message, ...others] = await deployed.receive(UNORDERED);
      expect(others).toEqual([]);
      expect(message?.Body).toBe('10');
      expect(message?.Attributes).not.toHaveProperty('MessageGroupId');
      expect(await deployed.take('Updates')).toEqual(['10']);
    });
  });
});

const ORDERS = 'arn:aws:sns:us-east-1:123456789012:orders';

/** Deploys a topic of one team, made with plain aws-cdk-lib, and a stack of another team that imports it and subscribes a queue. */
function deploy(subscribe: (topic: ITopic, queue: Queue, stack: Stack) => unknown): Promise<Deployed> {
  const fill = (app: App) => {
    const owner = new Stack(app, 'Owner');
    new Topic(owner, 'Topic', { topicName: 'orders' });
    const stack = new Stack(app, 'Test');
    stack.node.addDependency(owner);
    subscribe(Topic.fromTopicArn(stack, 'OrdersTopic', ORDERS), new Queue(stack, 'Queue'), stack);
  };
  return Deployed.assembly(assemblyOf(fill));
}

const MESSAGES = 'Orders/Deliveries/ToQueue/DeadLetterQueue';

const ours = () =>
  deploy((topic, queue, stack) => new ImportedTopic(stack, 'Orders', { topic }).deliverToQueue('ToQueue', queue));

async function publish(deployed: Deployed, message: string): Promise<void> {
  await deployed.publish('/Owner/Topic', message);
  await deployed.advance({ minutes: 5 });
}

describe('A topic of another stack, imported as an ImportedTopic', () => {
  test('keeps what the queue cannot take, once somebody has broken its policy, and says so', async () => {
    const deployed = await ours();
    await deployed.takeQueuePolicyAway('Queue');
    await publish(deployed, 'an order');
    expect((await deployed.take(MESSAGES)).map(body => JSON.parse(body).Message)).toEqual(['an order']);
    expect(deployed.happened('sns.lost')).toEqual([]);
    expect(deployed.alarmed(`${MESSAGES}/ArrivalsAlarm`)).toHaveLength(1);
    expect(deployed.alarmed('Orders/LostMessagesAlarm')).toEqual([]);
  });

  test('tells of a message that not even the dead-letter queue could take', async () => {
    const deployed = await ours();
    await deployed.takeQueuePolicyAway('Queue');
    await deployed.takeQueuePolicyAway(MESSAGES);
    await publish(deployed, 'an order');
    expect(deployed.happened('sns.lost')).toHaveLength(1);
    expect(deployed.alarmed('Orders/LostMessagesAlarm')).toHaveLength(1);
  });
});

const ENV = { account: '123456789012', region: 'us-east-1' };
const SHARED_NAME = 'Shared-DLQ';
const SHARED_ARN = `arn:aws:sqs:us-east-1:123456789012:${SHARED_NAME}`;

describe('a topic and its subscribers in different stacks, with a key in a third', () => {
  let deployed: Deployed;

  beforeAll(async () => {
    const assembly = assemblyOf(app => {
      const key = new Key(new Stack(app, 'Keys', { env: ENV }), 'Key');
      const work = new Stack(app, 'Work', { env: ENV });
      const test = new Stack(app, 'Test', { env: ENV });
      const topic = new DurableTopic(test, 'Orders', { masterKey: key });
      topic.deliverToQueue('Fulfilment', new Queue(work, 'Queue', { encryptionMasterKey: key }));
      topic.deliverToFunction('Billing', inlineFunction(work, 'Handler', 'exports.handler = async () => {};'));
    });
    deployed = await Deployed.assembly(assembly);
  });

  const subscription = (endpoint: string) =>
    deployed.happened('sns.subscribed').find(it => it.endpoint === endpoint)?.subscriptionArn;

  test('has its deliveries beside the subscribers, and they work', async () => {
    const messageId = await deployed.publish('Orders', 'an order');
    await deployed.aws.runUntilIdle();
    expect(await deployed.take('/Work/Queue')).toHaveLength(1);
    const delivered = deployed.happened('sns.delivered').filter(it => it.messageId === messageId);
    expect(delivered.map(({ subscriptionArn }) => subscriptionArn).sort()).toEqual(
      [subscription(deployed.arn('/Work/Queue')), subscription(deployed.arn('/Work/Handler'))].sort(),
    );
    const work = deployed.aws.stacks.find(({ name }) => name === 'Work');
    const types = [...(work?.resources.values() ?? [])].map(({ type }) => type);
    expect(types.filter(type => type === 'AWS::SNS::Subscription')).toHaveLength(2);
  });

  test('keeps what cannot be delivered in a dead-letter queue there, encrypted with the topic’s key', async () => {
    await deployed.takeQueuePolicyAway('/Work/Queue');
    const messageId = await deployed.publish('Orders', 'an order');
    await deployed.aws.runUntilIdle();
    expect(deployed.happened('sns.dead-lettered')).toMatchObject([
      { messageId, subscriptionArn: subscription(deployed.arn('/Work/Queue')) },
    ]);
    expect(deployed.happened('sns.lost')).toEqual([]);
  });
});

describe('a dead-letter queue that is', () => {
  test('shared by deliveries keeps the dead letters of each', async () => {
    const deployed = await Deployed.stack(stack => {
      const deadLetterQueue = new DeadLetterQueue(stack, 'Shared', { encryptionMasterKey: new Key(stack, 'Key') });
      for (const id of ['Orders', 'Returns']) {
        new DurableTopic(stack, id).deliverToQueue('Queue', new Queue(stack, `${id}Queue`), {
          deadLetterQueue,
          rawMessageDelivery: true,
        });
      }
    });
    for (const id of ['Orders', 'Returns']) {
      await deployed.takeQueuePolicyAway(`${id}Queue`);
      await deployed.publish(id, `one of ${id}`);
    }
    await deployed.aws.runUntilIdle();
    expect([...(await deployed.take('Shared'))].sort()).toEqual(['one of Orders', 'one of Returns']);
  });

  test('whose owner has not let the topic in yet loses its dead letters, and the alarm tells, until it has', async () => {
    const assembly = assemblyOf(app => {
      new Queue(new Stack(app, 'Elsewhere'), 'Shared', { queueName: SHARED_NAME });
      const stack = new Stack(app, 'Test');
      const deadLetterQueue = new ImportedDeadLetterQueue(stack, 'Shared', {
        queue: Queue.fromQueueArn(stack, 'SharedQueue', SHARED_ARN),
        access: DeadLetterAccess.GRANTED_ELSEWHERE,
      });
      new DurableTopic(stack, 'Orders').deliverToQueue('Queue', new Queue(stack, 'Queue'), { deadLetterQueue });
    });
    const deployed = await Deployed.assembly(assembly);
    await deployed.takeQueuePolicyAway('Queue');
    await deployed.publish('Orders', 'lost');
    await deployed.advance({ minutes: 2 });
    expect(deployed.happened('sns.lost')).toHaveLength(1);
    expect(deployed.alarmed('Orders/LostMessagesAlarm')).toHaveLength(1);

    // The statement that synthesis says to add, until `GRANTED_ELSEWHERE` is set.
    const statement = {
      Effect: 'Allow',
      Principal: { Service: 'sns.amazonaws.com' },
      Action: 'sqs:SendMessage',
      Resource: SHARED_ARN,
      Condition: { ArnEquals: { 'aws:SourceArn': deployed.ref('Orders') } },
    };
    const Policy = JSON.stringify({ Version: '2012-10-17', Statement: [statement] });
    await deployed.sqs.send(
      new SetQueueAttributesCommand({ QueueUrl: deployed.ref('/Elsewhere/Shared'), Attributes: { Policy } }),
    );
    await deployed.publish('Orders', 'kept');
    await deployed.aws.runUntilIdle();
    expect((await deployed.take('/Elsewhere/Shared')).map(body => JSON.parse(body).Message)).toEqual(['kept']);
    expect(deployed.happened('sns.lost')).toHaveLength(1);
  });
});
