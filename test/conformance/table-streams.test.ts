import { CreateRoleCommand, PutRolePolicyCommand } from '@aws-sdk/client-iam';
import { AssumeRoleCommand, STSClient } from '@aws-sdk/client-sts';
import { DAY_SECONDS } from '../../policy/time-units';
import { codeOf, idsIn, StreamedTable } from './table-stream';
import { embeddedRow, row, Target } from './target';

/** @see https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Streams.html */
describe('the streams of DynamoDB', () => {
  const aws = new Target();

  row.each([
    ['KEYS_ONLY', []],
    ['NEW_IMAGE', ['NewImage']],
    ['OLD_IMAGE', ['OldImage']],
    ['NEW_AND_OLD_IMAGES', ['NewImage', 'OldImage']],
  ] as const)('%s: records have the keys and %j', async (view, images) => {
    const table = await StreamedTable.of(aws, view);
    await table.put('a', 1);
    await table.put('a', 2);
    await table.put('a', 2);
    await table.delete('a');
    const { Records = [], NextShardIterator } = await table.records(await table.iterator('TRIM_HORIZON'));
    expect(Records.map(({ eventName }) => eventName)).toEqual(['INSERT', 'MODIFY', 'REMOVE']);
    expect(NextShardIterator).toEqual(expect.any(String));
    const [, changed] = Records;
    const facts = {
      ApproximateCreationDateTime: expect.any(Number),
      SizeBytes: expect.any(Number),
      SequenceNumber: expect.stringMatching(/^\d{21,40}$/),
    };
    const image = (N: string) => ({ id: { S: 'a' }, value: { N } });
    const both = { NewImage: image('2'), OldImage: image('1') };
    const expected = Object.fromEntries(images.map(name => [name, both[name]]));
    expect(changed?.dynamodb).toEqual({ ...facts, Keys: { id: { S: 'a' } }, ...expected, StreamViewType: view });
    expect(changed).toMatchObject({ eventID: expect.any(String), eventVersion: '1.1', eventSource: 'aws:dynamodb' });
  });

  row('an iterator starts at the oldest record, after the newest, at a record or after it', async () => {
    const table = await StreamedTable.of(aws, 'KEYS_ONLY');
    for (const id of ['a', 'b', 'c']) await table.put(id);
    const latest = await table.iterator('LATEST');
    const all = await table.records(await table.iterator('TRIM_HORIZON'));
    expect(idsIn(all)).toEqual(['a', 'b', 'c']);
    const number = all.Records?.[1]?.dynamodb.SequenceNumber;
    expect(idsIn(await table.records(await table.iterator('AT_SEQUENCE_NUMBER', number)))).toEqual(['b', 'c']);
    expect(idsIn(await table.records(await table.iterator('AFTER_SEQUENCE_NUMBER', number)))).toEqual(['c']);
    await table.put('d');
    expect(idsIn(await table.records(latest))).toEqual(['d']);
    const first = await table.records(await table.iterator('TRIM_HORIZON'), { Limit: 3 });
    const rest = await table.records(first);
    expect([idsIn(first), idsIn(rest), idsIn(await table.records(rest))]).toEqual([['a', 'b', 'c'], ['d'], []]);
  });

  row('streams are listed by table and in pages, and described with their shards', async () => {
    const [one, two] = [await StreamedTable.of(aws, 'KEYS_ONLY'), await StreamedTable.of(aws, 'NEW_IMAGE')];
    const label = one.streamArn.slice(one.streamArn.lastIndexOf('/') + 1);
    const named = { StreamArn: one.streamArn, TableName: one.name, StreamLabel: label };
    expect(await one.call('ListStreams', { TableName: one.name })).toEqual({ Streams: [named] });
    const pages: string[] = [];
    let ExclusiveStartStreamArn: string | undefined;
    do {
      const page = await one.call('ListStreams', { Limit: 1, ExclusiveStartStreamArn });
      pages.push(...(page.Streams ?? []).map(({ StreamArn }) => StreamArn));
      ExclusiveStartStreamArn = page.LastEvaluatedStreamArn;
    } while (ExclusiveStartStreamArn !== undefined);
    expect(pages).toEqual(expect.arrayContaining([one.streamArn, two.streamArn]));
    expect(new Set(pages).size).toBe(pages.length);
    const described = await two.describe();
    expect(described.StreamDescription).toMatchObject({
      StreamArn: two.streamArn,
      StreamStatus: 'ENABLED',
      StreamViewType: 'NEW_IMAGE',
      TableName: two.name,
      KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
      CreationRequestDateTime: expect.any(Number),
      Shards: [{ SequenceNumberRange: { StartingSequenceNumber: expect.stringMatching(/^\d{21,40}$/) } }],
    });
    const ShardId = described.StreamDescription?.Shards[0]?.ShardId ?? '';
    expect(ShardId).toMatch(/^shardId-\d{20}-[0-9a-f]{8}$/);
    expect((await two.describe({ ExclusiveStartShardId: ShardId })).StreamDescription?.Shards).toEqual([]);
    const children = { ShardFilter: { Type: 'CHILD_SHARDS', ShardId } };
    expect((await two.describe(children)).StreamDescription?.Shards).toEqual([]);
  });

  row('a stream, shard or number that does not exist is refused in the words that were recorded', async () => {
    const table = await StreamedTable.of(aws, 'KEYS_ONLY');
    const gone = `${table.streamArn.replace(/\/stream\/.*/, '')}/stream/2017-10-05T14:36:01.514`;
    const missing = await table.call('DescribeStream', { StreamArn: gone });
    expect([codeOf(missing), missing.message]).toEqual([
      'ResourceNotFoundException',
      `Requested resource not found: Stream: ${gone} not found`,
    ]);
    const shard = { StreamArn: table.streamArn, ShardId: 'shardId-00000001414562045508-2bac9cd2' };
    const noShard = await table.call('GetShardIterator', { ...shard, ShardIteratorType: 'LATEST' });
    expect([codeOf(noShard), noShard.message]).toEqual([
      'ResourceNotFoundException',
      'Requested resource not found: Shard does not exist',
    ]);
    const wrong = [
      await table.call('DescribeStream', { StreamArn: 'fake-stream' }),
      await table.call('ListStreams', { Limit: 0 }),
      await table.call('GetRecords', { ShardIterator: 'none' }),
      await table.iterator('YESTERDAY'),
      await table.iterator('AT_SEQUENCE_NUMBER'),
    ];
    expect(wrong.map(codeOf)).toEqual(wrong.map(() => 'ValidationException'));
    expect(codeOf(await table.call('PutItem'))).toBe('UnknownOperationException');
  });

  embeddedRow('an iterator is valid for 15 minutes', async () => {
    const table = await StreamedTable.of(aws, 'KEYS_ONLY');
    await table.put('a');
    const iterator = await table.iterator('TRIM_HORIZON');
    await aws.pass(15 * 60);
    const read = await table.records(iterator);
    expect(idsIn(read)).toEqual(['a']);
    await aws.pass(15 * 60 + 1);
    expect([codeOf(await table.records(iterator)), codeOf(await table.records(read))]).toEqual([
      'ExpiredIteratorException',
      'ExpiredIteratorException',
    ]);
  });

  embeddedRow('records are trimmed after 24 hours, and what points to them is refused', async () => {
    const table = await StreamedTable.of(aws, 'KEYS_ONLY');
    await table.put('a');
    const number = (await table.records(await table.iterator('TRIM_HORIZON'))).Records?.[0]?.dynamodb.SequenceNumber;
    await aws.pass(DAY_SECONDS - 60);
    await table.put('b');
    const iterator = await table.iterator('TRIM_HORIZON');
    const [at, after] = [
      await table.iterator('AT_SEQUENCE_NUMBER', number),
      await table.iterator('AFTER_SEQUENCE_NUMBER', number),
    ];
    await aws.pass(120);
    expect([codeOf(await table.records(iterator)), codeOf(await table.records(at))]).toEqual([
      'TrimmedDataAccessException',
      'TrimmedDataAccessException',
    ]);
    expect(idsIn(await table.records(after))).toEqual(['b']);
    expect(codeOf(await table.iterator('AT_SEQUENCE_NUMBER', number))).toBe('TrimmedDataAccessException');
    expect(idsIn(await table.records(await table.iterator('TRIM_HORIZON')))).toEqual(['b']);
  });

  embeddedRow('(assumption DYNAMODB-5) a disabled stream can be read for 24 hours, to its end', async () => {
    const table = await StreamedTable.of(aws, 'KEYS_ONLY');
    await table.put('a');
    await table.disable();
    await table.put('b');
    const { StreamDescription } = await table.describe();
    const [shard] = StreamDescription?.Shards ?? [];
    expect(StreamDescription).toMatchObject({ StreamStatus: 'DISABLED' });
    const read = await table.records(await table.iterator('TRIM_HORIZON'));
    expect(shard?.SequenceNumberRange['EndingSequenceNumber']).toBe(read.Records?.[0]?.dynamodb.SequenceNumber);
    expect([idsIn(read), read.NextShardIterator]).toEqual([['a'], undefined]);
    await aws.pass(DAY_SECONDS);
    expect(codeOf(await table.describe())).toBe('ResourceNotFoundException');
    expect(await table.call('ListStreams', { TableName: table.name })).toEqual({ Streams: [] });
  });

  embeddedRow('each action needs its permission on the stream', async () => {
    const table = await StreamedTable.of(aws, 'KEYS_ONLY');
    const RoleName = aws.name('reader');
    const Principal = { AWS: '*' };
    const trust = { Statement: [{ Effect: 'Allow', Principal, Action: 'sts:AssumeRole' }], Version: '2012-10-17' };
    const { Role } = await aws.iam.send(
      new CreateRoleCommand({ RoleName, AssumeRolePolicyDocument: JSON.stringify(trust) }),
    );
    const allows = { Effect: 'Allow', Action: ['dynamodb:DescribeStream'], Resource: table.streamArn };
    const PolicyDocument = JSON.stringify({ Version: '2012-10-17', Statement: [allows] });
    await aws.iam.send(new PutRolePolicyCommand({ RoleName, PolicyName: 'Reads', PolicyDocument }));
    const sts = aws.client(settings => new STSClient(settings));
    const { Credentials } = await sts.send(new AssumeRoleCommand({ RoleArn: Role?.Arn, RoleSessionName: 'session' }));
    const call = table.as({
      accessKeyId: Credentials?.AccessKeyId ?? '',
      secretAccessKey: Credentials?.SecretAccessKey ?? '',
      sessionToken: Credentials?.SessionToken ?? '',
    });
    const { StreamDescription } = await call('DescribeStream', { StreamArn: table.streamArn });
    const ShardId = StreamDescription?.Shards[0]?.ShardId;
    const { ShardIterator } = await table.iterator('LATEST');
    const refused = [
      await call('ListStreams'),
      await call('GetShardIterator', { StreamArn: table.streamArn, ShardId, ShardIteratorType: 'LATEST' }),
      await call('GetRecords', { ShardIterator }),
    ];
    expect(refused.map(codeOf)).toEqual(refused.map(() => 'AccessDeniedException'));
    expect(refused[2]?.message).toContain(
      `is not authorized to perform: dynamodb:GetRecords on resource: ${table.streamArn}`,
    );
  });
});
