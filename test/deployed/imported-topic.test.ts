import { type App, Stack } from 'aws-cdk-lib';
import { type ITopic, Topic } from 'aws-cdk-lib/aws-sns';
import { SqsSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { ImportedTopic } from '../../lib';
import { assemblyOf } from '../support/assembly';
import { Deployed } from '../support/deployed';

const ORDERS = 'arn:aws:sns:us-east-1:123456789012:orders';

/** One team has a topic, made with plain aws-cdk-lib; another one imports it in its own stack, and gets a queue subscribed. */
function deploy(subscribe: (topic: ITopic, queue: Queue, stack: Stack) => unknown): Promise<Deployed> {
  const fill = (app: App) => {
    const owner = new Stack(app, 'Owner');
    new Topic(owner, 'Topic', { topicName: 'orders' });
    const stack = new Stack(app, 'Test');
    stack.addStackDependency(owner);
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
  test('delivers', async () => {
    const deployed = await ours();
    await publish(deployed, 'an order');
    expect((await deployed.take('Queue')).map(body => JSON.parse(body).Message)).toEqual(['an order']);
    expect(deployed.happened('cloudwatch.alarm-state-changed').filter(({ to }) => to === 'ALARM')).toEqual([]);
  });

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

describe('The same topic, imported by aws-cdk-lib alone', () => {
  test('loses the message, and nobody is told', async () => {
    const deployed = await deploy((topic, queue) => topic.addSubscription(new SqsSubscription(queue)));
    await deployed.takeQueuePolicyAway('Queue');
    await publish(deployed, 'an order');
    expect(deployed.happened('sns.lost')).toHaveLength(1);
    expect(deployed.happened('cloudwatch.alarm-state-changed')).toEqual([]);
  });

  test('keeps it in a dead-letter queue, of which nobody is told either', async () => {
    const deployed = await deploy((topic, queue, stack) => {
      topic.addSubscription(new SqsSubscription(queue, { deadLetterQueue: new Queue(stack, 'Dlq') }));
    });
    await deployed.takeQueuePolicyAway('Queue');
    await publish(deployed, 'an order');
    expect(await deployed.take('Dlq')).toHaveLength(1);
    expect(deployed.happened('cloudwatch.alarm-state-changed')).toEqual([]);
  });
});
