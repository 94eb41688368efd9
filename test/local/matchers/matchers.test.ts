import { ListSubscriptionsCommand, UnsubscribeCommand } from '@aws-sdk/client-sns';
import { PurgeQueueCommand, ReceiveMessageCommand, StartMessageMoveTaskCommand } from '@aws-sdk/client-sqs';
import type { Stack } from 'aws-cdk-lib';
import { Alarm } from 'aws-cdk-lib/aws-cloudwatch';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { SqsSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { type LocalAwsMatchers, matchers } from '../../../local/matchers';
import { Deployed } from '../../support/deployed';

declare global {
  namespace jest {
    interface Matchers<R> extends LocalAwsMatchers<R> {}
  }
}

expect.extend(matchers);

/** One subscription keeps its dead letters, the other loses them. */
function shop(stack: Stack): void {
  const topic = new Topic(stack, 'Topic');
  new Topic(stack, 'Alarms', { topicName: 'alarms' });
  const deadLetterQueue = new Queue(stack, 'Dead', { queueName: 'dead' });
  topic.addSubscription(new SqsSubscription(new Queue(stack, 'Kept', { queueName: 'kept' }), { deadLetterQueue }));
  new Queue(stack, 'Retried', { deadLetterQueue: { queue: deadLetterQueue, maxReceiveCount: 1 } });
  topic.addSubscription(new SqsSubscription(new Queue(stack, 'Lost', { queueName: 'lost' })));
  new Alarm(stack, 'Alarm', {
    alarmName: 'DeadLetters',
    metric: deadLetterQueue.metricNumberOfMessagesSent(),
    threshold: 1,
    evaluationPeriods: 1,
  });
}

describe('matchers', () => {
  let deployed: Deployed;
  beforeEach(async () => {
    deployed = await Deployed.stack(shop);
  });

  const breakBoth = async () => {
    for (const queue of ['Kept', 'Lost']) await deployed.takeQueuePolicyAway(queue);
    deployed.aws.publish('Test/Topic', { order: 1 });
    await deployed.advance({ minutes: 10 });
  };

  test('count what was lost and dead-lettered, and see alarms', async () => {
    const { aws } = deployed;
    expect(aws).toHaveLost(0);
    expect(aws).not.toHaveLost();
    expect(() => expect(aws).toHaveAlarmed('Alarm')).toThrow(
      'expected the alarm Alarm to go into ALARM; alarms that did: none',
    );
    await breakBoth();
    expect(aws).toHaveLost(1);
    expect(aws).toHaveDeadLettered();
    expect(aws).toHaveDeadLettered(1, 'dead');
    expect(aws).toHaveDeadLettered(1, 'Test/Dead');
    expect(aws).toHaveDeadLettered(0, 'lost');
    for (const name of ['DeadLetters', 'Alarm', 'Test/Alarm']) expect(aws).toHaveAlarmed(name);
    expect(aws.alarm('Test/Alarm')).toMatchObject({ name: 'DeadLetters' });
    expect(() => expect(aws).toHaveLost(0)).toThrow(/expected 0 lost messages, got 1\n.*"type":"sns\.lost"/);
    expect(() => expect(aws).not.toHaveAlarmed()).toThrow(
      'expected any alarm not to go into ALARM; alarms that did: DeadLetters',
    );
  });

  test('count a message once that dies again after a redrive, but each of its arrivals', async () => {
    const { aws, sqs } = deployed;
    await breakBoth();
    const SourceArn = String(aws.resource('dead').attributes['Arn']);
    const DestinationArn = String(aws.resource('Test/Retried').attributes['Arn']);
    await sqs.send(new StartMessageMoveTaskCommand({ SourceArn, DestinationArn }));
    await deployed.advance({ minutes: 1 });
    const receive = new ReceiveMessageCommand({ QueueUrl: deployed.ref('Retried'), VisibilityTimeout: 1 });
    for (let i = 0; i < 2; i += 1) {
      await sqs.send(receive);
      await deployed.advance({ seconds: 2 });
    }
    expect(aws).toHaveDeadLettered(1, 'dead');
    expect(aws).toHaveDeadLettered(1);
    expect(aws).toHaveDeadLetterArrivals(2, 'dead');
    expect(() => expect(aws).not.toHaveDeadLetterArrivals()).toThrow('at least one arrivals of dead-letter messages');
    await aws.destroy('Test');
    expect(aws).toHaveDeadLettered(1, 'dead');
  });

  test('count what is published to a topic without subscriptions, as lost once the last one was deleted', async () => {
    const { aws, sns } = deployed;
    aws.publish('Test/Alarms', 'never subscribed');
    expect(aws).toHaveLost(0);
    const { Subscriptions = [] } = await sns.send(new ListSubscriptionsCommand({}));
    for (const { SubscriptionArn } of Subscriptions) await sns.send(new UnsubscribeCommand({ SubscriptionArn }));
    aws.publish('Test/Topic', 'no longer subscribed');
    expect(aws).toHaveLost(1);
    expect(aws).toHaveUnreceived(2);
    expect(aws).toHaveUnreceived(1, 'alarms');
    expect(aws).toHaveUnreceived(1, 'Test/Topic');
    expect(() => expect(aws).not.toHaveUnreceived(1, 'alarms')).toThrow('not 1 messages without a receiver of alarms');
  });

  test.each<[string, (deployed: Deployed) => unknown]>([
    ['a purge', ({ sqs }) => sqs.send(new PurgeQueueCommand({ QueueUrl: deployed.ref('Kept') }))],
    ['a deleted queue', ({ aws }) => aws.destroy('Test')],
  ])('count the messages that %s destroys', async (_, destroy) => {
    const { aws } = deployed;
    for (const text of ['a', 'b']) aws.send('kept', text);
    await destroy(deployed);
    expect(aws).toHaveLost(2);
  });

  test.each<[() => void, string]>([
    [() => expect('text').toHaveLost(0), 'the matchers take a LocalAws'],
    [() => expect(deployed.aws).toHaveLost(-1), 'count must be a whole number of 0 or more, got -1'],
    [
      () => expect(deployed.aws).toHaveDeadLettered(0, 'typo'),
      'there is no queue "typo"; the nearest: Test/Dead, Test/Kept, Test/Retried',
    ],
    [() => expect(deployed.aws).toHaveDeadLettered(0, 'Test/Topic'), 'there is no queue "Test/Topic"'],
    [() => expect(deployed.aws).not.toHaveUnreceived(1, 'typo'), 'there is no topic "typo"'],
    [
      () => expect(deployed.aws).not.toHaveAlarmed('DeadLetter'),
      'there is no alarm "DeadLetter"; the nearest: Test/Alarm',
    ],
  ])('refuse other input', (act, message) => {
    expect(act).toThrow(message);
  });

  test('come with a way to publish, to drain a queue and to read the trace', async () => {
    const { aws } = deployed;
    aws.publish('Test/Topic', 'hello', { attributes: { kind: 'greeting' } });
    await aws.advance({ seconds: 1 });
    const [message, ...others] = aws.drain('kept');
    expect(others).toEqual([]);
    expect(message).toMatchObject({ receiveCount: 1, attributes: {} });
    expect(JSON.parse(message?.body ?? '')).toMatchObject({ Message: 'hello' });
    expect(aws.drain('Test/Kept')).toEqual([]);
    expect(() => aws.drain('keep')).toThrow(
      'there is no queue "keep"; the nearest: Test/Kept, Test/Dead, Test/Retried',
    );
    expect(() => aws.publish('topic', 'x')).toThrow('there is no topic "topic"');
    const text = aws.trace.toText(({ type }) => type === 'sqs.sent');
    expect(text).toMatch(/^2026-01-01 00:00:00\.000 {2}sqs\.sent {18}queue=kept message=[0-9a-f]{8} /m);
  });
});
