import { existsSync } from 'node:fs';
import path from 'node:path';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { SendMessageBatchCommand } from '@aws-sdk/client-sqs';
import { Duration } from 'aws-cdk-lib';
import { Key } from 'aws-cdk-lib/aws-kms';
import { SqsDestination } from 'aws-cdk-lib/aws-lambda-destinations';
import { DeduplicationScope, FifoThroughputLimit, Queue } from 'aws-cdk-lib/aws-sqs';
import { AlarmDefaults, AlarmSet, FailedEventForm, FunctionFailures, ProcessingQueue } from '../../lib';
import { packageRoot } from '../../lib/shared/own-package';
import { Deployed } from '../support/deployed';
import { inlineFunction } from '../support/inline-function';
import { deployRentalOrders, ORDER, RENTAL } from '../support/rental';

describe('processing queue', () => {
  /** Processes what it can, and reports the failed messages. */
  const PICKY = `exports.handler = async ({ Records }) => ({
  batchItemFailures: Records.filter(({ body }) => body.startsWith('poison')).map(({ messageId }) => ({ itemIdentifier: messageId })),
});`;
  /** Fails on the whole batch because of one message. */
  const CLUMSY = `exports.handler = async ({ Records }) => {
  if (Records.some(({ body }) => body.startsWith('poison'))) throw new Error('indigestible');
};`;

  /** Stops at the first failed message, as the consumer of a FIFO queue should. */
  const STRICT = `exports.handler = async ({ Records }) => {
  const at = Records.findIndex(({ body }) => body.startsWith('poison'));
  const failed = at < 0 ? [] : Records.slice(at);
  for (const { body } of Records.slice(0, Records.length - failed.length)) console.log('done: ' + body);
  return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) };
};`;

  describe('ProcessingQueue', () => {
    let deployed: Deployed;

    beforeAll(async () => {
      deployed = await Deployed.stack(stack => {
        AlarmDefaults.of(stack).use(AlarmSet.ALL);
        const encryptionMasterKey = new Key(stack, 'Key');
        new ProcessingQueue(stack, 'Polled', { encryptionMasterKey, visibilityTimeout: Duration.minutes(1) });
        new ProcessingQueue(stack, 'Stuck', { ageAlarmThreshold: Duration.minutes(10) });
        new ProcessingQueue(stack, 'Crowded', { visibilityTimeout: Duration.hours(1) });
        for (const [id, code] of [
          ['Picky', PICKY],
          ['Clumsy', CLUMSY],
        ] as const) {
          const queue = new ProcessingQueue(stack, id, { encryptionMasterKey });
          const consumer = inlineFunction(stack, `${id}Consumer`, code, { timeout: Duration.seconds(5) });
          queue.addFunctionConsumer(consumer, { batchSize: 10 });
        }
      });
    });

    const countsOf = (queue: string) =>
      deployed
        .happened('sqs.received')
        .filter(({ queueArn }) => queueArn === deployed.arn(queue))
        .map(({ receiveCount }) => receiveCount);

    test('gives poison out five times; SQS then moves it as it is, and the waiting alarm tells', async () => {
      const messageId = await deployed.send('Polled', 'poison');
      for (let i = 0; i < 6; i += 1) {
        await deployed.receive('Polled');
        await deployed.advance({ minutes: 1 });
      }
      expect(countsOf('Polled')).toEqual([1, 2, 3, 4, 5]);
      const movedAt = deployed.seconds - 60;
      await deployed.advance({ minutes: 2 });
      const [at = Number.NaN] = deployed.alarmed('Polled/DeadLetterQueue/WaitingAlarm');
      expect(at).toBeGreaterThan(movedAt);
      expect(at - movedAt).toBeLessThanOrEqual(120);

      const [message, ...others] = await deployed.receive('Polled/DeadLetterQueue');
      expect(others).toEqual([]);
      expect(message).toMatchObject({
        MessageId: messageId,
        Body: 'poison',
        Attributes: { ApproximateReceiveCount: '6', DeadLetterQueueSourceArn: deployed.arn('Polled') },
      });
    });

    test('raises the age alarm when the oldest message has waited for longer than the threshold', async () => {
      const sentAt = deployed.seconds;
      await deployed.send('Stuck', 'nobody comes');
      await deployed.advance({ minutes: 10 });
      expect(deployed.alarmed('Stuck/AgeAlarm')).toEqual([]);
      await deployed.advance({ minutes: 3 });
      const [at = Number.NaN] = deployed.alarmed('Stuck/AgeAlarm');
      expect(at - sentAt).toBeGreaterThan(600);
      expect(at - sentAt).toBeLessThanOrEqual(720);
      await deployed.take('Stuck');
      await deployed.advance({ minutes: 5 });
      expect(deployed.rings('Stuck/AgeAlarm').at(-1)?.to).toBe('OK');
    });

    test('raises the in-flight alarm at 80,001 of the 120,000 messages a queue can hold in flight', async () => {
      const { sqs } = deployed.aws.services;
      const QueueUrl = deployed.ref('Crowded');
      const administrator = deployed.aws.services.logs.owner;
      const Entries = [...Array(10).keys()].map(id => ({ Id: String(id), MessageBody: 'x' }));
      const crowd = (batches: number) => {
        for (let i = 0; i < batches; i += 1) {
          sqs.call('SendMessageBatch', administrator, { QueueUrl, Entries });
          sqs.call('ReceiveMessage', administrator, { QueueUrl, MaxNumberOfMessages: 10 });
        }
      };
      crowd(8_000);
      await deployed.advance({ minutes: 3 });
      expect(deployed.alarmed('Crowded/InFlightAlarm')).toEqual([]);
      crowd(1);
      await deployed.advance({ minutes: 3 });
      expect(deployed.alarmed('Crowded/InFlightAlarm')).toHaveLength(1);
    });

    describe('with a function as consumer', () => {
      const BODIES = ['good 1', 'poison', 'good 2', 'good 3'];

      const feed = async (queue: string) => {
        for (const body of BODIES) await deployed.send(queue, body);
        await deployed.aws.runUntilIdle();
        await deployed.advance({ minutes: 10 });
        await deployed.aws.runUntilIdle();
      };

      const deletedFrom = (queue: string) =>
        deployed.happened('sqs.deleted').filter(({ queueArn }) => queueArn === deployed.arn(queue));

      test('deletes what was done, and only the poison comes back, five times, and is moved', async () => {
        await feed('Picky');
        expect(deletedFrom('Picky').map(({ receiveCount }) => receiveCount)).toEqual([1, 1, 1]);
        expect(await deployed.take('Picky')).toEqual([]);
        expect(await deployed.take('Picky/DeadLetterQueue')).toEqual(['poison']);
        const batches = deployed.happened('lambda.batch-finished').filter(it => it.queueArn === deployed.arn('Picky'));
        expect(batches.filter(({ failedMessageIds }) => failedMessageIds.length > 0)).toHaveLength(5);
        expect(batches.every(({ outcome }) => outcome === 'success')).toBe(true);
      });

      test('whose error costs the whole batch, its companions too may end in the dead-letter queue, and none is lost', async () => {
        await feed('Clumsy');
        const dead = await deployed.take('Clumsy/DeadLetterQueue');
        expect(dead).toContain('poison');
        expect(dead.length + deletedFrom('Clumsy').length).toBe(BODIES.length);
        const batches = deployed.happened('lambda.batch-finished').filter(it => it.queueArn === deployed.arn('Clumsy'));
        expect(batches.filter(({ outcome }) => outcome === 'error').length).toBeGreaterThanOrEqual(5);
      });
    });
  });

  test.each([
    { batchSize: 1, dead: ['poison'], done: ['first', 'second', 'third'], what: 'the poison out of its group' },
    { batchSize: 10, dead: ['poison', 'second', 'third'], done: ['first'], what: 'with it what stood behind it' },
  ])('A FIFO ProcessingQueue takes $what, with a batch size of $batchSize', async ({ batchSize, dead, done }) => {
    const deployed = await Deployed.stack(stack => {
      AlarmDefaults.of(stack).use(AlarmSet.ALL);
      const queue = new ProcessingQueue(stack, 'Orders', {
        fifo: true,
        contentBasedDeduplication: true,
        deduplicationScope: DeduplicationScope.MESSAGE_GROUP,
        fifoThroughputLimit: FifoThroughputLimit.PER_MESSAGE_GROUP_ID,
        encryptionMasterKey: new Key(stack, 'Key'),
      });
      const consumer = inlineFunction(stack, 'Consumer', STRICT, { timeout: Duration.seconds(5) });
      queue.addFunctionConsumer(consumer, { batchSize });
    });
    const QueueUrl = deployed.ref('Orders');
    const Entries = ['first', 'poison', 'second', 'third'].map(body => ({
      Id: body,
      MessageBody: body,
      MessageGroupId: '7',
    }));
    await deployed.sqs.send(new SendMessageBatchCommand({ QueueUrl, Entries }));
    await deployed.advance({ minutes: 10 });
    expect(await deployed.take('Orders/DeadLetterQueue')).toEqual(dead);
    expect(deployed.alarmed('Orders/DeadLetterQueue/WaitingAlarm')).toHaveLength(1);
    const log = deployed.log(`/aws/lambda/${deployed.ref('Consumer')}`);
    expect(log.flatMap(line => /done: (\w+)/.exec(line)?.[1] ?? [])).toEqual(done);
  });

  describe('The dead letters of a ProcessingQueue', () => {
    const MOVES = `
    const { SQS } = require('@aws-sdk/client-sqs');
    exports.handler = ({ SourceArn, DestinationArn }) => new SQS().startMessageMoveTask({ SourceArn, DestinationArn });`;

    test.each([
      { who: 'whoever may', granted: true, moved: ['poison'] },
      { who: 'nobody else', granted: false, moved: [] },
    ])('are moved back by $who', async ({ granted, moved }) => {
      const deployed = await Deployed.stack(stack => {
        AlarmDefaults.of(stack).use(AlarmSet.ALL);
        const encryptionMasterKey = new Key(stack, 'Key');
        const queue = new ProcessingQueue(stack, 'Orders', { encryptionMasterKey, maxReceiveCount: 1 });
        const mover = inlineFunction(stack, 'Mover', MOVES);
        if (granted) queue.grantRedrive(mover);
      });
      await deployed.send('Orders', 'poison');
      for (let receives = 0; receives < 2; receives += 1) {
        await deployed.receive('Orders');
        await deployed.advance({ minutes: 1 });
      }
      const [SourceArn, DestinationArn] = [deployed.arn('Orders/DeadLetterQueue'), deployed.arn('Orders')];
      const lambda = new LambdaClient(deployed.aws.clientConfig());
      const Payload = Buffer.from(JSON.stringify({ SourceArn, DestinationArn }));
      await lambda.send(new InvokeCommand({ FunctionName: deployed.ref('Mover'), InvocationType: 'Event', Payload }));
      await deployed.advance({ minutes: 1 });
      expect(await deployed.take('Orders')).toEqual(moved);
    });
  });

  test('a Queue of plain aws-cdk-lib keeps giving poison out until it expires, and it is gone', async () => {
    const deployed = await Deployed.stack(
      stack => void new Queue(stack, 'Queue', { retentionPeriod: Duration.minutes(10) }),
    );
    await deployed.send('Queue', 'poison');
    let receives = 0;
    for (let minute = 0; minute < 11; minute += 1) {
      receives += (await deployed.receive('Queue')).length;
      await deployed.advance({ minutes: 1 });
    }
    expect(receives).toBe(10);
    expect(deployed.happened('sqs.expired')).toMatchObject([{ receiveCount: 10 }]);
    expect(deployed.happened('sqs.dead-lettered')).toEqual([]);
  });
});

const FAILS = "exports.handler = async () => { throw new Error('no invoice today'); };";

describe('FunctionFailures that keeps records', () => {
  let deployed: Deployed;
  let lambda: LambdaClient;

  beforeEach(async () => {
    deployed = await Deployed.stack(stack => {
      AlarmDefaults.of(stack).use(AlarmSet.ALL);
      const encryptionKey = new Key(stack, 'Key');
      const handler = inlineFunction(stack, 'Billing', FAILS);
      new FunctionFailures(stack, 'Failures', { handler, encryptionKey, keptAs: FailedEventForm.RECORD });
      const short = { keptAs: FailedEventForm.RECORD, retryAttempts: 0, maxEventAge: Duration.minutes(1) };
      const alias = inlineFunction(stack, 'Versioned', FAILS).addAlias('live');
      new FunctionFailures(stack, 'FailuresOfAlias', { handler: alias, encryptionKey, ...short });
      inlineFunction(stack, 'Plain', FAILS);
    });
    lambda = new LambdaClient({ ...deployed.aws.clientConfig(), maxAttempts: 1 });
  });

  const invoke = async (name: string, event: object, Qualifier?: string) => {
    const Payload = Buffer.from(JSON.stringify(event));
    await lambda.send(
      new InvokeCommand({ FunctionName: deployed.ref(name), InvocationType: 'Event', Payload, Qualifier }),
    );
    await deployed.advance({ minutes: 10 });
  };

  test('has the event, the error and its stack in the dead-letter queue, and tells of it', async () => {
    await invoke('Billing', { order: 1 });
    const [message, ...others] = await deployed.receive('Failures/DeadLetterQueue');
    expect(others).toEqual([]);
    expect(JSON.parse(message?.Body ?? '{}')).toMatchObject({
      requestContext: { condition: 'RetriesExhausted', approximateInvokeCount: 3 },
      requestPayload: { order: 1 },
      responsePayload: { errorMessage: 'no invoice today', trace: expect.any(Array) },
    });
    expect(deployed.alarmed('Failures/DeadLetterQueue/ArrivalsAlarm')).toHaveLength(1);
    expect(deployed.alarmed('Failures/DestinationFailuresAlarm')).toEqual([]);
    expect(deployed.happened('lambda.lost')).toEqual([]);
  });

  test('keeps what an alias fails on, without a retry where none is wanted', async () => {
    await invoke('Versioned', { order: 2 }, 'live');
    const [message] = await deployed.receive('FailuresOfAlias/DeadLetterQueue');
    expect(JSON.parse(message?.Body ?? '{}')).toMatchObject({
      requestContext: { condition: 'RetriesExhausted', approximateInvokeCount: 1 },
      requestPayload: { order: 2 },
    });
  });

  test('says so when even that cannot be kept', async () => {
    deployed.aws.faults.set({ service: 'sqs', action: 'SendMessage', httpStatus: 403, code: 'AccessDenied' });
    await invoke('Billing', { order: 3 });
    expect(await deployed.take('Failures/DeadLetterQueue')).toEqual([]);
    expect(deployed.alarmed('Failures/DestinationFailuresAlarm')).toHaveLength(1);
    expect(deployed.alarmed('Failures/DeadLetterQueue/ArrivalsAlarm')).toEqual([]);
  });

  test('where a plain function loses the event without a word', async () => {
    await invoke('Plain', { order: 4 });
    expect(deployed.happened('lambda.lost')).toHaveLength(1);
    expect(deployed.happened('cloudwatch.alarm-state-changed').filter(({ to }) => to === 'ALARM')).toEqual([]);
  });
});

test('FunctionFailures with a destination beside its dead-letter queue keeps the event in one and the record in the other, both encrypted', async () => {
  const deployed = await Deployed.stack(stack => {
    AlarmDefaults.of(stack).use(AlarmSet.ALL);
    const encryptionMasterKey = new Key(stack, 'Key');
    const handler = inlineFunction(stack, 'Billing', FAILS);
    const onFailure = new SqsDestination(new Queue(stack, 'Records', { encryptionMasterKey }));
    new FunctionFailures(stack, 'Failures', { handler, onFailure, encryptionKey: encryptionMasterKey });
  });
  const lambda = new LambdaClient(deployed.aws.clientConfig());
  const Payload = Buffer.from('{"order":1}');
  const FunctionName = deployed.ref('Billing');
  await lambda.send(new InvokeCommand({ FunctionName, InvocationType: 'Event', Payload }));
  await deployed.advance({ minutes: 10 });
  expect(await deployed.take('Failures/DeadLetterQueue')).toEqual(['{"order":1}']);
  const [record = '{}'] = await deployed.take('Records');
  expect(JSON.parse(record)).toMatchObject({ requestPayload: { order: 1 } });
  expect(deployed.happened('lambda.lost')).toEqual([]);
});

/** The bundle is one file with its source map next to it. NODE_OPTIONS enables the map. */
test('stack traces: A stack trace in the log of the billing function names files and lines of the source', async () => {
  const deployed = await deployRentalOrders();
  await deployed.publish(RENTAL.topic, JSON.stringify({ ...ORDER, days: 0.5 }), {
    MessageAttributes: { 'order-status': { DataType: 'String', StringValue: 'confirmed' } },
  });
  await deployed.aws.runUntilIdle();

  const { logging } = deployed.aws.services.lambda.functionNamed('Rental-Billing').configuration;
  const log = deployed.log(logging.logGroup).join('\n');
  const files = [...log.matchAll(/examples\/rental\/[\w./-]+\.ts(?=:\d+:\d+)/g)].map(([file]) => file);
  expect(files).toContain('examples/rental/billing-function/billing.ts');
  expect(files.filter(file => !existsSync(path.join(packageRoot(), file)))).toEqual([]);
  expect(log).not.toContain(packageRoot());
});
