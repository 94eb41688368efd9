import { failedMessages } from '../../../local/lambda/event-source/batch-result';
import {
  batchVisibilitySeconds,
  type MappingConfiguration,
} from '../../../local/lambda/event-source/mapping-configuration';
import { concurrentBatches } from '../../../local/lambda/event-source/scaling';
import type { Outcome } from '../../../local/lambda/invocation';
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

  test('hands messages over as soon as they are there, and deletes them', async () => {
    map(COUNTING);
    await world.goTo(100);
    const ids = sendAll(3);
    await world.timeline.runUntilIdle();
    expect(world.times('lambda.batch-received')).toEqual([100]);
    expect(world.happened('lambda.batch-received')).toMatchObject([{ messageIds: ids, queueArn: queue.arn }]);
    expect(world.happened('lambda.batch-finished')).toMatchObject([
      { outcome: 'success', deleted: 3, failedMessageIds: [] },
    ]);
    expect(world.happened('sqs.deleted')).toHaveLength(3);
    expect(world.happened('lambda.invoked')).toMatchObject([{ trigger: 'EventSourceMapping' }]);
  });

  test('takes what was there before it', async () => {
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

  test.each([
    ['batches of its size', { batchSize: 4 }, 10, [4, 4, 2]],
    ['batches of ten by default', {}, 25, [10, 10, 5]],
    ['larger batches within a window', { batchSize: 20, maximumBatchingWindowSeconds: 5 }, 45, [20, 20, 5]],
  ])('makes %s', async (_, configuration, count, sizes) => {
    sendAll(count);
    map(COUNTING, configuration);
    await world.timeline.runUntilIdle();
    expect(batchSizes()).toEqual(sizes);
    expect(world.happened('sqs.deleted')).toHaveLength(count);
  });

  test('a window waits for more, from the first message on', async () => {
    map(COUNTING, { batchSize: 100, maximumBatchingWindowSeconds: 20 });
    for (const seconds of [10, 15, 29, 31]) {
      await world.goTo(seconds);
      sendAll(1);
    }
    await world.timeline.runUntilIdle();
    expect(batchSizes()).toEqual([3, 1]);
    expect(world.times('lambda.invoked')).toEqual([30, 51]);
  });

  test('a batch that fails as a whole comes back after the visibility timeout, into the dead-letter queue in the end', async () => {
    const dead = world.createQueue('dead');
    world.sqs.call('SetQueueAttributes', ADMIN, {
      QueueUrl: queue.url,
      Attributes: { RedrivePolicy: JSON.stringify({ deadLetterTargetArn: dead.arn, maxReceiveCount: 3 }) },
    });
    map('exports.handler = async () => { throw new Error("poison"); };');
    const ids = sendAll(2);
    await world.goTo(1000);
    expect(world.times('lambda.invoked')).toEqual([0, 60, 120]);
    expect(world.happened('lambda.batch-finished')[0]).toMatchObject({
      outcome: 'error',
      deleted: 0,
      failedMessageIds: ids,
    });
    expect(world.happened('sqs.dead-lettered').map(({ messageId }) => messageId)).toEqual(ids);
    expect(world.times('sqs.dead-lettered')).toEqual([180, 180]);
  });

  test('with ReportBatchItemFailures only the failed messages come back', async () => {
    const code = `exports.handler = async event => ({ batchItemFailures: event.Records
      .filter(record => record.body === 'order 1' && record.attributes.ApproximateReceiveCount === '1')
      .map(record => ({ itemIdentifier: record.messageId })) });`;
    map(code, { reportBatchItemFailures: true });
    const [, poison] = sendAll(3);
    await world.timeline.runUntilIdle();
    expect(world.happened('lambda.batch-finished')).toMatchObject([
      { deleted: 2, failedMessageIds: [poison] },
      { deleted: 1, failedMessageIds: [] },
    ]);
    expect(world.times('lambda.invoked')).toEqual([0, 60]);
  });

  describe('what a function answers', () => {
    const ids = ['a', 'b', 'c'];
    const success = (payload: string): Outcome => ({ kind: 'success', payload, durationMs: 0 });
    test.each([
      ['nothing', 'null', []],
      ['an empty object', '{}', []],
      ['an empty text', '""', []],
      ['an empty list', '{"batchItemFailures":[]}', []],
      ['no list', '{"batchItemFailures":null}', []],
      ['one', '{"batchItemFailures":[{"itemIdentifier":"b"}]}', ['b']],
      ['one, twice', '{"batchItemFailures":[{"itemIdentifier":"b"},{"itemIdentifier":"b"}]}', ['b']],
      ['all', '{"batchItemFailures":[{"itemIdentifier":"a"},{"itemIdentifier":"b"},{"itemIdentifier":"c"}]}', ids],
      ['an empty identifier', '{"batchItemFailures":[{"itemIdentifier":""}]}', ids],
      ['a null identifier', '{"batchItemFailures":[{"itemIdentifier":null}]}', ids],
      ['a bad key name', '{"batchItemFailures":[{"messageId":"a"}]}', ids],
      ['an id that is not in the batch', '{"batchItemFailures":[{"itemIdentifier":"a"},{"itemIdentifier":"z"}]}', ids],
      ['no object in the list', '{"batchItemFailures":["a"]}', ids],
      ['something that is no list', '{"batchItemFailures":"a"}', ids],
      ['a text', '"done"', ids],
    ])('%s', (_, payload, failed) => {
      expect([...failedMessages(ids, success(payload), true)]).toEqual(failed);
      expect([...failedMessages(ids, success(payload), false)]).toEqual([]);
    });

    test('an error or a timeout fails them all either way', () => {
      const error = { errorType: 'Error', errorMessage: 'no' };
      for (const kind of ['error', 'timeout'] as const) {
        expect([...failedMessages(ids, { kind, error, durationMs: 0 }, true)]).toEqual(ids);
        expect([...failedMessages(ids, { kind, error, durationMs: 0 }, false)]).toEqual(ids);
      }
    });
  });

  describe('scaling', () => {
    const SLOW = 'exports.handler = async () => new Promise(resolve => setTimeout(resolve, 30000));';
    const concurrency = (): number[] => world.values('ConcurrentExecutions');

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

    test('begins with five batches at once, and has more after a minute', async () => {
      map(SLOW, { batchSize: 1, timeoutSeconds: 40 });
      sendAll(24);
      await world.goTo(59);
      expect(Math.max(...concurrency())).toBe(5);
      await world.goTo(61);
      expect(world.times('lambda.invoked').filter(seconds => seconds === 60)).toHaveLength(14);
    });

    test('stays below MaximumConcurrency', async () => {
      map(SLOW, { batchSize: 1, timeoutSeconds: 40, maximumConcurrency: 2 });
      sendAll(6);
      await world.timeline.runUntilIdle();
      expect(Math.max(...concurrency())).toBe(2);
      expect(world.times('lambda.invoked')).toEqual([0, 0, 30, 30, 60, 60]);
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

  test('a queue that is slow is waited for, and asked for nothing more meanwhile', async () => {
    map(COUNTING);
    world.faults.set({ service: 'sqs', action: 'ReceiveMessage', latencyMs: 5_000 });
    sendAll(11);
    await world.goTo(100);
    expect(world.times('lambda.batch-received')).toEqual([5, 10]);
  });

  test('a queue that refuses is asked again later, and its refusal told once', async () => {
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

  test('there is one between a queue and a function', () => {
    const { uuid } = map(COUNTING);
    const again = () => world.lambda.createEventSourceMapping('worker', { queueArn: queue.arn, batchSize: 1 });
    expect(errorOf(again)).toEqual({
      code: 'ResourceConflictException',
      status: 409,
      message: `An event source mapping with SQS arn (" ${queue.arn} ") and function (" worker ") already exists. Please update or delete the existing mapping with UUID ${uuid}`,
    });
    expect(world.lambda.eventSourceMappings()).toHaveLength(1);
  });
});
