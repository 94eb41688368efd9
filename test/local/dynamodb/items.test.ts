import {
  CreateTableCommand,
  DeleteItemCommand,
  ExecuteStatementCommand,
  PutItemCommand,
  type QueryCommandInput,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { refusal } from '../small-account';
import { type Json, key, number, started, TABLE, text } from './fleet-table';

const VALUES: Json = {
  ':s': text('b'),
  ':n': number(7),
  ':m': number(9),
  ':set': { SS: ['y', 'x'] },
  ':map': { M: { a: { L: [number('1.50')] } } },
  ':b': { B: Uint8Array.of(1, 2) },
  ':type': text('M'),
};

/** An item with every type of attribute. */
const ITEM: Json = {
  ...key('a', 1),
  text: text('abc'),
  number: number('007.50'),
  bytes: { B: Uint8Array.of(1, 2, 3) },
  set: { SS: ['x', 'y'] },
  map: { M: { a: { L: [number(1.5)] } } },
  list: { L: [text('b'), number(7)] },
  flag: { BOOL: true },
  nothing: { NULL: true },
};

describe('an item', () => {
  it('is returned as it was written, with its numbers in their usual form', async () => {
    const { put, get } = started();
    await put(ITEM);
    expect(await get(key('a', 1))).toEqual({
      ...ITEM,
      number: number('7.5'),
      bytes: { B: new Uint8Array(Buffer.from([1, 2, 3])) },
    });
    expect(await get(key('a', 2))).toBeUndefined();
  });

  it.each(['toString', 'constructor', '__proto__'])(
    'may have an attribute %s, and does not without one',
    async name => {
      const { put, get, dynamoDb } = started();
      await put(key('a', 1));
      const change = (ConditionExpression: string, UpdateExpression: string) =>
        dynamoDb.send(
          new UpdateItemCommand({
            TableName: 'fleet',
            Key: key('a', 1),
            ConditionExpression,
            UpdateExpression,
            ExpressionAttributeNames: { '#n': name },
            ExpressionAttributeValues: { ':x': text('x') },
          }),
        );
      await change('attribute_not_exists(#n)', 'SET copied = if_not_exists(#n, :x), #n = :x');
      await change('attribute_exists(#n) AND #n = :x', 'SET again = :x');
      const item = (await get(key('a', 1))) ?? {};
      expect(Object.keys(item).sort()).toEqual(
        Object.keys({ ...key('a', 1), copied: 1, again: 1 })
          .concat(name)
          .sort(),
      );
    },
  );

  it.each<readonly [condition: string, isMet: boolean]>([
    ['attribute_exists(#t) AND attribute_not_exists(absent)', true],
    ['contains(#t, :s) AND contains(#l, :s) AND contains(#s, :s)', false],
    ['contains(#t, :s) AND contains(#l, :n) AND contains(bytes, :b)', true],
    ['begins_with(bytes, :b) AND NOT begins_with(#t, :s)', true],
    ['attribute_type(#m, :type) AND size(#t) < :n', true],
    ['#s = :set AND #m = :map', true],
    ['#m.a[0] BETWEEN :n AND :m OR number BETWEEN :n AND :m', true],
    ['absent <> :n AND NOT absent = :n AND NOT absent < :n', true],
    ['#t IN (:s, :n) OR number >= :m', false],
    ['#t > :s OR #t > :n', false],
  ])('a condition: %s', async (ConditionExpression, isMet) => {
    const { put, aws } = started();
    await put(ITEM);
    const names = { '#t': 'text', '#l': 'list', '#s': 'set', '#m': 'map' };
    const used = (all: object) =>
      Object.fromEntries(Object.entries(all).filter(([name]) => new RegExp(`${name}\\b`).test(ConditionExpression)));
    const write = put(key('a', 1), {
      ConditionExpression: ConditionExpression.replace(/number/g, '#n'),
      ...(/#|number/.test(ConditionExpression) && {
        ExpressionAttributeNames: { ...used(names), ...(/number/.test(ConditionExpression) && { '#n': 'number' }) },
      }),
      ...(/:/.test(ConditionExpression) && { ExpressionAttributeValues: used(VALUES) }),
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    });
    if (isMet) return expect((await write).$metadata.httpStatusCode).toBe(200);
    await expect(write).rejects.toMatchObject({
      name: 'ConditionalCheckFailedException',
      Item: { flag: { BOOL: true } },
    });
    expect(aws.metrics.map(({ name }) => name)).toContain('ConditionalCheckFailedRequests');
  });

  it.each<readonly [update: string, values: Json | undefined, after: Json]>([
    ['SET n = if_not_exists(n, :n) + :n', { ':n': number('0.1') }, { n: number('0.2') }],
    ['SET a = b, b = a', undefined, { a: text('B'), b: text('A') }],
    [
      'SET l = list_append(:l, l), l2 = l',
      { ':l': { L: [text('0')] } },
      { l: { L: [text('0'), text('1'), text('2'), text('3')] }, l2: { L: [text('1'), text('2'), text('3')] } },
    ],
    ['REMOVE l[0], l[1], a', undefined, { l: { L: [text('3')] } }],
    [
      'SET l[9] = :s, m.deep.x = :s',
      { ':s': text('z') },
      { l: { L: [text('1'), text('2'), text('3'), text('z')] }, m: { M: { deep: { M: { x: text('z') } } } } },
    ],
    [
      'ADD c :n, tags :t DELETE gone :g',
      { ':n': number(-5), ':t': { SS: ['b', 'c'] }, ':g': { SS: ['x'] } },
      { c: number(-5), tags: { SS: ['a', 'b', 'c'] } },
    ],
  ])('an update: %s', async (UpdateExpression, ExpressionAttributeValues, after) => {
    const { put, dynamoDb, get } = started();
    const before: Json = {
      ...key('a', 1),
      a: text('A'),
      b: text('B'),
      l: { L: [text('1'), text('2'), text('3')] },
      m: { M: { deep: { M: {} } } },
      tags: { SS: ['a', 'b'] },
      gone: { SS: ['x'] },
    };
    await put(before);
    const input = { TableName: 'fleet', Key: key('a', 1), UpdateExpression, ExpressionAttributeValues };
    const { Attributes } = await dynamoDb.send(new UpdateItemCommand({ ...input, ReturnValues: 'UPDATED_NEW' }));
    for (const name of Object.keys(Attributes ?? {}).filter(it => it !== 'm' && it !== 'l')) {
      expect(Attributes?.[name]).toEqual(after[name]);
    }
    const removed = /REMOVE .*\ba\b/.test(UpdateExpression)
      ? ['a']
      : /DELETE gone/.test(UpdateExpression)
        ? ['gone']
        : [];
    const kept = Object.fromEntries(Object.entries(before).filter(([name]) => !removed.includes(name)));
    expect(await get(key('a', 1))).toEqual({ ...kept, ...after });
  });

  it('is created by an update, and its former state is returned on request', async () => {
    const { dynamoDb, get } = started();
    const update = {
      TableName: 'fleet',
      Key: key('a', 1),
      UpdateExpression: 'ADD n :n',
      ExpressionAttributeValues: { ':n': number(1) },
    };
    for (const expected of [undefined, { ...key('a', 1), n: number(1) }]) {
      const { Attributes } = await dynamoDb.send(new UpdateItemCommand({ ...update, ReturnValues: 'ALL_OLD' }));
      expect(Attributes).toEqual(expected);
    }
    const gone = await dynamoDb.send(
      new DeleteItemCommand({ TableName: 'fleet', Key: key('a', 1), ReturnValues: 'ALL_OLD' }),
    );
    expect(gone.Attributes).toEqual({ ...key('a', 1), n: number(2) });
    expect(await get(key('a', 1))).toBeUndefined();
  });
});

describe('bad input', () => {
  const big = 'x'.repeat(200_000);
  it.each<
    readonly [
      what: string,
      command: () => ConstructorParameters<typeof PutItemCommand>[0] | PutItemCommand,
      error: string | RegExp,
    ]
  >([
    ['no key', () => ({ TableName: 'fleet', Item: { pk: text('a') } }), /Missing the key sk in the item/],
    [
      'a key of another type',
      () => ({ TableName: 'fleet', Item: { pk: number(1), sk: number(1) } }),
      /Type mismatch for key pk expected: S actual: N/,
    ],
    [
      'an index key of another type',
      () => ({ TableName: 'fleet', Item: { ...key('a', 1), due: text('soon') } }),
      /Type mismatch for Index Key due/,
    ],
    [
      'an item above 400 KB',
      () => ({ TableName: 'fleet', Item: { ...key('a', 1), x: text(big), y: text('é'.repeat(105_000)) } }),
      /Item size has exceeded/,
    ],
    [
      'a syntax error',
      () => ({ TableName: 'fleet', Item: key('a', 1), ConditionExpression: 'a ==' }),
      /Invalid ConditionExpression: Syntax error/,
    ],
    [
      'a reserved word',
      () => ({ TableName: 'fleet', Item: key('a', 1), ConditionExpression: 'attribute_exists(name)' }),
      /reserved keyword: name/,
    ],
    [
      'an unused value',
      () => ({
        TableName: 'fleet',
        Item: key('a', 1),
        ConditionExpression: 'attribute_exists(a)',
        ExpressionAttributeValues: { ':x': text('x') },
      }),
      /unused in expressions: keys: \{:x\}/,
    ],
    [
      'a missing value',
      () => ({ TableName: 'fleet', Item: key('a', 1), ConditionExpression: 'a = :x' }),
      /attribute value used in expression is not defined/,
    ],
    [
      'a number of 39 digits',
      () => ({ TableName: 'fleet', Item: { ...key('a', 1), n: number('1'.repeat(39)) } }),
      /more than 38 significant digits/,
    ],
    ['an empty set', () => ({ TableName: 'fleet', Item: { ...key('a', 1), n: { SS: [] } } }), /may not be empty/],
    [
      'a legacy parameter',
      () => ({ TableName: 'fleet', Item: key('a', 1), Expected: { a: { Exists: false } } }),
      /does not implement the legacy parameter Expected/,
    ],
    ['no such table', () => ({ TableName: 'other', Item: key('a', 1) }), 'Requested resource not found'],
  ])('%s', async (_, input, error) => {
    const { dynamoDb } = started();
    await expect(dynamoDb.send(new PutItemCommand(input() as never))).rejects.toThrow(error);
  });

  it.each<readonly [input: Partial<QueryCommandInput>, error: RegExp]>([
    [{ KeyConditionExpression: 'sk = :a' }, /Query condition missed key schema element: pk|does not match schema type/],
    [{ KeyConditionExpression: 'pk > :a' }, /Query key condition not supported/],
    [{ KeyConditionExpression: 'pk = :a OR sk = :a' }, /Invalid operator used in KeyConditionExpression: OR/],
    [{ KeyConditionExpression: 'pk = :a AND sk = :a' }, /parameter type does not match schema type/],
    [{ KeyConditionExpression: 'pk = :a AND extra = :a' }, /missed key schema element: sk/],
    [{ FilterExpression: 'pk = :a' }, /can only contain non-primary key attributes/],
    [{ IndexName: 'none' }, /does not have the specified index: none/],
    [{ IndexName: 'byDue', ConsistentRead: true }, /Consistent reads are not supported/],
    [{ IndexName: 'byDue', Select: 'ALL_ATTRIBUTES' }, /projection type is not ALL/],
    [{ ExclusiveStartKey: { pk: text('a') } }, /The provided starting key is invalid/],
    [{ ExclusiveStartKey: key('b', 1) }, /outside query boundaries/],
  ])('of a query: %j', async (input, error) => {
    const { query } = started();
    await expect(query(input)).rejects.toThrow(error);
  });

  it('of an update, a table and PartiQL', async () => {
    const { dynamoDb, put } = started();
    await put({ ...key('a', 1), t: text('x') });
    const update = (UpdateExpression: string, values?: Json) =>
      refusal(
        dynamoDb.send(
          new UpdateItemCommand({
            TableName: 'fleet',
            Key: key('a', 1),
            UpdateExpression,
            ...(values && { ExpressionAttributeValues: values }),
          }),
        ),
      );
    expect(await update('SET sk = :n', { ':n': number(2) })).toEqual([
      'ValidationException',
      expect.stringContaining('This attribute is part of the key'),
      400,
    ]);
    expect(await update('ADD t :n', { ':n': number(2) })).toEqual([
      'ValidationException',
      expect.stringContaining('incorrect data type'),
      400,
    ]);
    expect(await update('SET a.b = :n', { ':n': number(2) })).toEqual([
      'ValidationException',
      expect.stringContaining('document path'),
      400,
    ]);
    expect(await update('SET a = absent')).toEqual([
      'ValidationException',
      expect.stringContaining('does not exist in the item'),
      400,
    ]);
    expect(await refusal(dynamoDb.send(new CreateTableCommand(TABLE)))).toEqual([
      'ResourceInUseException',
      'Table already exists: fleet',
      400,
    ]);
    expect(
      (
        await refusal(
          dynamoDb.send(new CreateTableCommand({ ...TABLE, TableName: 'second', GlobalSecondaryIndexes: undefined })),
        )
      )[1],
    ).toMatch(/exactly match|not used/);
    expect(await refusal(dynamoDb.send(new ExecuteStatementCommand({ Statement: 'SELECT' })))).toEqual([
      'NotImplemented',
      expect.stringContaining('dynamodb:ExecuteStatement'),
      501,
    ]);
  });
});
