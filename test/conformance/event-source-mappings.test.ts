import { UpdateEventSourceMappingCommand } from '@aws-sdk/client-lambda';
import { SendMessageBatchCommand } from '@aws-sdk/client-sqs';
import { DeployedFunction } from './deployed-function';
import { Queue, redrivePolicy } from './queue';
import { embeddedRow, ON_AWS, row, Target } from './target';
import { happened } from './trace';

const NOTHING = 'exports.handler = async () => {};';
const FAILS = 'exports.handler = async () => { throw new Error("broken"); };';
const slow = (seconds: number) =>
  `exports.handler = () => new Promise(resolve => setTimeout(resolve, ${seconds * 1_000}));`;

/** How long a new mapping takes to begin. */
const CREATING_SECONDS = ON_AWS ? 60 : 10;

describe('section 8: event source mappings of queues', () => {
  const aws = new Target();

  async function send(queue: Queue, bodies: readonly string[], MessageGroupId?: string): Promise<void> {
    for (let at = 0; at < bodies.length; at += 10) {
      const Entries = bodies.slice(at, at + 10).map((MessageBody, i) => ({ Id: `m${i}`, MessageBody, MessageGroupId }));
      await aws.sqs.send(new SendMessageBatchCommand({ QueueUrl: queue.url, Entries }));
    }
  }

  const numbered = (count: number): readonly string[] => Array.from({ length: count }, (_, i) => String(i + 1));

  /** Creates a function that reads a queue with messages. */
  async function fed(code: string, bodies: readonly string[], { queue = {}, mapping = {}, options = {} } = {}) {
    const source = await Queue.of(aws, queue);
    const deployed = await DeployedFunction.of(aws, code, options);
    await send(source, bodies);
    await deployed.feed(source.arn, mapping);
    await aws.pass(CREATING_SECONDS);
    return { source, deployed };
  }

  /** Returns when events of this type happened to the function, in seconds after the first. */
  async function times(type: string, { arn }: DeployedFunction): Promise<readonly number[]> {
    const events = await happened(aws, type, { functionArn: arn });
    return events.map(({ atMs }) => (atMs - (events[0]?.atMs ?? 0)) / 1_000);
  }

  const sizes = async ({ arn }: DeployedFunction): Promise<readonly number[]> =>
    (await happened(aws, 'lambda.batch-received', { functionArn: arn })).map(({ messageIds }) =>
      Array.isArray(messageIds) ? messageIds.length : 0,
    );

  row('a batch that succeeds is deleted', async () => {
    const { source } = await fed(NOTHING, numbered(3), { queue: { VisibilityTimeout: '5' } });
    await aws.pass(10);
    expect(await source.depths()).toEqual([0, 0, 0]);
  });

  embeddedRow(
    'a batch that Lambda does not take, for a system error, is back when its visibility timeout is over',
    async () => {
      await aws.control('PUT', 'faults', { service: 'lambda', action: 'Invoke', status: 503, forSeconds: 15 });
      const { source, deployed } = await fed(NOTHING, numbered(3), { queue: { VisibilityTimeout: '20' } });
      expect(await source.depths()).toEqual([0, 3, 0]);
      await aws.pass(30);
      expect(await source.depths()).toEqual([0, 0, 0]);
      expect(await times('lambda.invoked', deployed)).toEqual([0]);
    },
  );

  embeddedRow(
    'a batch that fails is back as a whole when its visibility timeout is over, and dead-lettered in the end',
    async () => {
      const dead = await Queue.of(aws);
      const queue = { VisibilityTimeout: '20', RedrivePolicy: redrivePolicy(dead.arn, 3) };
      const { deployed } = await fed(FAILS, numbered(3), { queue });
      await aws.pass(120);
      expect(await times('lambda.batch-received', deployed)).toEqual([0, 20, 40]);
      expect(await sizes(deployed)).toEqual([3, 3, 3]);
      expect(await dead.depths()).toEqual([3, 0, 0]);
    },
  );

  embeddedRow('a batch is of 10 messages unless the mapping says otherwise', async () => {
    const { deployed } = await fed(NOTHING, numbered(20));
    expect(await sizes(deployed)).toEqual([10, 10]);
    const three = await fed(NOTHING, numbered(9), { mapping: { BatchSize: 3 } });
    expect(await sizes(three.deployed)).toEqual([3, 3, 3]);
  });

  embeddedRow('a batch of more than 10 waits for its window', async () => {
    const mapping = { BatchSize: 25, MaximumBatchingWindowInSeconds: 5 };
    const { deployed, source } = await fed(NOTHING, numbered(20), { mapping, queue: { VisibilityTimeout: '60' } });
    await aws.pass(2);
    await send(source, numbered(3));
    await aws.pass(10);
    expect(await sizes(deployed)).toEqual([23]);
  });

  embeddedRow('an event holds at most 6 MB', async () => {
    const large = 'x'.repeat(1_000_000);
    const source = await Queue.of(aws);
    const deployed = await DeployedFunction.of(aws, NOTHING);
    for (let i = 0; i < 10; i += 1) await source.send(large);
    await deployed.feed(source.arn);
    await aws.pass(CREATING_SECONDS);
    expect(await sizes(deployed)).toEqual([6, 4]);
  });

  embeddedRow.each([
    ['window 25 + timeout 10 > 30: 25 + 10 + 30', 25, 65],
    ['window 20 + timeout 10 = 30: as the queue says', 20, 30],
    ['no window: as the queue says', 0, 30],
  ])('the effective visibility timeout: %s', async (_, MaximumBatchingWindowInSeconds, seconds) => {
    const mapping = { BatchSize: 1, MaximumBatchingWindowInSeconds };
    const { source } = await fed(FAILS, ['order'], {
      mapping,
      options: { Timeout: 10 },
      queue: { VisibilityTimeout: '30' },
    });
    await aws.pass(100);
    const [first, second] = await happened(aws, 'sqs.received', { queueArn: source.arn });
    expect(((second?.atMs ?? 0) - (first?.atMs ?? 0)) / 1_000).toBe(seconds);
  });

  describe('ReportBatchItemFailures', () => {
    const ids = 'Records.map(({ messageId }) => ({ itemIdentifier: messageId }))';
    const answering = (expression: string) => `exports.handler = async ({ Records }) => (${expression});`;

    row.each([
      ['an empty list', '{ batchItemFailures: [] }', 0],
      ['a null list', '{ batchItemFailures: null }', 0],
      ['an empty answer', '{}', 0],
      ['a null answer', 'null', 0],
      ['an empty text', '""', 0],
      ['one that failed', `{ batchItemFailures: ${ids}.filter((_, i) => Records[i].body === '1') }`, 1],
      ['all', `{ batchItemFailures: ${ids} }`, 3],
      ['no JSON object', '"done"', 3],
      ['an empty itemIdentifier', '{ batchItemFailures: [{ itemIdentifier: "" }] }', 3],
      ['a null itemIdentifier', '{ batchItemFailures: [{ itemIdentifier: null }] }', 3],
      ['a bad key name', '{ batchItemFailures: [{ messageId: Records[0].messageId }] }', 3],
      ['an id that is not in the batch', '{ batchItemFailures: [{ itemIdentifier: "nobody" }] }', 3],
      ['an exception', '(() => { throw new Error("broken"); })()', 3],
    ])('%s', async (_, expression, failed) => {
      const mapping = { FunctionResponseTypes: ['ReportBatchItemFailures' as const] };
      const queue = { VisibilityTimeout: '300' };
      const { source } = await fed(answering(expression), numbered(3), { mapping, queue });
      await aws.pass(5);
      expect(await source.depths()).toEqual([0, failed, 0]);
    });

    row('without it an answer means nothing', async () => {
      const { source } = await fed(answering(`{ batchItemFailures: ${ids} }`), numbered(3));
      await aws.pass(5);
      expect(await source.depths()).toEqual([0, 0, 0]);
    });

    embeddedRow('a FIFO function that stops at the first failure keeps the order', async () => {
      const code = `let failed = false;
        exports.handler = async ({ Records }) => {
          const at = failed ? -1 : Records.findIndex(({ body }) => body === '2');
          failed ||= at >= 0;
          const left = at < 0 ? [] : Records.slice(at);
          return { batchItemFailures: left.map(({ messageId }) => ({ itemIdentifier: messageId })) };
        };`;
      const source = await Queue.fifo(aws, { VisibilityTimeout: '20' });
      const deployed = await DeployedFunction.of(aws, code);
      await send(source, numbered(4), 'g');
      const sent = (await happened(aws, 'sqs.sent', { queueArn: source.arn })).map(({ messageId }) => messageId);
      await deployed.feed(source.arn, { FunctionResponseTypes: ['ReportBatchItemFailures'] });
      await aws.pass(60);
      const batches = await happened(aws, 'lambda.batch-received', { functionArn: deployed.arn });
      expect(batches.map(({ messageIds }) => messageIds)).toEqual([sent, sent.slice(1)]);
      expect(await source.depths()).toEqual([0, 0, 0]);
    });
  });

  row('a filter deletes what does not match it', async () => {
    const mapping = { FilterCriteria: { Filters: [{ Pattern: '{"body":{"colour":["red"]}}' }] } };
    const bodies = ['{"colour":"red"}', '{"colour":"blue"}', '{"colour":"green"}'];
    const { source } = await fed(FAILS, bodies, { mapping, queue: { VisibilityTimeout: '300' } });
    await aws.pass(5);
    expect(await source.depths()).toEqual([0, 1, 0]);
  });

  describe('scaling', () => {
    const one = { BatchSize: 1 };
    const queue = { VisibilityTimeout: '300' };
    const options = { Timeout: 100 };

    embeddedRow('begins with 5 batches at once, and has more after a minute', async () => {
      const { deployed } = await fed(slow(90), numbered(12), { mapping: one, queue, options });
      await aws.pass(59);
      expect(await times('lambda.invoked', deployed)).toEqual(Array(5).fill(0));
      await aws.pass(2);
      expect(await times('lambda.invoked', deployed)).toEqual([...Array(5).fill(0), ...Array(7).fill(60)]);
    });

    embeddedRow('stays within MaximumConcurrency', async () => {
      const mapping = { ...one, ScalingConfig: { MaximumConcurrency: 2 } };
      const { deployed } = await fed(slow(30), numbered(6), { mapping, queue, options });
      await aws.pass(200);
      expect(await times('lambda.invoked', deployed)).toEqual([0, 0, 30, 30, 60, 60]);
    });

    embeddedRow('FIFO: as many at once as there are active groups, one batch of each', async () => {
      const source = await Queue.fifo(aws, queue);
      const deployed = await DeployedFunction.of(aws, slow(30), options);
      await source.sendAll(numbered(6).flatMap(group => [`${group}-a`, `${group}-b`]));
      await deployed.feed(source.arn, one);
      await aws.pass(200);
      expect(await times('lambda.invoked', deployed)).toEqual([...Array(6).fill(0), ...Array(6).fill(30)]);
    });
  });
});

describe('section 8: what an event source mapping may say', () => {
  const NOTHING = 'exports.handler = async () => {};';

  const aws = new Target();

  const parts = async (queue = {}) => [await DeployedFunction.of(aws, NOTHING), await Queue.of(aws, queue)] as const;

  row('a batch is of 10 messages where nothing is said', async () => {
    const [deployed, queue] = await parts();
    expect(await deployed.feed(queue.arn)).toMatchObject({ BatchSize: 10, MaximumBatchingWindowInSeconds: 0 });
  });

  row.each([
    ['10,000 messages with a window of 1 s', {}, { BatchSize: 10_000, MaximumBatchingWindowInSeconds: 1 }],
    ['10 messages of a FIFO queue', { FifoQueue: 'true' }, { BatchSize: 10 }],
    ['a maximum concurrency of 2', {}, { ScalingConfig: { MaximumConcurrency: 2 } }],
    ['a maximum concurrency of 1,000', {}, { ScalingConfig: { MaximumConcurrency: 1_000 } }],
  ])('%s', async (_, attributes, said) => {
    const [deployed, queue] = await parts(attributes);
    expect(await deployed.feed(queue.arn, said)).toMatchObject(said);
  });

  row.each([
    ['11 messages without a window', {}, { BatchSize: 11 }],
    ['10,001 messages', {}, { BatchSize: 10_001, MaximumBatchingWindowInSeconds: 1 }],
    ['11 messages of a FIFO queue', { FifoQueue: 'true' }, { BatchSize: 11 }],
    ['a maximum concurrency of 1', {}, { ScalingConfig: { MaximumConcurrency: 1 } }],
    ['a maximum concurrency of 1,001', {}, { ScalingConfig: { MaximumConcurrency: 1_001 } }],
  ])('and not %s', async (_, attributes, said) => {
    const [deployed, queue] = await parts(attributes);
    await expect(deployed.feed(queue.arn, said)).rejects.toMatchObject({ $metadata: { httpStatusCode: 400 } });
  });

  row.each(['{"body":"red"}', '{"body"', '[]', '{"body":[{"unheard-of":1}]}'])(
    'and not the filter %s',
    async Pattern => {
      const [deployed, queue] = await parts();
      const said = { FilterCriteria: { Filters: [{ Pattern }] } };
      await expect(deployed.feed(queue.arn, said)).rejects.toMatchObject({
        name: 'InvalidParameterValueException',
        message: 'Invalid filter pattern definition.',
      });
    },
  );

  row('and not a queue that is not there', async () => {
    const [deployed, queue] = await parts();
    await expect(deployed.feed(`${queue.arn}-of-nobody`)).rejects.toMatchObject({
      name: 'InvalidParameterValueException',
      message:
        'Error occurred while ReceiveMessage. SQS Error Code: AWS.SimpleQueueService.NonExistentQueue. ' +
        'SQS Error Message: The specified queue does not exist.',
    });
  });

  // Recorded on AWS.
  row('one that is created disabled is Disabled at once, and can be updated', async () => {
    const [deployed, queue] = await parts();
    const { UUID, State } = await deployed.feed(queue.arn, { Enabled: false });
    expect(State).toBe('Disabled');
    const update = new UpdateEventSourceMappingCommand({ UUID, BatchSize: 2 });
    expect(await aws.lambda.send(update)).toMatchObject({ BatchSize: 2 });
  });

  row('and not what another one says already', async () => {
    const [deployed, queue] = await parts();
    const { UUID } = await deployed.feed(queue.arn);
    await expect(deployed.feed(queue.arn)).rejects.toMatchObject({
      name: 'ResourceConflictException',
      message:
        `An event source mapping with SQS arn (" ${queue.arn} ") and function (" ${deployed.name} ") already exists. ` +
        `Please update or delete the existing mapping with UUID ${UUID}`,
      $metadata: { httpStatusCode: 409 },
    });
  });
});
