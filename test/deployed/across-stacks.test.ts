import { SetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import { Stack } from 'aws-cdk-lib';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { DeadLetterAccess, DeadLetterQueue, DurableTopic, ImportedDeadLetterQueue } from '../../lib';
import { assemblyOf } from '../support/assembly';
import { Deployed } from '../support/deployed';
import { inlineFunction } from '../support/inline-function';

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

    // What the synthesis says to add, before it is told that it is there.
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
