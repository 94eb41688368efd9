import { DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import {
  CreateEventSourceMappingCommand,
  type CreateEventSourceMappingCommandInput,
  DeleteEventSourceMappingCommand,
  LambdaClient,
  ListEventSourceMappingsCommand,
  UpdateEventSourceMappingCommand,
} from '@aws-sdk/client-lambda';
import { Duration, type Stack } from 'aws-cdk-lib';
import { AttributeType, StreamViewType, Table } from 'aws-cdk-lib/aws-dynamodb';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Stream } from 'aws-cdk-lib/aws-kinesis';
import {
  CfnEventSourceMapping,
  type CfnEventSourceMappingProps,
  FilterCriteria,
  FilterRule,
  StartingPosition,
} from 'aws-cdk-lib/aws-lambda';
import {
  DynamoEventSource,
  KinesisEventSource,
  type KinesisEventSourceProps,
  SqsDlq,
} from 'aws-cdk-lib/aws-lambda-event-sources';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import type { TableChange } from '../../../local';
import { matchers } from '../../../local/matchers';
import { Deployed } from '../../support/deployed';
import { inlineFunction } from '../../support/inline-function';

interface KinesisEvent {
  readonly Records: readonly { readonly kinesis: { readonly data: string; readonly sequenceNumber: string } }[];
}

/** A stream, a function and a mapping with these settings; the function fails for records that are `bad`. */
async function deployedWith(props: Partial<KinesisEventSourceProps>, retentionPeriod?: Duration) {
  const deployed = await Deployed.stack(
    (stack: Stack) => {
      const worker = inlineFunction(stack, 'Worker', '0;', { timeout: Duration.seconds(5) });
      const onFailure = new SqsDlq(new Queue(stack, 'Failures'));
      const settings = { startingPosition: StartingPosition.LATEST, onFailure, ...props };
      worker.addEventSource(new KinesisEventSource(new Stream(stack, 'Stream', { retentionPeriod }), settings));
    },
    { standIns: 'warn' },
  );
  const batches: string[][] = [];
  const handler = deployed.aws.function('Test/Worker');
  handler.handle<KinesisEvent>(({ Records }) => {
    const texts = Records.map(({ kinesis }) => Buffer.from(kinesis.data, 'base64').toString());
    batches.push(texts);
    const bad = Records.filter((_, i) => texts[i] === 'bad').map(it => ({ itemIdentifier: it.kinesis.sequenceNumber }));
    if (bad.length > 0 && !props.reportBatchItemFailures) throw new Error('bad');
    return { batchItemFailures: bad };
  });
  const put = (...texts: readonly (string | object)[]) =>
    deployed.aws.emit.kinesis({ stream: 'Test/Stream', records: texts.map(data => ({ partitionKey: 'a', data })) });
  return { deployed, batches, put, handler };
}

const counts = (batches: readonly (readonly string[])[]) => batches.map(({ length }) => length);

describe('the mapping of a Kinesis stream', () => {
  test('hands records over in order, in batches, in the shape that AWS documents', async () => {
    const { deployed, put, batches, handler } = await deployedWith({ batchSize: 2 });
    put('1', '2', '3');
    await deployed.advance({ seconds: 1 });
    expect(batches).toEqual([['1', '2'], ['3']]);

    const events: unknown[] = [];
    handler.handle(event => void events.push(event));
    const [sequenceNumber] = put({ id: 1 });
    await deployed.advance({ seconds: 1 });
    expect(events).toEqual([
      {
        Records: [
          {
            kinesis: {
              kinesisSchemaVersion: '1.0',
              partitionKey: 'a',
              sequenceNumber,
              data: Buffer.from('{"id":1}').toString('base64'),
              approximateArrivalTimestamp: Date.UTC(2026, 0, 1) / 1000 + 1,
            },
            eventSource: 'aws:kinesis',
            eventVersion: '1.0',
            eventID: `shardId-000000000000:${sequenceNumber}`,
            eventName: 'aws:kinesis:record',
            invokeIdentityArn: expect.stringContaining(':role/'),
            awsRegion: 'us-east-1',
            eventSourceARN: deployed.arn('Stream'),
          },
        ],
      },
    ]);
  });

  test('waits for its window', async () => {
    const { deployed, put, batches } = await deployedWith({ maxBatchingWindow: Duration.seconds(30) });
    put('1');
    await deployed.advance({ seconds: 20 });
    put('2');
    expect(batches).toEqual([]);
    await deployed.advance({ seconds: 10 });
    expect(batches).toEqual([['1', '2']]);
  });

  test('blocks behind a batch that fails, until its retries are exhausted (assumption LAMBDA-19)', async () => {
    const { deployed, put, batches } = await deployedWith({ retryAttempts: 2, batchSize: 2 });
    put('bad', 'x', 'good');
    await deployed.advance({ minutes: 1 });
    expect(counts(batches)).toEqual([2, 2, 2, 1]);
    const invoked = deployed.happened('lambda.invoked').map(({ atMs, attempt }) => [deployed.secondsAt(atMs), attempt]);
    expect(invoked).toEqual([
      [0, 1],
      [1, 2],
      [3, 3],
      [3, 1],
    ]);
    expect(JSON.parse((await deployed.take('Failures'))[0] ?? '')).toEqual({
      requestContext: {
        requestId: expect.any(String),
        functionArn: deployed.arn('Worker'),
        condition: 'RetryAttemptsExhausted',
        approximateInvokeCount: 3,
      },
      responseContext: { statusCode: 200, executedVersion: '$LATEST', functionError: 'Unhandled' },
      version: '1.0',
      timestamp: '2026-01-01T00:00:03.000Z',
      KinesisBatchInfo: expect.objectContaining({
        shardId: 'shardId-000000000000',
        approximateArrivalOfFirstRecord: '2026-01-01T00:00:00.000Z',
        batchSize: 2,
        streamArn: deployed.arn('Stream'),
      }),
    });
  });

  test('splits a failed batch, so that only the bad record is discarded', async () => {
    const { deployed, put, batches } = await deployedWith({ retryAttempts: 1, bisectBatchOnError: true });
    put('1', 'bad', '3', '4');
    await deployed.advance({ minutes: 1 });
    expect(counts(batches)).toEqual([4, 2, 1, 1, 1, 2]);
    const [{ sequenceNumbers = [], condition } = {}] = deployed.happened('lambda.records-discarded');
    expect([sequenceNumbers.length, condition]).toEqual([1, 'RetryAttemptsExhausted']);
  });

  test('retries from the first record that the function reports', async () => {
    const { deployed, put, batches } = await deployedWith({ retryAttempts: 1, reportBatchItemFailures: true });
    put('1', '2', 'bad', '4');
    await deployed.advance({ minutes: 1 });
    expect(batches).toEqual([
      ['1', '2', 'bad', '4'],
      ['bad', '4'],
    ]);
  });

  test('discards records that are too old', async () => {
    const { deployed, put } = await deployedWith({ maxRecordAge: Duration.minutes(5) });
    put('bad');
    await deployed.advance({ minutes: 10 });
    const [record = ''] = await deployed.take('Failures');
    expect(JSON.parse(record).requestContext).toMatchObject({ condition: 'RecordAgeExceeded' });
    expect(deployed.secondsAt(deployed.happened('lambda.records-discarded')[0]?.atMs ?? 0)).toBeGreaterThanOrEqual(300);
  });

  test('works on several parts of a shard at once', async () => {
    const { deployed, handler } = await deployedWith({ parallelizationFactor: 10, retryAttempts: 0 });
    let most = 0;
    let running = 0;
    handler.handle(async (_, { sleep }) => {
      running += 1;
      most = Math.max(most, running);
      await sleep(1_000);
      running -= 1;
    });
    const records = 'abcdefghij'.split('').map(partitionKey => ({ partitionKey, data: '' }));
    deployed.aws.emit.kinesis({ stream: 'Test/Stream', records });
    await deployed.advance({ seconds: 10 });
    expect(most).toBe(10);
  });

  test.each<[reason: 'Expired' | 'MappingDeleted' | undefined, retention: Duration | undefined]>([
    ['Expired', undefined],
    ['MappingDeleted', undefined],
    [undefined, Duration.hours(48)],
  ])('traces unread records of a disabled mapping: %s', async (reason, retention) => {
    const { deployed, put, batches } = await deployedWith({}, retention);
    const lambda = new LambdaClient(deployed.aws.clientConfig());
    const { EventSourceMappings = [] } = await lambda.send(new ListEventSourceMappingsCommand({}));
    const UUID = EventSourceMappings[0]?.UUID;
    await lambda.send(new UpdateEventSourceMappingCommand({ UUID, Enabled: false }));
    await deployed.advance({ minutes: 1 });
    const sequenceNumbers = put('1', '2');
    if (reason === 'MappingDeleted') await lambda.send(new DeleteEventSourceMappingCommand({ UUID }));
    await deployed.advance({ hours: 25 });
    const unread = deployed.happened('lambda.records-unread');
    if (reason === undefined) {
      await lambda.send(new UpdateEventSourceMappingCommand({ UUID, Enabled: true }));
      await deployed.advance({ minutes: 1 });
      expect([unread, batches]).toEqual([[], [['1', '2']]]);
      return;
    }
    expect(unread).toMatchObject([{ reason, sequenceNumbers }]);
    if (reason === 'Expired') expect(deployed.secondsAt(unread[0]?.atMs ?? 0)).toBe(60 + 24 * 3_600);
    expect(matchers.toHaveLost(deployed.aws, 2)).toMatchObject({ pass: true });
  });

  test('reads from the latest record on when it is first enabled (assumption LAMBDA-22)', async () => {
    const { deployed, put, batches } = await deployedWith({ enabled: false });
    const lambda = new LambdaClient(deployed.aws.clientConfig());
    const { EventSourceMappings: [{ UUID } = {}] = [] } = await lambda.send(new ListEventSourceMappingsCommand({}));
    put('before');
    await lambda.send(new UpdateEventSourceMappingCommand({ UUID, Enabled: true }));
    await deployed.advance({ minutes: 1 });
    put('after');
    await deployed.advance({ hours: 25 });
    expect(batches).toEqual([['after']]);
    expect(deployed.happened('lambda.records-unread')).toEqual([]);
  });

  test('can be updated and created by a client (assumption LAMBDA-23)', async () => {
    const { deployed, put, batches } = await deployedWith({});
    const lambda = new LambdaClient(deployed.aws.clientConfig());
    const { EventSourceMappings: [{ UUID } = {}] = [] } = await lambda.send(new ListEventSourceMappingsCommand({}));
    const update = (settings: object) => lambda.send(new UpdateEventSourceMappingCommand({ UUID, ...settings }));
    await expect(update({ ScalingConfig: { MaximumConcurrency: 2 } })).rejects.toThrow('Unsupported ScalingConfig');
    await expect(update({ MaximumRecordAgeInSeconds: 5 })).rejects.toThrow('must be -1 or from 60 to 604800, got 5');
    await expect(update({ ParallelizationFactor: 11 })).rejects.toThrow('less than or equal to 10');
    const changed = await update({ MaximumRetryAttempts: 1, DestinationConfig: { OnFailure: {} } });
    expect(changed).toMatchObject({ MaximumRetryAttempts: 1, DestinationConfig: { OnFailure: {} } });
    await deployed.advance({ minutes: 1 });
    put('bad', '2');
    await deployed.advance({ minutes: 1 });
    expect(counts(batches)).toEqual([2, 2]);
    expect(matchers.toHaveLost(deployed.aws, 2)).toMatchObject({ pass: true });
    await lambda.send(new DeleteEventSourceMappingCommand({ UUID }));
    await deployed.advance({ minutes: 1 });
    const create = (settings: Partial<CreateEventSourceMappingCommandInput>) =>
      lambda.send(
        new CreateEventSourceMappingCommand({
          EventSourceArn: deployed.arn('Stream'),
          FunctionName: deployed.ref('Worker'),
          ...settings,
        }),
      );
    await expect(create({})).rejects.toThrow('StartingPosition must be TRIM_HORIZON, LATEST, AT_TIMESTAMP, got none.');
    await expect(create({ StartingPosition: 'AT_TIMESTAMP' })).rejects.toThrow('StartingPositionTimestamp is required');
    await create({ StartingPosition: 'TRIM_HORIZON', BisectBatchOnFunctionError: true, MaximumRetryAttempts: 0 });
    await deployed.advance({ minutes: 1 });
    expect(batches.slice(2)).toEqual([['bad', '2'], ['bad'], ['2']]);
  });

  test('gets only what its filters want', async () => {
    const filters = [FilterCriteria.filter({ data: { kind: FilterRule.isEqual('sold') } })];
    const { deployed, put, batches } = await deployedWith({ filters });
    put({ kind: 'sold' }, { kind: 'seen' }, 'text');
    await deployed.advance({ seconds: 1 });
    expect(batches).toEqual([['{"kind":"sold"}']]);
    expect(deployed.happened('lambda.messages-filtered-out')[0]?.messageIds).toHaveLength(2);
  });
});

test('the mapping of a DynamoDB stream gets the changes of its table', async () => {
  const deployed = await Deployed.stack(stack => {
    const worker = inlineFunction(stack, 'Worker', '0;');
    const partitionKey = { name: 'id', type: AttributeType.STRING };
    const table = new Table(stack, 'Orders', { partitionKey, stream: StreamViewType.NEW_IMAGE });
    worker.addEventSource(new DynamoEventSource(table, { startingPosition: StartingPosition.TRIM_HORIZON }));
  });
  const events: unknown[] = [];
  deployed.aws.function('Test/Worker').handle(event => void events.push(event));
  const keys = { id: { S: '1' } };
  const client = new DynamoDBClient(deployed.aws.clientConfig());
  await client.send(new PutItemCommand({ TableName: deployed.ref('Orders'), Item: keys }));
  await deployed.advance({ seconds: 1 });
  expect(events).toMatchObject([
    {
      Records: [
        {
          eventName: 'INSERT',
          eventVersion: '1.1',
          eventSource: 'aws:dynamodb',
          dynamodb: { Keys: keys, NewImage: keys, StreamViewType: 'NEW_IMAGE', SizeBytes: expect.any(Number) },
        },
      ],
    },
  ]);
  const emit = (record: Omit<TableChange, 'keys'>) => () =>
    deployed.aws.emit.dynamoDb({ table: 'Test/Orders', records: [{ keys, ...record }] });
  expect(emit({ event: 'INSERT' })).toThrow('records[0].newImage is required: the table');
  expect(emit({ event: 'MODIFY', newImage: keys, oldImage: keys })).toThrow('records[0].oldImage must be left out');
  expect(emit({ event: 'REMOVE', newImage: keys })).toThrow('StreamViewType NEW_IMAGE, and the event is REMOVE');
});

test.each<[string, Partial<CfnEventSourceMappingProps>]>([
  ['enhanced fan-out', { eventSourceArn: 'arn:aws:kinesis:us-east-1:123456789012:stream/s/consumer/c:1767225600' }],
  ['MSK', { eventSourceArn: 'arn:aws:kafka:us-east-1:123456789012:cluster/c/1-1', topics: ['orders'] }],
  ['a broker', { eventSourceArn: 'arn:aws:mq:us-east-1:123456789012:broker:b:b-1', queues: ['orders'] }],
  ['self-managed Kafka', { selfManagedEventSource: { endpoints: { kafkaBootstrapServers: ['b:9092'] } } }],
])('the mapping of %s gets a stand-in', async (_, props) => {
  const { aws } = await Deployed.stack(
    stack => {
      const { functionName } = inlineFunction(stack, 'Worker', '0;');
      new CfnEventSourceMapping(stack, 'Mapping', { functionName, startingPosition: 'LATEST', ...props });
    },
    { standIns: 'warn' },
  );
  expect(aws.standIns).toMatchObject([
    { logicalId: 'Mapping', what: 'resource', reason: expect.stringContaining('the function receives none of its') },
  ]);
});

test('a mapping is refused if the role may not read the stream, or without a starting position (assumption LAMBDA-21)', async () => {
  const deploying = Deployed.stack(
    stack => {
      const worker = inlineFunction(stack, 'Worker', '0;');
      const eventSourceArn = new Stream(stack, 'Stream').streamArn;
      const actions = ['kinesis:GetRecords', 'kinesis:GetShardIterator', 'kinesis:ListShards'];
      worker.addToRolePolicy(new PolicyStatement({ actions, resources: [eventSourceArn] }));
      const { functionName } = worker;
      new CfnEventSourceMapping(stack, 'Mapping', { functionName, eventSourceArn }).node.addDependency(worker);
    },
    { standIns: 'warn' },
  );
  await expect(deploying).rejects.toThrow(/StartingPosition is required for a stream/);
  await expect(deploying).rejects.toThrow(
    /Cannot access stream arn:aws:kinesis:.*GetShardIterator, DescribeStream, ListShards/,
  );
});

test.each<[string, Partial<CfnEventSourceMappingProps>, RegExp]>([
  ['an age below 60', { maximumRecordAgeInSeconds: 59 }, /MaximumRecordAgeInSeconds must be -1 or from 60 to 604800/],
  ['no timestamp', { startingPosition: 'AT_TIMESTAMP' }, /StartingPositionTimestamp is required with AT_TIMESTAMP/],
  [
    'a timestamp without AT_TIMESTAMP',
    { startingPositionTimestamp: 1_767_225_600 },
    /StartingPositionTimestamp must be left out without AT_TIMESTAMP/,
  ],
  ['a scaling limit', { scalingConfig: { maximumConcurrency: 2 } }, /ScalingConfig is only for queues/],
  [
    'a timestamp for a table',
    {
      eventSourceArn: 'arn:aws:dynamodb:us-east-1:123456789012:table/t/stream/2026-01-01T00:00:00.000',
      startingPosition: 'AT_TIMESTAMP',
      startingPositionTimestamp: 1_767_225_600,
    },
    /StartingPosition may be AT_TIMESTAMP only for a Kinesis stream/,
  ],
])('a mapping is refused with %s', async (_, props, message) => {
  const deploying = Deployed.stack(
    stack => {
      const { functionName } = inlineFunction(stack, 'Worker', '0;');
      const eventSourceArn = new Stream(stack, 'Stream').streamArn;
      new CfnEventSourceMapping(stack, 'Mapping', {
        functionName,
        eventSourceArn,
        startingPosition: 'LATEST',
        ...props,
      });
    },
    { standIns: 'warn' },
  );
  await expect(deploying).rejects.toThrow(message);
});
