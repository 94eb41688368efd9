import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  ConditionalCheckFailedException,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
} from '@aws-sdk/client-dynamodb';
import {
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { ListStateMachinesCommand, SFNClient, StartExecutionCommand } from '@aws-sdk/client-sfn';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { awsError, LocalAws, type ServiceCall } from '../../../../local';

const get = new GetItemCommand({ TableName: 'orders', Key: { id: { S: '1' }, hash: { B: Buffer.from('raw') } } });

let aws: LocalAws;
let dynamo: DynamoDBClient;
beforeEach(() => {
  aws = LocalAws.start();
  dynamo = new DynamoDBClient({ ...aws.clientConfig(), maxAttempts: 1 });
});
afterEach(() => aws.close());

describe('an answer', () => {
  test("has the SDK's shapes, bytes and instants included", async () => {
    const inputs: unknown[] = [];
    aws.service('dynamodb').answer('GetItem', input => {
      inputs.push(input);
      return { Item: { id: { S: '1' }, raw: { B: Buffer.from('bytes') } } };
    });
    expect((await dynamo.send(get)).Item).toEqual({ id: { S: '1' }, raw: { B: new Uint8Array(Buffer.from('bytes')) } });
    expect(inputs).toEqual([{ TableName: 'orders', Key: { id: { S: '1' }, hash: { B: Buffer.from('raw') } } }]);

    const startDate = new Date('2026-01-01T12:00:00Z');
    aws.service('sfn').answer('StartExecution', { executionArn: 'arn:execution', startDate });
    const sfn = new SFNClient(aws.clientConfig());
    const started = await sfn.send(new StartExecutionCommand({ stateMachineArn: 'arn:machine', input: '{}' }));
    expect(started).toMatchObject({ executionArn: 'arn:execution', startDate });
    expect(aws.service('states').calls).toMatchObject([
      { service: 'states', operation: 'StartExecution', input: { input: '{}' } },
    ]);
  });

  test.each<[string, () => Error, object]>([
    [
      'awsError',
      () => awsError('TransactionCanceledException', 'no', 400, { CancellationReasons: [{ Code: 'None' }] }),
      { name: 'TransactionCanceledException', message: 'no', CancellationReasons: [{ Code: 'None' }] },
    ],
    [
      'awsError with the status of the model',
      () => awsError('InternalServerError'),
      { $metadata: { httpStatusCode: 500 } },
    ],
    [
      "an exception of the SDK's client",
      () => new ConditionalCheckFailedException({ message: 'exists', $metadata: {} }),
      { name: 'ConditionalCheckFailedException', message: 'exists', $metadata: { httpStatusCode: 400 } },
    ],
  ])('may throw %s', async (_, error, expected) => {
    aws.service('dynamodb').answer('PutItem', () => {
      throw error();
    });
    const put = dynamo.send(new PutItemCommand({ TableName: 'orders', Item: {} }));
    await expect(put).rejects.toMatchObject(expected);
    expect(aws.trace.events).toMatchObject([{ type: 'wire.answered', action: 'PutItem', code: error().name }]);
  });

  test.each<[string, unknown, RegExp]>([
    [
      'an unknown member',
      { Itm: {} },
      /returns Itm, which is no member of its output: there are Item, ConsumedCapacity/,
    ],
    ['a wrong shape', { Item: 'none' }, /returns a wrong shape: Item must be an object, got "none"/],
    ['an error of its own', () => Promise.reject(new Error('typo')), /typo/],
  ])('that returns %s fails the test, not the caller alone', async (_, output, message) => {
    aws.service('dynamodb').answer('GetItem', () => (typeof output === 'function' ? output() : output));
    await expect(dynamo.send(get)).rejects.toMatchObject({ name: 'InternalFailure' });
    await expect(aws.advance({ seconds: 1 })).rejects.toThrow(message);
  });

  test('may be asynchronous, use the simulation, and take virtual time', async () => {
    const sqs = new SQSClient(aws.clientConfig());
    aws.service('dynamodb').answer(
      'GetItem',
      async () => {
        await readFile(__filename);
        const QueueUrl = 'https://sqs.us-east-1.amazonaws.com/123456789012/none';
        await expect(sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: 'x' }))).rejects.toThrow();
        return {};
      },
      { latencyMs: 5_000 },
    );
    const startedAtMs = aws.nowMs;
    const got = dynamo.send(get).then(() => aws.nowMs);
    await aws.advance({ seconds: 60 });
    expect(await got).toBe(startedAtMs + 60_000);
    expect(aws.trace.events.map(({ type, atMs }) => [type, atMs - startedAtMs])).toEqual([
      ['sqs.refused', 0],
      ['wire.answered', 0],
    ]);
  });

  test('of an operation that does not exist is refused, and so is a service that is simulated', () => {
    const dynamodb = aws.service('DynamoDB');
    expect(() => dynamodb.answer('GetItm', {})).toThrow(
      /operation must be an operation of dynamodb: .*GetItem.*got "GetItm"/,
    );
    expect(() => dynamodb.answer('GetItem', 'text' as unknown as object)).toThrow(
      /reply must be an object or a function/,
    );
    expect(() => aws.service('eventbridge')).toThrow(/must be a service that is not simulated.*Use faults/);
    expect(() => aws.service('no service')).toThrow(/must be a name such as dynamodb/);
    expect(() => aws.service('dynamo')).toThrow(/must be a service of AWS, .*Similar: dynamodb, .*got "dynamo"/);
    expect(() => aws.service('constructor')).toThrow(/must be a service of AWS, .*got "constructor"/);
    expect(() => aws.service('zzz')).toThrow('as in @aws-sdk/client-dynamodb. For a newer one, install its SDK client');
  });

  test('is missing: the call fails by name, with what to do', async () => {
    const sfn = new SFNClient({ ...aws.clientConfig(), maxAttempts: 1 });
    await expect(sfn.send(new ListStateMachinesCommand({}))).rejects.toThrow(
      /states:ListStateMachines in us-east-1 .*aws\.service\('states'\)\.answer\('ListStateMachines', …\).*forwardTo\('http:\/\/…'\)/,
    );
  });

  test('is missing for a service that is simulated: the simulation answers', async () => {
    aws.service('dynamodb').answer('PutItem', {});
    await expect(dynamo.send(get)).rejects.toThrow('Requested resource not found');
  });

  test('may be in XML, with keys, headers and bodies of S3', async () => {
    const s3 = new S3Client({ ...aws.clientConfig(), maxAttempts: 1 });
    const [Bucket, Key] = ['my-bucket', 'in/a b.csv'];
    const LastModified = new Date('2026-01-01T00:00:00Z');
    aws
      .service('s3')
      .answer('GetObject', { Body: 'content', ContentType: 'text/csv' })
      .answer('PutObject', { ETag: '"etag"' })
      .answer('ListObjectsV2', { Contents: [{ Key, Size: 7, LastModified }], KeyCount: 1 })
      .answer('DeleteObjects', { Deleted: [{ Key }] })
      .answer('HeadObject', () => {
        throw awsError('NotFound', '', 404);
      });
    const got = await s3.send(new GetObjectCommand({ Bucket, Key }));
    expect([await got.Body?.transformToString(), got.ContentType]).toEqual(['content', 'text/csv']);
    expect((await s3.send(new PutObjectCommand({ Bucket, Key, Body: 'hello' }))).ETag).toBe('"etag"');
    const listed = await s3.send(new ListObjectsV2Command({ Bucket, Prefix: 'in/' }));
    expect(listed.Contents).toEqual([{ Key, Size: 7, LastModified }]);
    expect((await s3.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects: [{ Key }] } }))).Deleted).toEqual([
      { Key },
    ]);
    await expect(s3.send(new HeadObjectCommand({ Bucket, Key }))).rejects.toMatchObject({ name: 'NotFound' });
    const calls = aws
      .service('s3')
      .calls.map(({ operation, input }) => [operation, input['Bucket'], input['Key'] ?? '']);
    expect(calls).toEqual([
      ['GetObject', Bucket, Key],
      ['PutObject', Bucket, Key],
      ['ListObjectsV2', Bucket, ''],
      ['DeleteObjects', Bucket, ''],
      ['HeadObject', Bucket, Key],
    ]);
    expect(aws.service('s3').calls[3]?.input).toMatchObject({ Delete: { Objects: [{ Key }] } });
    expect(Buffer.from(aws.service('s3').calls[1]?.input['Body'] as Uint8Array).toString()).toBe('hello');
  });

  test('needs no SDK client for AWS JSON, but for every other protocol', async () => {
    // None of these clients is installed here.
    aws
      .service('glue')
      .answer('StartJobRun', ({ JobName }) => ({ JobRunId: `${String(JobName)}-1`, at: new Date(5_000) }));
    aws.service('iot').answer('ListThings', {});
    const headers = { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': 'AWSGlue.StartJobRun' };
    const ask = async (host: string, more: Readonly<Record<string, string>>, body = '') => {
      const reply = await aws.services.network.send({
        ...{ protocol: 'https', host, port: 443, method: 'POST', path: '/', headers: more, body: Buffer.from(body) },
      });
      return reply.kind === 'response' ? `${reply.status} ${Buffer.from(reply.body).toString()}` : reply.kind;
    };
    expect(await ask('glue.us-east-1.amazonaws.com', headers, '{"JobName":"a"}')).toBe('200 {"JobRunId":"a-1","at":5}');
    expect(await ask('iot.us-east-1.amazonaws.com', {})).toContain('npm install --save-dev @aws-sdk/client-iot');
  });
});

describe('a forward', () => {
  let emulator: Server;
  let url: string;
  const requests: IncomingMessage[] = [];

  beforeEach(async () => {
    requests.length = 0;
    emulator = createServer((request, response) => {
      requests.push(request);
      response.setHeader('content-type', 'application/x-amz-json-1.0').end('{"Item":{"id":{"S":"there"}}}');
    });
    await new Promise<void>(resolve => emulator.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(emulator.address() as AddressInfo).port}`;
  });
  afterEach(() => emulator.close());

  test('sends the call to the emulator, signed again, and answers with its response', async () => {
    const calls: readonly ServiceCall[] = aws.service('dynamodb').forwardTo(url).calls;
    expect((await dynamo.send(get)).Item).toEqual({ id: { S: 'there' } });
    expect(requests[0]?.headers).toMatchObject({
      host: url.slice('http://'.length),
      'x-amz-target': 'DynamoDB_20120810.GetItem',
      authorization: expect.stringMatching(
        /^AWS4-HMAC-SHA256 Credential=local\/\d{8}\/us-east-1\/dynamodb\/aws4_request, /,
      ),
    });
    expect(calls).toMatchObject([{ operation: 'GetItem', input: { TableName: 'orders' } }]);
    expect(aws.trace.events).toMatchObject([
      { type: 'wire.forwarded', service: 'dynamodb', action: 'GetItem', status: 200 },
    ]);
  });

  test('holds time until the emulator has answered', async () => {
    aws.service('dynamodb').forwardTo(url);
    const startedAtMs = aws.nowMs;
    const got = dynamo.send(get);
    aws.timeline.after(1, () => aws.service('dynamodb').reset());
    await aws.advance({ hours: 1 });
    await got;
    expect(aws.trace.events).toMatchObject([{ type: 'wire.forwarded', atMs: startedAtMs }]);
  });

  test('comes after answers', async () => {
    aws.service('dynamodb').forwardTo(url).answer('GetItem', { Item: {} });
    expect((await dynamo.send(get)).Item).toEqual({});
    expect(requests).toEqual([]);
  });

  test('that is down is a connection error that names service and URL', async () => {
    aws.service('dynamodb').forwardTo('http://127.0.0.1:1');
    await expect(dynamo.send(get)).rejects.toMatchObject({
      code: 'ECONNREFUSED',
      message: expect.stringContaining('dynamodb:GetItem is forwarded to http://127.0.0.1:1/, which failed'),
    });
    expect(aws.trace.events).toMatchObject([
      { type: 'wire.forward-failed', service: 'dynamodb', code: 'ECONNREFUSED' },
    ]);
  });

  test('that is down is an error of HTTP for a client of the port', async () => {
    aws.service('dynamodb').forwardTo('http://127.0.0.1:1');
    const served = await aws.listen({ port: 0, speed: 0 });
    const credentials = { accessKeyId: 'a', secretAccessKey: 'b' };
    const client = new DynamoDBClient({ endpoint: served.url, region: 'us-east-1', credentials, maxAttempts: 1 });
    await expect(client.send(get)).rejects.toMatchObject({
      name: 'ForwardFailed',
      message: expect.stringContaining('is forwarded to http://127.0.0.1:1/, which failed: connect ECONNREFUSED'),
      $metadata: { httpStatusCode: 502 },
    });
    client.destroy();
    await served.close();
  });

  test.each(['nonsense', 'ftp://127.0.0.1', ''])('to %p is refused', to => {
    expect(() => aws.service('dynamodb').forwardTo(to)).toThrow(/url must be an http or https URL/);
  });
});
