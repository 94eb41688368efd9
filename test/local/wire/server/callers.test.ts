import { Agent } from 'node:http';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { ListenOptions } from '../../../../local';
import { SERVICE_MODELS } from '../../../../local/wire/models';
import { isRead } from '../../../../local/wire/server/reads';
import { RawClient, type RawRequest, signedFor } from './raw-http';
import { ServedAws } from './served-aws';

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const QUERY = '/?Action=CreateQueue&QueueName=pwned&Version=2012-11-05';
const PRESIGNED = '&X-Amz-Credential=AKIA%2F20260101%2Fus-east-1%2Fsqs%2Faws4_request';

const served = new ServedAws();
const clients: RawClient[] = [];
afterEach(async () => {
  for (const client of clients.splice(0)) client.close();
  await served.close();
});

async function started(options: ListenOptions = {}) {
  const { port, ...rest } = await served.start(options);
  const client = new RawClient(port);
  clients.push(client);
  return { client, port, ...rest };
}

describe('a host that is not allowed', () => {
  it.each<[string, RawRequest]>([
    ['a signed call', { headers: { ...signedFor('sqs'), 'x-amz-target': 'AmazonSQS.ListQueues' }, body: '{}' }],
    ['an unsigned call', { headers: FORM, body: QUERY.slice(2) }],
    ['a pre-signed link', { method: 'GET', path: QUERY + PRESIGNED }],
    ['a read', { method: 'GET', path: '/_dlo/state' }],
    ['a control', { path: '/_dlo/advance', body: '{"seconds":60}' }],
    ['a deployed API', { method: 'GET', path: '/_aws/execute-api/abc/orders' }],
    ['the path of another service', { path: '/2015-03-31/functions', body: '{}' }],
    [
      'a preflight',
      { method: 'OPTIONS', headers: { origin: 'http://evil.example', 'access-control-request-method': 'PUT' } },
    ],
    ['HEAD', { method: 'HEAD' }],
    [
      'a WebSocket',
      { method: 'GET', headers: { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' } },
    ],
    ['an expectation', { headers: { expect: 'tea' } }],
    ['a long body', { body: Buffer.alloc(3_000_000) }],
    ['a body in chunks', { headers: { ...FORM, 'transfer-encoding': 'chunked' }, body: QUERY.slice(2) }],
  ])('is refused first: %s', async (_, request) => {
    const pages = jest.fn(() => false);
    const { aws, client, port } = await started({ pages });
    const headers = { ...request.headers, host: `evil.example:${port}` };
    const { status, text } = await client.send({ ...request, headers });
    expect(status).toBe(403);
    if (request.method !== 'HEAD') expect(text).toContain('--allow-host evil.example');
    expect(pages).not.toHaveBeenCalled();
    expect([aws.state().queues, aws.now]).toEqual([[], '2026-01-01T00:00:00.000Z']);
  });

  it('is one of AWS, unless it is an endpoint here', async () => {
    const { client } = await started();
    const headers = { ...signedFor('sqs'), 'x-amz-target': 'AmazonSQS.ListQueues' };
    const status = async (host: string) => (await client.send({ headers: { ...headers, host }, body: '{}' })).status;
    for (const host of ['sqs.us-east-1.amazonaws.com', 'SQS.us-east-1.amazonaws.com.:443', 'sqs.localhost:4566']) {
      expect([host, await status(host)]).toEqual([host, 200]);
    }
    for (const host of [
      'evil.execute-api.us-east-1.amazonaws.com',
      'sqs.eu-west-1.amazonaws.com',
      's3.us-east-1.amazonaws.com',
      'amazonaws.com',
      'evil.localhost',
    ]) {
      expect([host, await status(host)]).toEqual([host, 403]);
    }
  });

  it('is one that the URL of a proxy hides', async () => {
    const { client, port } = await started();
    const get = (url: string, host: string) =>
      client.bytes(`GET ${url} HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`);
    const own = `127.0.0.1:${port}`;
    expect(await get(`http://${own}/_dlo/health`, own)).toMatch(/^HTTP\/1\.1 200 /);
    expect(await get('http://evil.example/_dlo/health', own)).toMatch(/^HTTP\/1\.1 403 /);
    expect(await get(`http://${own}/_dlo/health`, 'evil.example')).toMatch(/^HTTP\/1\.1 403 /);
    expect(await client.bytes(`CONNECT ${own} HTTP/1.1\r\nhost: ${own}\r\n\r\n`)).not.toContain('200');
  });

  it('can be allowed by name, as for another container that calls a service of docker compose', async () => {
    const { url } = await started({ host: '0.0.0.0', allowHosts: ['AWS'] });
    const { port } = new URL(url);
    const lookup: NonNullable<ConstructorParameters<typeof Agent>[0]>['lookup'] = (_, options, found) =>
      options.all ? found(null, [{ address: '127.0.0.1', family: 4 }]) : found(null, '127.0.0.1', 4);
    const sqs = new SQSClient({
      endpoint: `http://aws:${port}`,
      region: 'us-east-1',
      credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
      maxAttempts: 1,
      requestHandler: { httpAgent: new Agent({ lookup }) },
    });
    const QueueUrl = await served.createQueue(sqs, 'orders');
    expect(QueueUrl).toBe(`http://aws:${port}/123456789012/orders`);
    expect(await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: 'x' }))).toMatchObject({
      MessageId: expect.any(String),
    });
    sqs.destroy();
  });

  it.each([[['*']], [['aws:4566']], [['http://aws']], ['aws']])(
    'is not allowed by what is no name: %j',
    async allowHosts => {
      await expect(served.start({ allowHosts: allowHosts as string[] })).rejects.toThrow(
        `allowHosts must be a list of host names such as aws or dlo.example.com, without scheme, port and wildcards, got ${JSON.stringify(allowHosts)}`,
      );
    },
  );
});

describe('a request that HTTP says changes nothing', () => {
  const target = (action: string) => ({ ...signedFor('sqs'), 'x-amz-target': action });

  it.each<[string, RawRequest]>([
    ['a query', { path: QUERY, headers: signedFor('sqs') }],
    ['a pre-signed link', { path: QUERY + PRESIGNED }],
    ['a query in the body', { headers: { ...signedFor('sqs'), ...FORM }, body: QUERY.slice(2) }],
    ['a query whose body says more', { path: '/?Action=ListQueues', headers: signedFor('sqs'), body: QUERY.slice(2) }],
    [
      'a query that names an action twice',
      { path: `/?Action=ListQueues&${QUERY.slice(2)}`, headers: signedFor('sqs') },
    ],
    ['JSON', { headers: target('AmazonSQS.CreateQueue'), body: '{"QueueName":"pwned"}' }],
    ['a query that wants JSON', { path: QUERY, headers: { ...signedFor('sqs'), accept: 'application/json' } }],
    [
      'a method override',
      { path: `${QUERY}&_method=POST`, headers: { ...signedFor('sqs'), 'x-http-method-override': 'POST' } },
    ],
    [
      'CBOR',
      {
        path: '/service/GraniteServiceVersion20100801/operation/DeleteAlarms',
        headers: { ...signedFor('monitoring'), 'smithy-protocol': 'rpc-v2-cbor' },
      },
    ],
    ['credentials', { path: '/?Action=GetSessionToken&Version=2011-06-15', headers: signedFor('sts') }],
    ['a service that is not here', { path: '/?Action=RunInstances&Version=2016-11-15', headers: signedFor('ec2') }],
    ['a receive', { path: '/123456789012/orders?Action=ReceiveMessage&Version=2012-11-05', headers: signedFor('sqs') }],
  ])('changes nothing, and says by whose rule: %s', async (_, request) => {
    const { aws, client } = await started();
    for (const method of ['GET', 'HEAD', 'OPTIONS', 'PROPFIND']) {
      const { status, headers, text } = await client.send({ ...request, method });
      expect([status, headers['allow']]).toEqual([405, 'POST']);
      if (method !== 'HEAD') expect(text).toContain(`The embedded AWS lets ${method} only read`);
    }
    expect([aws.state().queues, aws.trace.events]).toEqual([[], []]);
  });

  it('reads, and follows the links that SNS sends', async () => {
    const { client } = await started();
    const get = (path: string, headers = {}) => client.send({ method: 'GET', path, headers });
    expect((await get('/?Action=ListQueues&Version=2012-11-05', signedFor('sqs'))).status).toBe(200);
    expect((await get('/?Action=GetCallerIdentity&Version=2011-06-15', signedFor('sts'))).status).toBe(200);
    expect((await get('/2015-03-31/functions', signedFor('lambda'))).status).toBe(200);
    const link = '/?Action=ConfirmSubscription&TopicArn=arn:aws:sns:us-east-1:123456789012:orders&Token=x';
    expect((await get(link)).text).not.toContain('GetOnlyReads');
    expect((await get('/?Action=Unsubscribe&SubscriptionArn=x')).text).not.toContain('GetOnlyReads');
    expect((await client.send({ method: 'HEAD', path: link })).status).toBe(405);
  });

  it.each(
    'advance step speed send confirm emit snapshot restore reset faults endpoints/x.example services/sfn'.split(' '),
  )('changes nothing by the control route %s', async route => {
    const { aws, client } = await started({ rewindable: true });
    const before = JSON.stringify(aws.state());
    const body = '{"seconds":60,"speed":2}';
    for (const method of ['GET', 'HEAD', 'OPTIONS']) {
      await client.send({ method, path: `/_dlo/${route}?seconds=60`, body });
    }
    expect([aws.nowMs, aws.trace.events]).toEqual([Date.parse('2026-01-01T00:00:00Z'), []]);
    expect(JSON.stringify(aws.state())).toBe(before);
  });

  it('is a read only for the actions of these first words', () => {
    const actions = SERVICE_MODELS.flatMap(({ operations }) => [...operations.keys()]);
    const words = new Set(actions.filter(isRead).map(name => /^(BatchGet|TransactGet|[A-Z][a-z]+)/.exec(name)?.[0]));
    expect([...words].sort()).toEqual(
      'BatchGet Check Describe Filter Get List Query Scan Simulate Test TransactGet'.split(' '),
    );
    const others = [
      'GetSessionToken',
      'Getaway',
      'ReceiveMessage',
      'Listen',
      'Decrypt',
      'AssumeRole',
      'StartQuery',
      '',
    ];
    expect(others.filter(isRead)).toEqual([]);
    // REST services name the method themselves.
    const rest = SERVICE_MODELS.flatMap(({ operations }) => [...operations.values()]).filter(
      ({ http }) => http?.method === 'GET',
    );
    expect(rest.map(({ name }) => name).filter(name => !isRead(name))).toEqual([]);
  });
});
