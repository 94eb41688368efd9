import {
  BatchGetItemCommand,
  BatchWriteItemCommand,
  DeleteTableCommand,
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  GetItemCommand,
  ListTablesCommand,
  ListTagsOfResourceCommand,
  QueryCommand,
  type QueryCommandInput,
  ScanCommand,
  TagResourceCommand,
  TransactGetItemsCommand,
  TransactWriteItemsCommand,
  UntagResourceCommand,
  UpdateContinuousBackupsCommand,
  UpdateTableCommand,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import { dynamoDbResourceTypes } from '../../../local/dynamodb';
import { DAY_MS } from '../../../policy/time-units';
import { createResource } from '../create-resource';
import { refusal, SmallAccount, START_MS } from '../small-account';
import { type Json, key, number, started, TABLE, TABLE_ARN, text } from './fleet-table';

describe('queries and scans', () => {
  async function filled() {
    const it = started();
    for (const sk of [10, -1, 2, 0.5, 30])
      await it.put({ ...key('a', sk), due: number(100 - sk), even: { BOOL: sk % 2 === 0 } });
    for (let i = 0; i < 20; i += 1) await it.put(key(`p${i}`, 1));
    await it.aws.timeline.advanceTo(START_MS + 1_000);
    return it;
  }
  const sorts = (items: readonly Json[] | undefined) => items?.map(({ sk }) => Number(sk?.N));

  it('a query returns a range of sort keys in their order, in pages', async () => {
    const { query } = await filled();
    const from = (KeyConditionExpression: string, others: Partial<QueryCommandInput> = {}) =>
      query({
        KeyConditionExpression: `pk = :a AND ${KeyConditionExpression}`,
        ...others,
        ExpressionAttributeValues: { ':a': text('a'), ...others.ExpressionAttributeValues },
      });
    expect(sorts((await query()).Items)).toEqual([-1, 0.5, 2, 10, 30]);
    expect(sorts((await query({ ScanIndexForward: false })).Items)).toEqual([30, 10, 2, 0.5, -1]);
    for (const [condition, expected] of [
      ['sk < :x', [-1, 0.5]],
      ['sk <= :x', [-1, 0.5, 2]],
      ['sk > :x', [10, 30]],
      [':x <= sk', [2, 10, 30]],
      ['sk = :x', [2]],
      ['sk BETWEEN :x AND :x', [2]],
    ] as const) {
      for (const _ of [1, 2])
        expect(sorts((await from(condition, { ExpressionAttributeValues: { ':x': number(2) } })).Items)).toEqual(
          expected,
        );
    }
    for (const ScanIndexForward of [true, false]) {
      const seen: (number | undefined)[] = [];
      let ExclusiveStartKey: Json | undefined;
      do {
        const page = await query({ Limit: 2, ScanIndexForward, ExclusiveStartKey });
        seen.push(...(sorts(page.Items) ?? []));
        ExclusiveStartKey = page.LastEvaluatedKey;
      } while (ExclusiveStartKey);
      expect(seen).toEqual(ScanIndexForward ? [-1, 0.5, 2, 10, 30] : [30, 10, 2, 0.5, -1]);
    }
  });

  it('an index has its own order and attributes, and follows its table after a moment', async () => {
    const { query, put, aws } = await filled();
    const byDue = () => query({ IndexName: 'byDue', ReturnConsumedCapacity: 'TOTAL' });
    const before = await byDue();
    expect(sorts(before.Items)).toEqual([30, 10, 2, 0.5, -1]);
    expect(before.Items?.[0]).toEqual({ ...key('a', 30), due: number(70) });
    expect(before.ConsumedCapacity).toEqual({ TableName: 'fleet', CapacityUnits: 0.5 });
    const units = async (item: Json) =>
      (await put(item, { ReturnConsumedCapacity: 'TOTAL' })).ConsumedCapacity?.CapacityUnits;
    // The table, and twice the index: the item leaves one place there and enters another.
    expect(await units({ ...key('a', 30), due: number(1000) })).toBe(3);
    expect(await units({ ...key('a', 30), due: number(1000), other: text('x') })).toBe(1);
    await put(key('a', 2));
    expect(sorts((await byDue()).Items)).toEqual([30, 10, 2, 0.5, -1]);
    await aws.timeline.advanceTo(START_MS + 2_000);
    expect(sorts((await byDue()).Items)).toEqual([10, 0.5, -1, 30]);
  });

  it('a filter and a projection change what is returned, not what is read', async () => {
    const { query } = await filled();
    const answer = await query({
      FilterExpression: 'even = :yes',
      ProjectionExpression: 'sk',
      ExpressionAttributeValues: { ':a': text('a'), ':yes': { BOOL: true } },
    });
    expect(answer).toMatchObject({ Items: [2, 10, 30].map(sk => ({ sk: number(sk) })), Count: 3, ScannedCount: 5 });
    expect(await query({ Select: 'COUNT' })).toEqual({ $metadata: expect.anything(), Count: 5, ScannedCount: 5 });
  });

  it('a scan finds every item once, in pages and in segments', async () => {
    const { dynamoDb } = await filled();
    const names: string[] = [];
    for (const Segment of [0, 1, 2]) {
      let ExclusiveStartKey: Json | undefined;
      do {
        const page = await dynamoDb.send(
          new ScanCommand({ TableName: 'fleet', Limit: 3, Segment, TotalSegments: 3, ExclusiveStartKey }),
        );
        names.push(...(page.Items ?? []).map(({ pk, sk }) => `${pk?.S} ${sk?.N}`));
        ExclusiveStartKey = page.LastEvaluatedKey;
      } while (ExclusiveStartKey);
    }
    expect(names).toHaveLength(25);
    expect(new Set(names).size).toBe(25);
  });

  it('a page ends after 1 MB', async () => {
    const { put, query } = started();
    for (let sk = 0; sk < 4; sk += 1) await put({ ...key('a', sk), x: text('x'.repeat(300_000)) });
    const first = await query();
    expect(first).toMatchObject({ Count: 4, LastEvaluatedKey: key('a', 3) });
    await put({ ...key('a', 4), x: text('x') });
    expect(await query({ ExclusiveStartKey: first.LastEvaluatedKey })).toMatchObject({ Count: 1 });
  });
});

describe('batches and transactions', () => {
  const writes = (...sks: readonly number[]) => ({ fleet: sks.map(sk => ({ PutRequest: { Item: key('a', sk) } })) });

  it('a batch returns what a fault of single items keeps it from, and fails if that is everything', async () => {
    const { aws, dynamoDb, get } = started();
    const write = (RequestItems: ReturnType<typeof writes>) =>
      dynamoDb.send(new BatchWriteItemCommand({ RequestItems }));
    expect((await write(writes(1, 2))).UnprocessedItems).toEqual({});
    const fault = aws.faults.set({ service: 'dynamodb', action: 'PutItem', resource: TABLE_ARN, throttle: true });
    const mixed = { fleet: [{ DeleteRequest: { Key: key('a', 1) } }, ...writes(3).fleet] };
    expect((await write(mixed as never)).UnprocessedItems).toEqual(writes(3));
    expect((await refusal(write(writes(4))))[0]).toBe('ProvisionedThroughputExceededException');
    fault.end();
    expect(await get(key('a', 1))).toBeUndefined();
    const Keys = [key('a', 1), key('a', 2)];
    const read = await dynamoDb.send(new BatchGetItemCommand({ RequestItems: { fleet: { Keys } } }));
    expect(read.Responses).toEqual({ fleet: [key('a', 2)] });
    expect(await refusal(write(writes(1, 1)))).toEqual([
      'ValidationException',
      'Provided list of item keys contains duplicates',
      400,
    ]);
  });

  it('a transaction does everything or nothing, and once for each token', async () => {
    const { dynamoDb, get } = started();
    const add = {
      TableName: 'fleet',
      Key: key('a', 1),
      UpdateExpression: 'ADD n :n',
      ExpressionAttributeValues: { ':n': number(1) },
    };
    const transact = (exists: boolean, ClientRequestToken?: string) =>
      dynamoDb.send(
        new TransactWriteItemsCommand({
          ClientRequestToken,
          TransactItems: [
            { Update: add },
            { Put: { TableName: 'fleet', Item: key('a', 2) } },
            {
              ConditionCheck: {
                TableName: 'fleet',
                Key: key('a', 3),
                ConditionExpression: exists ? 'attribute_exists(pk)' : 'attribute_not_exists(pk)',
              },
            },
          ],
        }),
      );
    await expect(transact(true)).rejects.toMatchObject({
      name: 'TransactionCanceledException',
      message:
        'Transaction cancelled, please refer cancellation reasons for specific reasons [None, None, ConditionalCheckFailed]',
      CancellationReasons: [{ Code: 'None' }, { Code: 'None' }, { Code: 'ConditionalCheckFailed' }],
    });
    expect(await get(key('a', 1))).toBeUndefined();
    for (const _ of [1, 2]) await transact(false, 'token');
    const { Responses } = await dynamoDb.send(
      new TransactGetItemsCommand({
        TransactItems: [1, 9].map(sk => ({ Get: { TableName: 'fleet', Key: key('a', sk) } })),
      }),
    );
    expect(Responses).toEqual([{ Item: { ...key('a', 1), n: number(1) } }, {}]);
    expect((await refusal(transact(true, 'token')))[0]).toBe('IdempotentParameterMismatchException');
    const twice = new TransactWriteItemsCommand({ TransactItems: [{ Update: add }, { Update: add }] });
    expect((await refusal(dynamoDb.send(twice)))[1]).toBe(
      'Transaction request cannot include multiple operations on one item',
    );
  });
});

describe('who may', () => {
  it('a role needs the action on the table or its index, and may be limited to partition keys', async () => {
    const { aws, put } = started();
    await put(key('a', 1));
    const { clients } = aws.role(
      'Reader',
      {
        Effect: 'Allow',
        Action: ['dynamodb:GetItem', 'dynamodb:PutItem'],
        Resource: TABLE_ARN,
        Condition: { 'ForAllValues:StringEquals': { 'dynamodb:LeadingKeys': ['a'] } },
      },
      { Effect: 'Allow', Action: 'dynamodb:Query', Resource: TABLE_ARN },
    );
    const { dynamoDb } = clients;
    const get = (pk: string) => dynamoDb.send(new GetItemCommand({ TableName: 'fleet', Key: key(pk, 1) }));
    expect((await get('a')).Item).toEqual(key('a', 1));
    expect((await refusal(get('b')))[0]).toBe('AccessDeniedException');
    const query = {
      TableName: 'fleet',
      KeyConditionExpression: 'pk = :a',
      ExpressionAttributeValues: { ':a': text('a') },
    };
    expect((await dynamoDb.send(new QueryCommand(query))).Count).toBe(1);
    expect((await refusal(dynamoDb.send(new QueryCommand({ ...query, IndexName: 'byDue' }))))[1]).toContain(
      `dynamodb:Query on resource: ${TABLE_ARN}/index/byDue`,
    );
    const transact = (pk: string) =>
      dynamoDb.send(
        new TransactWriteItemsCommand({ TransactItems: [{ Put: { TableName: 'fleet', Item: key(pk, 1) } }] }),
      );
    await transact('a');
    expect((await refusal(transact('b')))[0]).toBe('AccessDeniedException');
    const batch = new BatchWriteItemCommand({ RequestItems: { fleet: [{ PutRequest: { Item: key('a', 1) } }] } });
    expect((await refusal(dynamoDb.send(batch)))[1]).toContain('dynamodb:BatchWriteItem');
  });

  it('the customer managed key of a table concerns its callers', async () => {
    const aws = new SmallAccount();
    const KMSMasterKeyId = aws.key();
    aws.dynamoDb.call('CreateTable', aws.dynamoDb.owner, {
      ...TABLE,
      SSESpecification: { Enabled: true, KMSMasterKeyId },
    });
    const allowed = { Effect: 'Allow', Action: 'dynamodb:*', Resource: '*' };
    const context = {
      'kms:EncryptionContext:aws:dynamodb:tableName': 'fleet',
      'kms:ViaService': 'dynamodb.us-east-1.amazonaws.com',
    };
    const decrypt = {
      Effect: 'Allow',
      Action: 'kms:Decrypt',
      Resource: KMSMasterKeyId,
      Condition: { StringEquals: context },
    };
    const get = new GetItemCommand({ TableName: 'fleet', Key: key('a', 1) });
    expect((await refusal(aws.role('Without', allowed).clients.dynamoDb.send(get)))[0]).toBe('AccessDeniedException');
    expect((await aws.role('With', allowed, decrypt).clients.dynamoDb.send(get)).$metadata.httpStatusCode).toBe(200);
  });
});

it('time to live and streams deletes an item within two days after its time, unless it was changed or is five years old', async () => {
  const { aws, dynamoDb, put, get } = started({
    StreamSpecification: { StreamEnabled: true, StreamViewType: 'OLD_IMAGE' },
  });
  const records: object[] = [];
  aws.streams.follow(aws.dynamoDb.state.named('fleet').stream?.arn ?? '', added => records.push(...added));
  const second = START_MS / 1000 + 3600;
  await put({ ...key('a', 1), until: number(second) });
  await dynamoDb.send(
    new UpdateTimeToLiveCommand({
      TableName: 'fleet',
      TimeToLiveSpecification: { AttributeName: 'until', Enabled: true },
    }),
  );
  await put({ ...key('a', 2), until: number(second) });
  await put({ ...key('a', 2), until: number(second + 30 * 86_400) });
  await put({ ...key('a', 3), until: number(1) });
  await aws.timeline.advanceTo(START_MS + 3_600_000);
  expect(await get(key('a', 1))).toBeDefined();
  await aws.timeline.advanceTo(START_MS + 3 * DAY_MS);
  expect(
    [await get(key('a', 1)), await get(key('a', 2)), await get(key('a', 3))].map(item => item !== undefined),
  ).toEqual([false, true, true]);
  const expired = { tableArn: TABLE_ARN, key: key('a', 1) };
  expect(aws.happened('dynamodb.item-expired')).toMatchObject([expired]);
  expect(records.at(-1)).toMatchObject({
    members: {
      eventName: 'REMOVE',
      userIdentity: { principalId: 'dynamodb.amazonaws.com' },
      dynamodb: { Keys: key('a', 1), OldImage: { until: number(second) }, StreamViewType: 'OLD_IMAGE' },
    },
  });
  expect(records).toHaveLength(5);
});

describe('a table', () => {
  it('is described, listed, tagged, changed and deleted', async () => {
    const { aws, dynamoDb, put } = started({ DeletionProtectionEnabled: true });
    await put({ ...key('a', 1), x: text('four') });
    const { Table } = await dynamoDb.send(new DescribeTableCommand({ TableName: 'fleet' }));
    // pk + a, sk + 1 (two bytes), x + four.
    expect(Table).toMatchObject({
      TableStatus: 'ACTIVE',
      ItemCount: 1,
      TableSizeBytes: 12,
      BillingModeSummary: { BillingMode: 'PAY_PER_REQUEST' },
    });
    expect((await dynamoDb.send(new ListTablesCommand({}))).TableNames).toEqual(['fleet']);
    await dynamoDb.send(
      new TagResourceCommand({
        ResourceArn: TABLE_ARN,
        Tags: [
          { Key: 'k', Value: 'v' },
          { Key: 'l', Value: 'w' },
        ],
      }),
    );
    await dynamoDb.send(new UntagResourceCommand({ ResourceArn: TABLE_ARN, TagKeys: ['k'] }));
    expect((await dynamoDb.send(new ListTagsOfResourceCommand({ ResourceArn: TABLE_ARN }))).Tags).toEqual([
      { Key: 'l', Value: 'w' },
    ]);
    const recovery = { TableName: 'fleet', PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true } };
    const { ContinuousBackupsDescription } = await dynamoDb.send(new UpdateContinuousBackupsCommand(recovery));
    expect(ContinuousBackupsDescription?.PointInTimeRecoveryDescription).toMatchObject({
      PointInTimeRecoveryStatus: 'ENABLED',
      RecoveryPeriodInDays: 35,
    });
    const drop = () => dynamoDb.send(new DeleteTableCommand({ TableName: 'fleet' }));
    expect((await refusal(drop()))[1]).toContain('protected against deletion');
    const [Create] = TABLE.GlobalSecondaryIndexes ?? [];
    await dynamoDb.send(
      new UpdateTableCommand({
        TableName: 'fleet',
        DeletionProtectionEnabled: false,
        GlobalSecondaryIndexUpdates: [{ Create: Create && { ...Create, IndexName: 'second' } }],
      }),
    );
    await drop();
    expect(aws.happened('dynamodb.table-deleted')).toHaveLength(1);
    expect((await refusal(drop()))[1]).toBe('Requested resource not found: Table: fleet not found');
  });

  it('a throttled call is counted, and answered as AWS answers it', async () => {
    const { aws, put } = started();
    aws.faults.set({ service: 'dynamodb', throttle: true });
    expect((await refusal(put(key('a', 1))))[0]).toBe('ThrottlingException');
    expect(aws.metrics).toEqual([
      {
        namespace: 'AWS/DynamoDB',
        name: 'ThrottledRequests',
        dimensions: { TableName: 'fleet', Operation: 'PutItem' },
        value: 1,
      },
    ]);
  });
});

describe('AWS::DynamoDB::Table', () => {
  const ofTemplate = {
    TableName: 'fleet',
    AttributeDefinitions: TABLE.AttributeDefinitions,
    KeySchema: TABLE.KeySchema,
    GlobalSecondaryIndexes: TABLE.GlobalSecondaryIndexes,
    BillingMode: 'PAY_PER_REQUEST',
  };
  const create = (aws: SmallAccount, properties: object) =>
    createResource(dynamoDbResourceTypes(aws.dynamoDb), 'AWS::DynamoDB::Table', { ...ofTemplate, ...properties });

  it('has what its template says', async () => {
    const aws = new SmallAccount();
    const { created, problems } = create(aws, {
      TimeToLiveSpecification: { AttributeName: 'until', Enabled: 'true' },
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true, RecoveryPeriodInDays: 7 },
      SSESpecification: { SSEEnabled: true, KMSMasterKeyId: aws.key(), SSEType: 'KMS' },
      StreamSpecification: { StreamViewType: 'NEW_IMAGE' },
      DeletionProtectionEnabled: true,
      Tags: [{ Key: 'k', Value: 'v' }],
    });
    expect(problems).toEqual([]);
    expect(created).toEqual({
      ref: 'fleet',
      attributes: { Arn: TABLE_ARN, StreamArn: `${TABLE_ARN}/stream/2026-01-01T00:00:00.000` },
    });
    const named = { TableName: 'fleet' };
    const { dynamoDb } = aws.clients;
    const { Table } = await dynamoDb.send(new DescribeTableCommand(named));
    expect(Table).toMatchObject({
      DeletionProtectionEnabled: true,
      SSEDescription: { Status: 'ENABLED', SSEType: 'KMS' },
      StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_IMAGE' },
      GlobalSecondaryIndexes: [{ IndexName: 'byDue', IndexStatus: 'ACTIVE' }],
    });
    const { TimeToLiveDescription } = await dynamoDb.send(new DescribeTimeToLiveCommand(named));
    expect(TimeToLiveDescription).toEqual({ TimeToLiveStatus: 'ENABLED', AttributeName: 'until' });
    const { ContinuousBackupsDescription } = await dynamoDb.send(new DescribeContinuousBackupsCommand(named));
    expect(ContinuousBackupsDescription?.PointInTimeRecoveryDescription).toMatchObject({ RecoveryPeriodInDays: 7 });
  });

  it.each<readonly [properties: object, problem: string]>([
    [{ KeySchema: [] }, "Value '[]' at 'keySchema'"],
    [{ GlobalSecondaryIndexes: undefined }, 'Number of attributes in KeySchema does not exactly match'],
    [{ BillingMode: 'PROVISIONED' }, 'ReadCapacityUnits and WriteCapacityUnits must both be specified'],
    [{ BillingMode: 'FREE' }, 'Member must satisfy enum value set: [PROVISIONED, PAY_PER_REQUEST]'],
    [{ KinesisStreamSpecification: {} }, 'KinesisStreamSpecification is not implemented'],
  ])('refuses %j', (properties, problem) => {
    expect(create(new SmallAccount(), properties).problems.join()).toContain(problem);
  });
});
