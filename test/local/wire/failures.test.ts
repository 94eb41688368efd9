import { PublishCommand, SNSClient } from '@aws-sdk/client-sns';
import { ReceiveMessageCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { SqsSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { LocalAws } from '../../../local';
import { EXAMPLE_PLACE } from '../../../local/kernel/place';
import { Timeline } from '../../../local/kernel/timeline';
import { type Control, TimeDriver, WireServer, type WireService } from '../../../local/wire';
import { assemblyOfStack } from '../../support/assembly';
import { RawClient, signedFor } from './server/raw-http';
import { WireFixture } from './wire-fixture';

const send = new SendMessageCommand({ QueueUrl: 'https://sqs.us-east-1.amazonaws.com/1/q', MessageBody: 'x' });

describe('an error of our own in a service', () => {
  const bug = new TypeError('Cannot read properties of undefined');
  test.each<[string, WireService]>([
    [
      'thrown',
      {
        call: () => {
          throw bug;
        },
      },
    ],
    ['that comes later', { call: () => Promise.reject(bug) }],
  ])('%s answers the client 500, is in the trace, and is thrown at whoever moves time next', async (_, service) => {
    const { client, trace, aws } = new WireFixture(service);
    await expect(client.send(send)).rejects.toMatchObject({
      name: 'InternalFailure',
      $metadata: { httpStatusCode: 500 },
    });
    expect(trace.events).toMatchObject([
      { type: 'wire.failed', service: 'sqs', action: 'SendMessage', error: `${bug}` },
    ]);
    await expect(aws.timeline.runUntilIdle()).rejects.toMatchObject({ cause: bug });
    await expect(aws.timeline.runUntilIdle()).resolves.toBe(0);
  });

  test('is not what a client got wrong: that is answered, and nobody else is troubled', async () => {
    const { client, trace, aws } = new WireFixture();
    await expect(client.send(send)).rejects.toMatchObject({ $metadata: { httpStatusCode: 400 } });
    expect(trace.events).toEqual([]);
    await expect(aws.timeline.runUntilIdle()).resolves.toBe(0);
  });
});

const REQUEST = { headers: { ...signedFor('sqs'), 'x-amz-target': 'AmazonSQS.ListQueues' }, body: '{}' };

/** A server whose every part breaks as it is told to. */
async function breaking(requestId: () => string) {
  const timeline = new Timeline(0);
  const errors: unknown[] = [];
  const onError = (error: unknown) => errors.push(error);
  const driver = new TimeDriver(timeline, { speed: 0, onError });
  const server = new WireServer({
    network: {
      has: () => false,
      send: () => {
        throw new Error('the network broke');
      },
      attachGateway: () => () => {},
    },
    place: EXAMPLE_PLACE,
    timeline,
    driver,
    control: {} as Control,
    requestId,
    onError,
  });
  const client = new RawClient(await server.listen(0, '127.0.0.1'));
  const close = async () => {
    client.close();
    await server.close();
    await driver.stop();
  };
  return { client, errors, close };
}

describe('a failure of our own while a request is served', () => {
  it('is answered 500', async () => {
    const { client, errors, close } = await breaking(() => 'id');
    expect(await client.send(REQUEST)).toMatchObject({
      status: 500,
      text: expect.stringContaining('the network broke'),
    });
    expect(errors).toMatchObject([{ message: 'the network broke' }]);
    await close();
  });

  it('costs no more than the connection when even that cannot be said', async () => {
    const { client, errors, close } = await breaking(() => {
      throw new Error('chance broke');
    });
    await expect(client.send(REQUEST)).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect(errors).toMatchObject([{ message: 'the network broke' }, { message: 'chance broke' }]);
    await close();
  });
});

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
    const poll = sqs.send(new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 20 }), {
      abortSignal: giveUp.signal,
    });
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
