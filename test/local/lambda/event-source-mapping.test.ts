import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { Duration, type Stack } from 'aws-cdk-lib';
import { EventSourceMapping } from 'aws-cdk-lib/aws-lambda';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { noAnswer, response } from '../../../local';
import {
  batchVisibilitySeconds,
  type MappingConfiguration,
} from '../../../local/lambda/event-source/mapping-configuration';
import { concurrentBatches } from '../../../local/lambda/event-source/scaling';
import { Deployed } from '../../support/deployed';
import { inlineFunction } from '../../support/inline-function';
import { ADMIN, errorOf, LambdaFixture, ROLE_ARN } from './lambda-fixture';

const COUNTING = 'exports.handler = async event => { console.log(event.Records.map(record => record.body).join()); };';

describe('event source mapping (aws-semantics section 8)', () => {
  let world: LambdaFixture;
  let queue: { readonly url: string; readonly arn: string };
  beforeEach(() => {
    world = new LambdaFixture();
    queue = world.createQueue('orders', { VisibilityTimeout: '60' });
  });
  afterEach(() => world.close());

  function map(
    code: string,
    given: Partial<MappingConfiguration> & { reserved?: number; timeoutSeconds?: number } = {},
  ) {
    const { reserved, timeoutSeconds = 10, ...configuration } = given;
    world.deploy('worker', { code, reservedConcurrentExecutions: reserved, timeoutSeconds });
    return world.lambda.createEventSourceMapping('worker', { queueArn: queue.arn, ...configuration });
  }

  function sendAll(count: number): string[] {
    return Array.from({ length: count }, (_, i) => world.send(queue.url, `order ${i}`));
  }

  const batchSizes = (): number[] => world.happened('lambda.batch-received').map(({ messageIds }) => messageIds.length);

  test('receives messages that were sent before it existed', async () => {
    sendAll(2);
    map(COUNTING);
    await world.timeline.runUntilIdle();
    expect(batchSizes()).toEqual([2]);
  });

  test('the event has the records AWS documents', async () => {
    map('exports.handler = async event => { console.log(JSON.stringify(event)); };');
    world.sqs.call('SendMessage', ADMIN, {
      QueueUrl: queue.url,
      MessageBody: 'hello',
      MessageAttributes: {
        kind: { DataType: 'String', StringValue: 'order' },
        raw: { DataType: 'Binary', BinaryValue: Buffer.from([1, 2, 3]) },
      },
    });
    await world.timeline.runUntilIdle();
    const line = world.messages.find(message => message.includes('Records'));
    expect(JSON.parse(line?.split('\t').at(-1) ?? '')).toEqual({
      Records: [
        {
          messageId: expect.any(String),
          receiptHandle: expect.any(String),
          body: 'hello',
          attributes: {
            ApproximateReceiveCount: '1',
            SentTimestamp: '1767225600000',
            SenderId: expect.any(String),
            ApproximateFirstReceiveTimestamp: '1767225600000',
          },
          messageAttributes: {
            kind: { stringValue: 'order', stringListValues: [], binaryListValues: [], dataType: 'String' },
            raw: { binaryValue: 'AQID', stringListValues: [], binaryListValues: [], dataType: 'Binary' },
          },
          md5OfBody: '5d41402abc4b2a76b9719d911017c592',
          md5OfMessageAttributes: expect.stringMatching(/^[0-9a-f]{32}$/),
          eventSource: 'aws:sqs',
          eventSourceARN: queue.arn,
          awsRegion: 'us-east-1',
        },
      ],
    });
  });

  test('has a record with md5OfMessageAttributes: null for a message without attributes (recorded on AWS)', async () => {
    map('exports.handler = async event => { console.log(JSON.stringify(event)); };');
    world.send(queue.url, 'hello');
    await world.timeline.runUntilIdle();
    const line = world.messages.find(message => message.includes('Records'));
    expect(JSON.parse(line?.split('\t').at(-1) ?? '')).toMatchObject({
      Records: [{ messageAttributes: {}, md5OfMessageAttributes: null }],
    });
  });

  describe('scaling', () => {
    const SLOW = 'exports.handler = async () => new Promise(resolve => setTimeout(resolve, 30000));';

    test.each([
      [0, undefined, 5],
      [59_999, undefined, 5],
      [60_000, undefined, 305],
      [180_000, undefined, 905],
      [240_000, undefined, 1000],
      [600_000, undefined, 1000],
      [0, 2, 2],
      [600_000, 50, 50],
    ])('after %i ms of backlog, with a maximum of %s, there are %i batches at once', (busyMs, maximum, batches) => {
      expect(concurrentBatches(busyMs, maximum)).toBe(batches);
    });

    test('a batch that is throttled stays in flight until its visibility timeout is over', async () => {
      map(SLOW, { batchSize: 1, timeoutSeconds: 40, reserved: 1 });
      const [first, second] = sendAll(2);
      await world.timeline.runUntilIdle();
      expect(world.happened('lambda.batch-finished')).toMatchObject([
        { outcome: 'throttled', deleted: 0, failedMessageIds: [second] },
        { outcome: 'success', deleted: 1 },
        { outcome: 'success', deleted: 1 },
      ]);
      expect(world.happened('sqs.received').map(({ messageId, receiveCount }) => [messageId, receiveCount])).toEqual([
        [first, 1],
        [second, 1],
        [second, 2],
      ]);
    });
  });

  test.each([
    [0, 10, 30, undefined],
    [5, 10, 30, undefined],
    [20, 10, 30, undefined],
    [25, 10, 30, 65],
  ])(
    'with a window of %i s, a timeout of %i s and a visibility of %i s it receives with %s',
    (window, timeout, own, seconds) => {
      expect(batchVisibilitySeconds(window, timeout, own)).toBe(seconds);
    },
  );

  test('a slow queue receives no further request until it has answered', async () => {
    map(COUNTING);
    world.faults.set({ service: 'sqs', action: 'ReceiveMessage', latencyMs: 5_000 });
    sendAll(11);
    await world.goTo(100);
    expect(world.times('lambda.batch-received')).toEqual([5, 10]);
  });

  test('a queue that rejects requests is called again later, and the rejection is recorded once', async () => {
    map(COUNTING);
    world.faults.set({ service: 'sqs', action: 'ReceiveMessage', untilMs: world.timeline.nowMs + 30_000 });
    sendAll(1);
    await world.goTo(100);
    expect(world.times('lambda.queue-refused')).toEqual([0]);
    expect(world.happened('lambda.queue-refused')).toMatchObject([
      { code: 'ServiceUnavailable', action: 'ReceiveMessage' },
    ]);
    expect(world.times('sqs.refused')).toEqual([0, 20]);
    expect(world.times('lambda.batch-received')).toEqual([40]);
  });

  test('messages the role may not delete come back', async () => {
    map(COUNTING);
    world.decideAccess = ({ action, caller }) => {
      const isRole = caller.principal.kind === 'role' && caller.principal.arn === ROLE_ARN;
      return { allowed: !(isRole && action === 'sqs:DeleteMessage'), reason: 'no statement allows it' };
    };
    sendAll(1);
    await world.goTo(90);
    expect(world.times('lambda.invoked')).toEqual([0, 60]);
    expect(world.happened('lambda.queue-refused')).toMatchObject([{ action: 'DeleteMessageBatch' }, {}]);
    expect(world.happened('lambda.batch-finished')[0]).toMatchObject({ outcome: 'success', deleted: 0 });
  });
});

describe('fifo mapping', () => {
  /** Logs the bodies it gets, waits a second, and fails on those that begin with an exclamation mark the first time. */
  const CODE = `exports.handler = async event => {
  console.log('batch ' + event.Records.map(record => record.body).join());
  await new Promise(resolve => setTimeout(resolve, 1000));
  const first = event.Records.findIndex(({ body, attributes }) => body[0] === '!' && attributes.ApproximateReceiveCount === '1');
  const failed = first < 0 ? [] : event.Records.slice(first);
  return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) };
};`;

  describe('an event source mapping of a FIFO queue (aws-semantics section 8)', () => {
    let world: LambdaFixture;
    let queue: { readonly url: string; readonly arn: string };
    beforeEach(() => {
      world = new LambdaFixture();
      queue = world.createQueue('orders.fifo', {
        FifoQueue: 'true',
        ContentBasedDeduplication: 'true',
        VisibilityTimeout: '30',
      });
      world.deploy('worker', { code: CODE });
    });
    afterEach(() => world.close());

    const map = (more: object = {}) =>
      world.lambda.createEventSourceMapping('worker', { queueArn: queue.arn, reportBatchItemFailures: true, ...more });

    function send(MessageGroupId: string, ...bodies: readonly string[]): void {
      for (const MessageBody of bodies) {
        world.sqs.call('SendMessage', ADMIN, { QueueUrl: queue.url, MessageBody, MessageGroupId });
      }
    }

    /** When each batch began, and what was in it. */
    const batches = () =>
      world.logged
        .filter(({ message }) => message.includes('batch '))
        .map(({ message, atMs }) => [(atMs - Date.UTC(2026, 0, 1)) / 1000, message.trim().split('batch ')[1]]);

    test('hands over the messages of a group in their order, one batch after the other', async () => {
      map({ batchSize: 2 });
      send('a', '1', '2', '3', '4', '5');
      await world.timeline.runUntilIdle();
      expect(batches()).toEqual([
        [0, '1,2'],
        [1, '3,4'],
        [2, '5'],
      ]);
      expect(world.happened('sqs.deleted')).toHaveLength(5);
    });

    test('fills a batch from several groups, each in its order, as the queue gives them', async () => {
      map();
      send('a', 'a1', 'a2');
      send('b', 'b1');
      await world.timeline.runUntilIdle();
      expect(batches()).toEqual([[0, 'a1,a2,b1']]);
    });

    test('runs no more at once than MaximumConcurrency', async () => {
      map({ batchSize: 1, maximumConcurrency: 2 });
      for (const group of ['a', 'b', 'c', 'd']) send(group, group);
      await world.timeline.runUntilIdle();
      expect(batches().map(([second]) => second)).toEqual([0, 0, 1, 1]);
    });

    test('the event says group, sequence and deduplication', async () => {
      world.deploy('logs', { code: 'exports.handler = async event => console.log(JSON.stringify(event.Records[0]));' });
      world.lambda.createEventSourceMapping('logs', { queueArn: queue.arn });
      send('a', 'hello');
      await world.timeline.runUntilIdle();
      const line = world.messages.find(message => message.includes('MessageGroupId')) ?? '';
      expect(JSON.parse(line.split('\t').at(-1) ?? '')).toMatchObject({
        body: 'hello',
        attributes: {
          MessageGroupId: 'a',
          SequenceNumber: expect.stringMatching(/^\d{20}$/),
          MessageDeduplicationId: expect.stringMatching(/^[0-9a-f]{64}$/),
        },
        eventSourceARN: queue.arn,
      });
    });

    test.each([
      [{ batchSize: 11 }, 'Batch size must not exceed 10 for FIFO queues'],
      [{ maximumBatchingWindowSeconds: 1 }, 'Batching window is not supported for FIFO queues'],
    ])('has no %j', (more, message) => {
      expect(errorOf(() => map(more))).toMatchObject({ code: 'InvalidParameterValueException', message });
    });
  });
});

/** Posts each message; a failed message is hidden, for twice as long each time and at most an hour, and returned. */
const RETRIES = `
  const { SQSClient, ChangeMessageVisibilityBatchCommand } = require('@aws-sdk/client-sqs');
  const sqs = new SQSClient({});
  const isTaken = record => fetch('https://partner.example.com/', { method: 'POST', body: record.body })
    .then(response => response.ok, () => false);
  exports.handler = async event => {
    for (const { attributes, body } of event.Records) console.log('got ' + JSON.stringify({ body, ...attributes }));
    const taken = await Promise.all(event.Records.map(isTaken));
    const failed = event.Records.filter((_, i) => !taken[i]);
    if (failed.length === 0) return { batchItemFailures: [] };
    await sqs.send(new ChangeMessageVisibilityBatchCommand({
      QueueUrl: process.env.QUEUE,
      Entries: failed.map(({ receiptHandle, attributes }, i) => ({
        Id: String(i),
        ReceiptHandle: receiptHandle,
        VisibilityTimeout: Math.min(60 * 2 ** (Number(attributes.ApproximateReceiveCount) - 1), 3600),
      })),
    }));
    return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) };
  };`;

interface Relay {
  readonly fifo?: boolean;
}

const relay =
  ({ fifo = false }: Relay) =>
  (stack: Stack): void => {
    const visibilityTimeout = Duration.seconds(30);
    const queue = new Queue(stack, 'Queue', {
      visibilityTimeout,
      retentionPeriod: Duration.days(14),
      ...(fifo && { fifo: true, contentBasedDeduplication: true }),
    });
    const worker = inlineFunction(stack, 'Worker', RETRIES, { environment: { QUEUE: queue.queueUrl } });
    queue.grantConsumeMessages(worker);
    new EventSourceMapping(stack, 'Mapping', {
      target: worker,
      eventSourceArn: queue.queueArn,
      batchSize: fifo ? 1 : 10,
      reportBatchItemFailures: true,
      maxConcurrency: 2,
    });
  };

async function deploy(kind: Relay = {}) {
  const deployed = await Deployed.stack(relay(kind));
  const partner = deployed.aws.endpoint('partner.example.com');
  return {
    deployed,
    partner,
    send: (MessageBody: string, MessageGroupId?: string) =>
      deployed.sqs.send(new SendMessageCommand({ QueueUrl: deployed.ref('Queue'), MessageBody, MessageGroupId })),
    attempts: () =>
      partner.requests.map(({ body, atMs }) => [Buffer.from(body).toString(), deployed.secondsAt(atMs)] as const),
    records: () =>
      deployed
        .log(`/aws/lambda/${deployed.ref('Worker')}`)
        .filter(line => line.includes('\tgot '))
        .map(line => JSON.parse(line.split('\tgot ')[1] ?? '{}')),
  };
}

describe('a message that a function hides and returns', () => {
  test('is received again after its own timeout, not the queue’s, with its receive count and first receive time', async () => {
    const { partner, send, attempts, records, deployed } = await deploy();
    partner.behave({ reply: response(503), count: 3 });
    const begunMs = deployed.aws.nowMs;
    await send('a');
    await deployed.advance({ hours: 1 });
    expect(attempts()).toEqual([
      ['a', 0],
      ['a', 60],
      ['a', 180],
      ['a', 420],
    ]);
    const reported = { SentTimestamp: String(begunMs), ApproximateFirstReceiveTimestamp: String(begunMs) };
    expect(records()).toMatchObject(
      ['1', '2', '3', '4'].map(ApproximateReceiveCount => ({ ...reported, ApproximateReceiveCount })),
    );
  });

  test('blocks its group, and no other, until it is processed', async () => {
    const { partner, send, attempts, records, deployed } = await deploy({ fifo: true });
    partner.behave({ reply: noAnswer(), count: 2 });
    await send('a1', 'a');
    await deployed.advance({ seconds: 1 });
    await send('a2', 'a');
    await send('b1', 'b');
    await deployed.advance({ hours: 1 });
    expect(partner.failedConnections.map(({ atMs }) => deployed.secondsAt(atMs))).toEqual([0, 1]);
    expect(attempts()).toEqual([
      ['a1', 60],
      ['a2', 60],
      ['b1', 61],
    ]);
    expect(records()[0]).toMatchObject({
      MessageGroupId: 'a',
      MessageDeduplicationId: expect.stringMatching(/^[0-9a-f]{64}$/),
      SequenceNumber: expect.any(String),
    });
  });
});
