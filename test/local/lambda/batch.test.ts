import { MessageFilter, OpenBatch } from '../../../local/lambda/event-source/batch';
import { LambdaFixture } from './lambda-fixture';

const SOURCE = { queueArn: 'arn:aws:sqs:us-east-1:123456789012:orders', region: 'us-east-1' };
const passes = (patterns: readonly object[], body: string) =>
  new MessageFilter(
    patterns.map(pattern => JSON.stringify(pattern)),
    SOURCE,
  ).passes({ MessageId: 'm', Body: body, Attributes: { ApproximateReceiveCount: '1' } });

describe('filters of an event source mapping', () => {
  // The table of "Properly filtering Amazon SQS messages": body of the message, body of the pattern, and the result.
  test.each([
    ['a plain text and a plain text', { body: ['urgent'] }, 'urgent', true],
    ['another plain text', { body: ['urgent'] }, 'later', false],
    ['a plain text and no body', { attributes: { ApproximateReceiveCount: ['1'] } }, 'urgent', true],
    ['a plain text and other metadata', { attributes: { ApproximateReceiveCount: ['2'] } }, 'urgent', false],
    ['a plain text and JSON', { body: { kind: ['order'] } }, 'order', false],
    ['JSON and a plain text', { body: ['{"kind":"order"}'] }, '{"kind":"order"}', false],
    ['JSON and no body', { eventSource: ['aws:sqs'] }, '{"kind":"order"}', true],
    ['JSON and JSON', { body: { kind: ['order'] } }, '{"kind":"order"}', true],
    ['other JSON', { body: { kind: ['order'] } }, '{"kind":"refund"}', false],
    ['JSON and the lack of a member', { body: { kind: [{ exists: false }] } }, '{"sort":"order"}', true],
    ['a plain text and the lack of a member', { body: { kind: [{ exists: false }] } }, 'order', false],
    ['half a JSON text and JSON', { body: { kind: ['order'] } }, '{"kind":"order"', false],
    ['half a JSON text and a plain text', { body: [{ prefix: '{' }] }, '{"kind":"order"', true],
    ['a number, which is a text here', { body: ['42'] }, '42', true],
    ['a list and a member of its objects', { body: { kind: ['order'] } }, '[{"kind":"order"}]', true],
    ['nothing at all and a plain text', { body: [''] }, '', true],
    [
      'alternatives that both have JSON',
      { $or: [{ body: { kind: ['order'] } }, { body: { kind: ['refund'] } }] },
      '{"kind":"refund"}',
      true,
    ],
  ])('%s', (_, pattern, body, expected) => {
    expect(passes([pattern], body)).toBe(expected);
  });

  test('one of several is enough, and each has the body in its own way', () => {
    const patterns = [{ body: ['urgent'] }, { body: { price: [{ numeric: ['>', 100] }] } }];
    expect(['urgent', '{"price":101}', '{"price":100}', 'later'].map(body => passes(patterns, body))).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  test('none lets every message pass', () => {
    expect(['urgent', '{}', ''].map(body => passes([], body))).toEqual([true, true, true]);
  });

  describe('in a mapping', () => {
    let world: LambdaFixture;
    beforeEach(() => {
      world = new LambdaFixture();
    });
    afterEach(() => world.close());

    test('messages that match none are deleted without an invocation', async () => {
      const { url, arn } = world.createQueue('orders', { VisibilityTimeout: '60' });
      world.deploy('worker', {
        code: 'exports.handler = async event => console.log(event.Records.map(record => record.body).join());',
      });
      world.lambda.createEventSourceMapping('worker', {
        queueArn: arn,
        filters: ['{"body":{"kind":["order"]}}'],
        countsEvents: true,
      });
      const bodies = ['{"kind":"order","n":1}', '{"kind":"refund"}', 'order', '{"kind":"order","n":2}'];
      const ids = bodies.map(body => world.send(url, body));
      await world.timeline.runUntilIdle();
      expect(world.happened('lambda.messages-filtered-out')).toMatchObject([
        { queueArn: arn, messageIds: [ids[1], ids[2]] },
      ]);
      expect(world.happened('lambda.batch-received')).toMatchObject([{ messageIds: [ids[0], ids[3]] }]);
      expect(world.messages.some(line => line.includes('"n":1},{"kind":"order","n":2}'))).toBe(true);
      expect(world.happened('sqs.deleted')).toHaveLength(4);
      world.send(url, 'filtered out');
      await world.timeline.runUntilIdle();
      expect(world.happened('lambda.invoked')).toHaveLength(1);
      expect(world.receive(url)).toEqual([]);
      expect(world.total('FilteredOutEventCount')).toBe(3);
      expect(world.total('DeletedEventCount')).toBe(2);
    });

    test('a batch is filled with those that match', async () => {
      const { url, arn } = world.createQueue('orders', { VisibilityTimeout: '60' });
      world.deploy('worker', { code: 'exports.handler = async () => {};' });
      world.lambda.createEventSourceMapping('worker', {
        queueArn: arn,
        filters: ['{"body":["yes"]}'],
        batchSize: 4,
        maximumBatchingWindowSeconds: 20,
      });
      for (const body of ['yes', 'no', 'yes', 'no', 'no', 'yes', 'no', 'yes']) world.send(url, body);
      await world.timeline.runUntilIdle();
      expect(world.happened('lambda.batch-received').map(({ messageIds }) => messageIds.length)).toEqual([4]);
      expect(world.times('lambda.batch-received')).toEqual([0]);
    });
  });
});

/** A million characters, so that six fit into an event of 6 MB. */
const message = (id: number) => ({ MessageId: String(id), Body: 'x'.repeat(1_000_000) });

describe('the batch that is being filled (aws-semantics section 8)', () => {
  test('goes into events of 6 MB at most', () => {
    const open = new OpenBatch();
    open.add(Array.from({ length: 6 }, (_, id) => message(id)));
    expect(open.overflows).toBe(false);
    open.add([6, 7, 8, 9].map(message));
    expect(open.overflows).toBe(true);
    expect(open.size).toBe(10);
    expect(open.take().map(batch => batch.map(({ MessageId }) => MessageId))).toEqual([
      ['0', '1', '2', '3', '4', '5'],
      ['6', '7', '8', '9'],
    ]);
  });

  test('is empty once it is taken', () => {
    const open = new OpenBatch();
    open.add([message(0)]);
    open.take();
    expect(open.size).toBe(0);
    expect(open.overflows).toBe(false);
    expect(open.take()).toEqual([]);
  });

  test('measures each message once, however many come after it', () => {
    let reads = 0;
    const read = (id: number): string => {
      reads += 1;
      return String(id);
    };
    const open = new OpenBatch();
    for (let id = 0; id < 100; id += 1) {
      open.add([
        {
          get MessageId() {
            return read(id);
          },
        },
      ]);
    }
    open.take();
    expect(reads).toBe(100);
  });
});
