import { PublishCommand, SNSClient } from '@aws-sdk/client-sns';
import { ReceiveMessageCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { SqsSubscription, UrlSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { type ListenOptions, LocalAws } from '../../../../local';
import { assemblyOfStack } from '../../../support/assembly';
import { inlineFunction } from '../../../support/inline-function';

/** A function that fails one message in three, by its own randomness. */
const CODE = `exports.handler = async event => {
  await new Promise(resolve => setTimeout(resolve, 100 * Math.random()));
  if (Math.random() < 0.3) throw new Error('unlucky');
};`;

const TOPIC = 'arn:aws:sns:us-east-1:123456789012:orders';

describe('returning to an earlier point', () => {
  const open: LocalAws[] = [];
  afterEach(async () => {
    for (const aws of open.splice(0)) await aws.close();
  });

  async function served(options: ListenOptions = {}) {
    const assembly = assemblyOfStack(stack => {
      const orders = new Topic(stack, 'Orders', { topicName: 'orders' });
      const dead = new Queue(stack, 'Dead', { queueName: 'dead' });
      const queue = new Queue(stack, 'Work', {
        queueName: 'work',
        deadLetterQueue: { queue: dead, maxReceiveCount: 3 },
      });
      new Queue(stack, 'Idle', { queueName: 'idle' });
      orders.addSubscription(new SqsSubscription(queue));
      orders.addSubscription(new UrlSubscription('https://shop.example.com/orders', { deadLetterQueue: dead }));
      inlineFunction(stack, 'Worker', CODE).addEventSource(new SqsEventSource(queue, { batchSize: 1 }));
    });
    const aws = await LocalAws.deploy(assembly, { seed: 5 });
    open.push(aws);
    const { url } = await aws.listen({ rewindable: true, ...options });
    const settings = {
      endpoint: url,
      region: 'us-east-1',
      credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
      maxAttempts: 1,
    };
    const [sns, sqs] = [new SNSClient(settings), new SQSClient(settings)];
    const call = async (method: string, route: string, body?: object) => {
      const answer = await fetch(`${url}/_dlo/${route}`, { method, ...(body && { body: JSON.stringify(body) }) });
      const json = JSON.parse(await answer.text());
      return { status: answer.status, json };
    };
    const publish = (Message: string) => sns.send(new PublishCommand({ TopicArn: TOPIC, Message }));
    const orders = async (from: number, count: number) => {
      for (let i = from; i < from + count; i += 1) {
        await publish(`order ${i}`);
        await call('POST', 'advance', { seconds: 7 });
      }
    };
    return { aws, url, sqs, call, publish, orders };
  }

  it('repeats every request, so that the run goes on from there exactly as before', async () => {
    const { aws, call, orders, url, sqs } = await served();
    await call('POST', 'confirm', { endpoint: 'https://shop.example.com/orders' });
    await call('PUT', 'endpoints/shop.example.com', { status: 503, forSeconds: 30 });
    await orders(0, 10);
    const lastSeq = aws.trace.lastSeq;
    const { json: taken } = await call('POST', 'snapshot');
    expect(taken).toEqual({ snapshot: 'snapshot-1', now: aws.now, lastSeq });
    const then = aws.state();
    await orders(10, 10);
    await sqs.send(new SendMessageCommand({ QueueUrl: `${url}/123456789012/idle`, MessageBody: 'x' }));
    await call('POST', 'advance', { seconds: 3_600 });
    const first = { trace: aws.trace.toJsonLines(), state: aws.state() };

    const { status, json } = await call('POST', 'restore', { snapshot: 'snapshot-1' });
    expect([status, json.now]).toEqual([200, then.now]);
    expect(aws.trace.lastSeq).toBe(lastSeq);
    expect(aws.state()).toEqual(then);
    await orders(10, 10);
    await sqs.send(new SendMessageCommand({ QueueUrl: `${url}/123456789012/idle`, MessageBody: 'x' }));
    await call('POST', 'advance', { seconds: 3_600 });
    expect(aws.state()).toEqual(first.state);
    expect(aws.trace.toJsonLines()).toBe(first.trace);
  });

  it('returns to an instant, and forgets what came after it', async () => {
    const { aws, call, orders } = await served();
    await orders(0, 2);
    await call('POST', 'snapshot');
    await orders(2, 2);
    const until = aws.nowMs - 10_000;
    const before = aws.trace.events.filter(it => it.atMs <= until);
    await call('POST', 'snapshot');
    const { status, json } = await call('POST', 'restore', { until: new Date(until).toISOString() });
    expect([status, json.nowMs, (await call('GET', 'snapshot')).json.snapshots]).toEqual([200, until, ['snapshot-1']]);
    expect(aws.trace.events).toEqual(before);
  });

  it('repeats requests that came while time was running, at the same points', async () => {
    const { aws, call, publish } = await served({ speed: 'max' });
    await Promise.all(Array.from({ length: 40 }, (_, i) => publish(`order ${i}`)));
    const { json: taken } = await call('POST', 'snapshot');
    await Promise.all(Array.from({ length: 20 }, (_, i) => publish(`later ${i}`)));
    const upToThen = aws.trace.events.slice(0, taken.lastSeq);
    expect((await call('POST', 'restore', { snapshot: taken.snapshot })).status).toBe(200);
    expect(aws.trace.events.slice(0, taken.lastSeq)).toEqual(upToThen);
  });

  it('repeats a change of the stacks', async () => {
    const { aws, call, publish } = await served();
    await publish('before');
    await aws.update(
      assemblyOfStack(stack => {
        const orders = new Topic(stack, 'Orders', { topicName: 'orders' });
        orders.addSubscription(new SqsSubscription(new Queue(stack, 'Other', { queueName: 'other' })));
      }),
    );
    await publish('after');
    const { json: taken } = await call('POST', 'snapshot');
    const then = { trace: aws.trace.toJsonLines(), state: aws.state(), stacks: aws.stacks };
    await publish('later');
    expect(await call('POST', 'restore', { snapshot: taken.snapshot })).toMatchObject({ status: 200 });
    expect({ trace: aws.trace.toJsonLines(), state: aws.state(), stacks: aws.stacks }).toEqual(then);
  });

  it('begins again at a reset, and forgets the snapshots; a client that waits is disconnected', async () => {
    const { aws, call, orders, url, sqs } = await served();
    const [trace, now] = [aws.trace.toJsonLines(), aws.now];
    await orders(0, 3);
    await call('POST', 'snapshot');
    const poll = new ReceiveMessageCommand({ QueueUrl: `${url}/123456789012/idle`, WaitTimeSeconds: 20 });
    const waiting = expect(sqs.send(poll)).rejects.toThrow(/socket hang up|ECONNRESET/);
    await call('PUT', 'faults', { service: 'kms' });
    expect((await call('POST', 'reset')).json).toMatchObject({ now });
    await waiting;
    expect(aws.now).toBe(now);
    expect(aws.trace.toJsonLines().startsWith(trace)).toBe(true);
    expect(aws.trace.toJsonLines()).not.toContain('sns.published');
    expect((await call('GET', 'snapshot')).json).toEqual({ began: now, snapshots: [] });
    expect((await call('GET', 'faults')).json).toEqual({ faults: [] });
  });

  it.each([
    [{}, 'the body must hold either snapshot or until, got nothing'],
    [
      { until: '2030-01-01T00:00:00Z' },
      'until must be an instant in ISO 8601, with Z or an offset, from 2026-01-01T00:00:00.000Z to now, got "2030-01-01T00:00:00Z"',
    ],
    [{ snapshot: 'monday' }, 'snapshot must be a snapshot: there are none, got "monday"'],
  ])('answers 400 to %j', async (body, message) => {
    const { call } = await served();
    expect(await call('POST', 'restore', body)).toMatchObject({ status: 400, json: { message } });
  });

  it('is refused by a server that does not record', async () => {
    const { call } = await served({ rewindable: false });
    const answer = await call('POST', 'reset');
    expect(answer.status).toBe(400);
    expect(answer.json.message).toMatch(/rewindable: true/);
  });
});
