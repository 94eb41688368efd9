import { PublishCommand, SNSClient } from '@aws-sdk/client-sns';
import { ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { SqsSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { LocalAws } from '../../../../local';
import { assemblyOfStack } from '../../../support/assembly';

const TOPIC = 'arn:aws:sns:us-east-1:123456789012:events';

/** A topic that delivers to a queue. */
async function shop() {
  const assembly = assemblyOfStack(stack => {
    const topic = new Topic(stack, 'Events', { topicName: 'events' });
    topic.addSubscription(new SqsSubscription(new Queue(stack, 'Orders', { queueName: 'orders' })));
  });
  const aws = await LocalAws.deploy(assembly);
  const sns = new SNSClient(aws.clientConfig());
  const publish = () => sns.send(new PublishCommand({ TopicArn: TOPIC, Message: 'x' }));
  /** When SNS had delivered, in milliseconds after the start. */
  const deliveredMs = () =>
    aws.trace.events.filter(({ type }) => type === 'sns.delivered').map(({ atMs }) => atMs - Date.UTC(2026, 0, 1));
  return { aws, publish, deliveredMs };
}

describe('a fault holds towards other services too', () => {
  it('a slow queue keeps SNS waiting', async () => {
    const { aws, publish, deliveredMs } = await shop();
    aws.faults.set({ service: 'sqs', action: 'SendMessage', latencyMs: 3_000 });
    await publish();
    await aws.advance({ seconds: 10 });
    expect(deliveredMs()).toEqual([3_000]);
    await aws.close();
  });

  it('a queue that throttles is tried again until it does not, as a server’s error is (aws-semantics.md, section 3)', async () => {
    const { aws, publish, deliveredMs } = await shop();
    aws.faults.set({ service: 'sqs', throttle: true, untilMs: aws.nowMs + 1_500 });
    await publish();
    await aws.advance({ seconds: 60 });
    const attempts = aws.trace.events.filter(({ type }) => type === 'sns.attempt');
    expect(attempts.length).toBeGreaterThan(1);
    expect(attempts[0]).toMatchObject({ outcome: 'retry', reason: expect.stringContaining('RequestThrottled') });
    expect(deliveredMs()).toHaveLength(1);
    await aws.close();
  });

  it('a slow service keeps its own clients waiting, for as long as virtual time takes', async () => {
    const { aws, publish } = await shop();
    aws.faults.set({ service: 'sns', action: 'Publish', latencyMs: 2_000 });
    let answered = false;
    const published = publish().then(() => {
      answered = true;
    });
    await aws.advance({ seconds: 1 });
    expect(answered).toBe(false);
    await aws.advance({ seconds: 1 });
    await published;
    expect(aws.now).toBe('2026-01-01T00:00:02.000Z');
    await aws.close();
  });

  it('a client of this process that gives a long poll up takes no message with it', async () => {
    const { aws, publish } = await shop();
    const sqs = new SQSClient(aws.clientConfig());
    const QueueUrl = aws.state().queues[0]?.url;
    const giveUp = new AbortController();
    const poll = sqs.send(new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 20 }), { abortSignal: giveUp.signal });
    const ended = expect(poll).rejects.toMatchObject({ name: 'AbortError' });
    await aws.advance({ seconds: 1 });
    expect(aws.state().queues).toMatchObject([{ longPolls: 1 }]);
    giveUp.abort();
    await ended;
    await publish();
    await aws.advance({ seconds: 1 });
    expect(aws.state().queues).toMatchObject([{ longPolls: 0, visible: 1, inFlight: 0 }]);
    await aws.close();
  });
});
