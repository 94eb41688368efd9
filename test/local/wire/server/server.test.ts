import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import type { ListenOptions } from '../../../../local';
import { destinationOf } from '../../../../local/wire/server/routes';
import { RawClient, signedFor } from './raw-http';
import { eventually, ServedAws } from './served-aws';

const CBOR = { 'smithy-protocol': 'rpc-v2-cbor', 'content-type': 'application/cbor' };
const LIST_QUEUES = { 'x-amz-target': 'AmazonSQS.ListQueues', 'content-type': 'application/x-amz-json-1.0' };

describe('a request at the port', () => {
  const served = new ServedAws();
  const clients: RawClient[] = [];
  afterAll(async () => {
    for (const client of clients) client.close();
    await served.close();
  });

  async function started(options: ListenOptions = {}) {
    const { port, ...rest } = await served.start(options);
    const client = new RawClient(port);
    clients.push(client);
    return { client, port, ...rest };
  }

  it('tells virtual time, and the request id, in its headers', async () => {
    const { client } = await started();
    const { status, headers } = await client.send({ headers: { ...LIST_QUEUES, ...signedFor('sqs') }, body: '{}' });
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      date: 'Thu, 01 Jan 2026 00:00:00 GMT',
      'content-type': 'application/x-amz-json-1.0',
      'x-amzn-requestid': expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
  });

  it.each<[string, number, Record<string, string>]>([
    ['no page', 200, {}],
    ['the address bar of a browser', 200, { 'sec-fetch-site': 'none' }],
    ['a page of this port', 200, { 'sec-fetch-site': 'same-origin' }],
    ['a form of another site', 403, { 'sec-fetch-site': 'cross-site' }],
    ['a page of another port', 403, { 'sec-fetch-site': 'same-site', origin: 'http://localhost:3000' }],
    ['an old browser for another site', 403, { origin: 'https://evil.example.com' }],
  ])('from %s is answered %i, but every page may use a deployed API', async (_, status, from) => {
    const { client } = await started();
    const headers = { ...LIST_QUEUES, ...signedFor('sqs'), ...from };
    const api = await client.send({ path: '/_aws/execute-api/abc/orders', headers: from });
    const answers = [
      await client.send({ headers, body: '{}' }),
      await client.send({ method: 'GET', path: '/_dlo/health', headers: from }),
    ];
    expect([...answers.map(it => it.status), api.status === 403]).toEqual([status, status, false]);
  });

  it.each([
    ['not signed', LIST_QUEUES, 403, 'MissingAuthenticationTokenException'],
    [
      'half signed',
      { ...LIST_QUEUES, authorization: 'AWS4-HMAC-SHA256 Signature=0' },
      400,
      'IncompleteSignatureException',
    ],
    ['for no operation', { ...signedFor('sqs'), 'x-amz-target': 'AmazonSQS.Fly' }, 400, 'UnknownOperationException'],
    [
      'for a service that is not here',
      { ...signedFor('states'), 'x-amz-target': 'AWSStepFunctions.ListStateMachines' },
      501,
      'NotImplemented',
    ],
    [
      'packed as nobody unpacks it',
      { ...LIST_QUEUES, ...signedFor('sqs'), 'content-encoding': 'br' },
      415,
      'UnsupportedMediaType',
    ],
  ])('is refused in JSON when it is %s', async (_, headers, status, code) => {
    const { client } = await started();
    const answer = await client.send({ headers, body: '{}' });
    expect(answer.status).toBe(status);
    expect(JSON.parse(answer.text)).toMatchObject({ __type: expect.stringMatching(new RegExp(`#${code}$`)) });
  });

  it.each([
    ['nothing says what it is for', '/', {}, '', 403, 'MissingAuthenticationToken'],
    ['a form is not signed', '/', {}, 'Action=ListTopics&Version=2010-03-31', 403, 'MissingAuthenticationToken'],
    ['its signature is none', '/', { authorization: 'Bearer x' }, '', 400, 'IncompleteSignature'],
    ['a form names no action', '/', signedFor('sns'), '', 400, 'MissingAction'],
    ['a form names an action nobody knows', '/', signedFor('sns'), 'Action=Fly', 400, 'InvalidAction'],
  ])('is refused in XML when %s', async (_, path, extra, body, status, code) => {
    const { client } = await started();
    const headers = { 'content-type': 'application/x-www-form-urlencoded', ...extra };
    const answer = await client.send({ path, headers, body });
    expect([answer.status, /<Code>(.*?)<\/Code>/.exec(answer.text)?.[1]]).toEqual([status, code]);
  });

  it('names what an unfinished signature lacks, as AWS does', async () => {
    const { client } = await started();
    const { text } = await client.send({ headers: { ...LIST_QUEUES, authorization: 'Bearer x' }, body: '{}' });
    expect(JSON.parse(text).message).toBe(
      "Authorization header requires 'Credential' parameter. Authorization header requires 'Signature' parameter. " +
        "Authorization header requires 'SignedHeaders' parameter. Authorization header requires existence of either a " +
        "'X-Amz-Date' or a 'Date' header. Authorization=Bearer x",
    );
  });

  it('may come in chunks, and zipped', async () => {
    const { client } = await started();
    const headers = { ...LIST_QUEUES, ...signedFor('sqs') };
    const chunked = await client.send({ headers: { ...headers, 'transfer-encoding': 'chunked' }, body: '{}' });
    const zipped = await client.send({ headers: { ...headers, 'content-encoding': 'gzip' }, body: gzipSync('{}') });
    expect([chunked.status, zipped.status]).toEqual([200, 200]);
  });

  it.each(['HEAD', 'OPTIONS'])('gets an answer to %s', async method => {
    const { client } = await started();
    const { status, text } = await client.send({ method });
    expect([status, method === 'HEAD' ? text : '']).toEqual([403, '']);
  });

  it('is refused before it is read when its body is too long for any service', async () => {
    const { port } = await started();
    const answer = await new RawClient(port).bytes(
      'POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 9999999999\r\n\r\n',
    );
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(answer).toContain('<Code>RequestEntityTooLarge</Code>');
  });

  it.each([
    ['all at once', {}],
    ['in chunks', { 'transfer-encoding': 'chunked' }],
  ])('is refused, and its client sees so, when it sends a body that is too long %s', async (_, headers) => {
    const { client } = await started();
    const { status, text } = await client.send({ headers, body: Buffer.alloc(24 * 1024 * 1024) });
    expect(status).toBe(413);
    expect(text).toContain('<Code>RequestEntityTooLarge</Code>');
  });

  it.each([
    ['JSON', LIST_QUEUES, `[${'[],'.repeat(300_000)}1]`],
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }, `Action=ListQueues${'&a'.repeat(300_000)}`],
    ['CBOR', CBOR, Buffer.concat([Buffer.from([0xa1, 0x61, 0x61, 0x9a, 0, 4, 0, 0]), Buffer.alloc(300_000)])],
  ])('is refused before it is parsed when it is %s of hundreds of thousands of parts', async (_, extra, body) => {
    const { client } = await started();
    const path = extra === CBOR ? '/service/GraniteServiceVersion20100801/operation/ListMetrics' : '/';
    const service = extra === CBOR ? 'monitoring' : 'sqs';
    const { status, text } = await client.send({ path, headers: { ...extra, ...signedFor(service) }, body });
    expect(status).toBe(400);
    expect(text).toContain('more than 200000');
  });

  it('is refused when its headers are too long', async () => {
    const { port } = await started();
    const answer = await new RawClient(port).bytes(
      `GET / HTTP/1.1\r\nhost: localhost\r\nx: ${'y'.repeat(100_000)}\r\n\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 431 /);
  });

  it.each([
    ['is no HTTP', 'BEGIN\r\n\r\n', 400, 'BadRequest'],
    [
      'has headers that are too long',
      `GET / HTTP/1.1\r\nx: ${'y'.repeat(100_000)}\r\n\r\n`,
      431,
      'RequestHeaderSectionTooLarge',
    ],
    ['names no host', 'GET / HTTP/1.1\r\nconnection: close\r\n\r\n', 403, 'HostNotAllowed'],
    [
      'expects what nobody does',
      'GET / HTTP/1.1\r\nhost: localhost\r\nexpect: tea\r\nconnection: close\r\n\r\n',
      417,
      'ExpectationFailed',
    ],
  ])('is refused as AWS refuses, at virtual time, when it %s', async (_, bytes, status, code) => {
    const { port } = await started();
    const answer = await new RawClient(port).bytes(bytes);
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} [A-Z]`));
    expect(answer).toMatch(/\r\ndate: Thu, 01 Jan 2026 00:00:00 GMT\r\n/i);
    expect(answer).toContain(`<Code>${code}</Code>`);
  });

  it('is answered inside the embedded AWS too, at every address that clients have used, but without control', async () => {
    const { aws, client, url } = await started({ allowHosts: ['host.docker.internal'] });
    const asked = '/123456789012/orders?Action=GetQueueAttributes&Version=2012-11-05';
    const inside = (base: string, path = asked) => aws.request('POST', base + path);
    expect((await inside(url)).text).toContain('NonExistentQueue');
    expect((await inside('http://host.docker.internal:4999')).text).toBe('');
    const host = 'host.docker.internal:4999';
    await client.send({ headers: { host, ...LIST_QUEUES, ...signedFor('sqs') }, body: '{}' });
    expect((await inside(`http://${host}`)).text).toContain('NonExistentQueue');
    expect(await inside(url, '/_dlo/advance')).toMatchObject({ status: 400 });
    await expect(inside('http://127.0.0.1:1')).rejects.toThrow('ECONNREFUSED');
  });

  it('keeps its connection, and many may come at once', async () => {
    const { client } = await started();
    const headers = { ...LIST_QUEUES, ...signedFor('sqs') };
    const answers = await Promise.all(Array.from({ length: 300 }, () => client.send({ headers, body: '{}' })));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  });

  it('with a long poll waits for virtual time, not for the wall clock', async () => {
    const { aws, client, sqs } = await started();
    const QueueUrl = await served.createQueue(sqs, 'orders');
    const headers = { ...signedFor('sqs'), 'x-amz-target': 'AmazonSQS.ReceiveMessage' };
    const poll = client.send({ headers, body: JSON.stringify({ QueueUrl, WaitTimeSeconds: 20 }) });
    await eventually(() => aws.state().queues[0]?.longPolls === 1);
    await aws.advance({ seconds: 20 });
    expect((await poll).text).toBe('{}');
    expect(aws.now).toBe('2026-01-01T00:00:20.000Z');
  });

  it('whose client hangs up takes no message with it', async () => {
    const { aws, port, client, sqs } = await started();
    const QueueUrl = await served.createQueue(sqs, 'orders');
    const body = JSON.stringify({ QueueUrl, WaitTimeSeconds: 20 });
    const { authorization } = signedFor('sqs');
    const socket = connect(port, '127.0.0.1');
    socket.write(
      `POST / HTTP/1.1\r\nhost: localhost\r\nauthorization: ${authorization}\r\nx-amz-target: AmazonSQS.ReceiveMessage\r\n` +
        `content-length: ${body.length}\r\n\r\n${body}`,
    );
    await eventually(() => aws.state().queues[0]?.longPolls === 1);
    socket.destroy();
    await eventually(() => aws.state().queues[0]?.longPolls === 0);
    const headers = { ...signedFor('sqs'), 'x-amz-target': 'AmazonSQS.SendMessage' };
    await client.send({ headers, body: JSON.stringify({ QueueUrl, MessageBody: 'x' }) });
    await aws.advance({ seconds: 1 });
    expect(aws.state().queues).toMatchObject([{ visible: 1, inFlight: 0 }]);
  });
});

const PLACE = { region: 'us-east-1', urlSuffix: 'amazonaws.com' };

function hostOf(path: string, headers: Readonly<Record<string, string>> = {}, body = ''): string | undefined {
  const destination = destinationOf({ path, headers, body: Buffer.from(body) }, PLACE);
  return destination && destination.host + destination.path;
}

const FORM = { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' };

describe('a request finds its service', () => {
  it.each([
    ['sqs', 'sqs.us-east-1.amazonaws.com/'],
    ['monitoring', 'monitoring.us-east-1.amazonaws.com/'],
    ['iam', 'iam.amazonaws.com/'],
    ['dynamodb', 'dynamodb.us-east-1.amazonaws.com/'],
  ])('by whom its signature is for: %s', (service, expected) => {
    expect(hostOf('/', { ...signedFor(service), host: '127.0.0.1:4566' })).toBe(expected);
  });

  it('by its signature before its host, and in the Region that names', () => {
    const headers = { ...signedFor('sqs', 'eu-west-1'), host: 'queue.amazonaws.com' };
    expect(hostOf('/', headers)).toBe('sqs.eu-west-1.amazonaws.com/');
  });

  it('by a presigned URL', () => {
    const path = '/?Action=ListTopics&X-Amz-Credential=AKIA%2F20260101%2Fus-east-1%2Fsns%2Faws4_request';
    expect(hostOf(path)).toBe(`sns.us-east-1.amazonaws.com${path}`);
  });

  it.each([
    ['sqs.us-east-1.amazonaws.com:4566', 'sqs.us-east-1.amazonaws.com/'],
    ['SNS.us-east-1.amazonaws.com', 'sns.us-east-1.amazonaws.com/'],
    ['sqs.localhost:4566', 'sqs.us-east-1.amazonaws.com/'],
    ['sqs.us-east-1.localhost', 'sqs.us-east-1.amazonaws.com/'],
    ['iam.localhost', 'iam.amazonaws.com/'],
    ['abc123.execute-api.localhost:4566', 'abc123.execute-api.us-east-1.amazonaws.com/'],
    ['abc123.execute-api.us-east-1.amazonaws.com', 'abc123.execute-api.us-east-1.amazonaws.com/'],
  ])('by its host: %s', (host, expected) => {
    expect(hostOf('/', { host })).toBe(expected);
  });

  it.each([
    ['/_aws/execute-api/abc123/prod/orders?x=1', 'abc123.execute-api.us-east-1.amazonaws.com/prod/orders?x=1'],
    ['/_aws/execute-api/abc123', 'abc123.execute-api.us-east-1.amazonaws.com/'],
    ['/2015-03-31/functions', 'lambda.us-east-1.amazonaws.com/2015-03-31/functions'],
    ['/schedules/hourly', 'scheduler.us-east-1.amazonaws.com/schedules/hourly'],
    ['/123456789012/orders', 'sqs.us-east-1.amazonaws.com/123456789012/orders'],
    ['/SimpleNotificationService-0123.pem', 'sns.us-east-1.amazonaws.com/SimpleNotificationService-0123.pem'],
    ['/?Action=ConfirmSubscription&Token=t', 'sns.us-east-1.amazonaws.com/?Action=ConfirmSubscription&Token=t'],
    ['/?Action=GetCallerIdentity&Version=2011-06-15', 'sts.amazonaws.com/?Action=GetCallerIdentity&Version=2011-06-15'],
  ])('by its path: %s', (path, expected) => {
    expect(hostOf(path, { host: 'localhost:4566' })).toBe(expected);
  });

  it('by X-Amz-Target, by the path of CBOR, and by the version in a form', () => {
    expect(hostOf('/', { 'x-amz-target': 'TrentService.ListKeys' })).toBe('kms.us-east-1.amazonaws.com/');
    const path = '/service/GraniteServiceVersion20100801/operation/ListMetrics';
    expect(hostOf(path)).toBe(`monitoring.us-east-1.amazonaws.com${path}`);
    expect(hostOf('/', FORM, 'Action=ListStacks&Version=2010-05-15')).toBe('cloudformation.us-east-1.amazonaws.com/');
  });

  it.each(['/', '/favicon.ico', '/?Action=Fly', '/_aws/else', '/12345/orders'])('and otherwise none: %s', path => {
    expect(hostOf(path, { host: 'localhost:4566' })).toBeUndefined();
  });
});
