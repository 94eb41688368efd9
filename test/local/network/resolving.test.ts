import { LocalAws, type Resolution } from '../../../local';
import { addressesOf } from '../../../local/network/addresses';
import { InMemoryNetwork } from '../../../local/network/network';
import { response } from '../../../local/network/outside-endpoint';
import { OutsideWorld } from '../../../local/network/outside-world';

const HOST = 'billing.example.com';
const HOME = addressesOf(HOST)[0] ?? '';
const NOBODY = { kind: 'silence', unreachable: true };
const REFUSED = { kind: 'no-answer', code: 'ECONNREFUSED' };

function world() {
  const clock = { nowMs: 0 };
  const outside = new OutsideWorld(clock);
  const network = new InMemoryNetwork(outside.answer, outside);
  const to = (host: string, address?: string, headers = {}) => ({
    protocol: 'http' as const,
    host,
    port: 80,
    address,
    method: 'GET',
    path: '/',
    headers,
    body: Buffer.from(''),
  });
  const connect = (host: string, address: string) => network.connect(to(host, address));
  const send = (host: string, address?: string, headers = {}) => network.send(to(host, address, headers));
  const came = (host: string) => outside.endpoint(host).requests.map(({ address }) => address);
  return { clock, outside, network, to, connect, send, came };
}

describe('what a name resolves to', () => {
  test('is said for so many lookups and for so long, and is then its own address again', () => {
    const { clock, outside, network } = world();
    outside
      .endpoint(HOST)
      .resolveTo(
        { addresses: ['203.0.113.7', '2001:DB8:0::7'], count: 1, latencyMs: 5 },
        { addresses: ['10.0.0.5'], forMs: 1000 },
        { addresses: [], untilMs: 5000 },
      );
    expect(network.resolve('BILLING.example.com.')).toEqual({
      addresses: ['203.0.113.7', '2001:db8::7'],
      latencyMs: 5,
    });
    expect(network.resolve(HOST).addresses).toEqual(['10.0.0.5']);
    clock.nowMs = 1000;
    expect(network.resolve(HOST).addresses).toEqual([]);
    expect(outside.endpoint(HOST).failedConnections).toEqual([
      { atMs: 1000, reply: { kind: 'no-answer', code: 'ENOTFOUND' } },
    ]);
    clock.nowMs = 5000;
    expect(network.resolve(HOST).addresses).toEqual([HOME]);
  });

  test('is where who only sends arrives', async () => {
    const { outside, send, came } = world();
    outside.endpoint(HOST).resolveTo({ addresses: ['203.0.113.7'], count: 1 }, { addresses: [], count: 1 });
    expect(await send(HOST)).toMatchObject({ status: 200 });
    expect(await send(HOST)).toEqual({ kind: 'no-answer', code: 'ENOTFOUND' });
    expect(await send(HOST)).toMatchObject({ status: 200 });
    expect(came(HOST)).toEqual(['203.0.113.7', HOME]);
  });

  test.each([
    [{ addresses: ['10.0.0'] }, 'addresses must be a list of IPv4 and IPv6 addresses, got ["10.0.0"]'],
    [{}, 'addresses must be a list of IPv4 and IPv6 addresses, got nothing'],
    [{ addresses: [], latencyMs: -1, count: 0 }, 'count must be a whole number from 1 to 9007199254740991, got 0'],
    [{ addresses: [], reply: response(200) }, 'reply is not known'],
    ['10.0.0.5', 'a resolution must be an object, got "10.0.0.5"'],
  ])('cannot be %j', (resolution: unknown, message) => {
    const host = LocalAws.start().endpoint(HOST);
    const saying = () => host.resolveTo(resolution as Resolution);
    expect(saying).toThrow(RangeError);
    expect(saying).toThrow(message);
  });

  test('cannot be said of an address', () => {
    const address = LocalAws.start().endpoint('10.0.0.5');
    expect(() => address.resolveTo({ addresses: ['10.0.0.6'] })).toThrow('must be a name to resolve to anything');
  });
});

describe('who is at an address', () => {
  test('is the host that has ever been said to resolve to it, with or without its name', async () => {
    const { outside, connect, send, came } = world();
    outside.endpoint(HOST).resolveTo({ addresses: ['203.0.113.7'] });
    outside.endpoint(HOST).resolveTo({ addresses: ['10.0.0.5'] });
    for (const address of ['203.0.113.7', '10.0.0.5', '::ffff:10.0.0.5', HOME]) {
      expect(connect(HOST, address)).toBeUndefined();
      expect(await send(HOST, address)).toMatchObject({ status: 200 });
    }
    expect(connect('10.0.0.5', '10.0.0.5')).toBeUndefined();
    expect(await send('10.0.0.5', '10.0.0.5')).toMatchObject({ status: 200 });
    expect(came(HOST)).toEqual(['203.0.113.7', '10.0.0.5', '10.0.0.5', HOME, '10.0.0.5']);
  });

  test('is the host by whose name the client asks, where several share it', async () => {
    const { outside, network, to, send, came } = world();
    outside.endpoint('a.example').resolveTo({ addresses: ['203.0.113.7'] });
    outside.endpoint('b.example').resolveTo({ addresses: ['203.0.113.7'] });
    outside.endpoint('b.example').behave({ reply: { kind: 'no-answer', code: 'ETIMEDOUT' }, count: 1 });
    const destination = { ...to('203.0.113.7', '203.0.113.7'), protocol: 'https', serverName: 'b.example' } as const;
    expect(network.connect(destination)).toEqual({ kind: 'no-answer', code: 'ETIMEDOUT' });
    await send('203.0.113.7', '203.0.113.7', { host: 'b.example:8080' });
    await send('b.example', '203.0.113.7');
    await send('203.0.113.7', '203.0.113.7');
    expect([came('a.example'), came('b.example')]).toEqual([['203.0.113.7'], ['203.0.113.7', '203.0.113.7']]);
  });

  test('is what a scenario asked for by the address, before any name', async () => {
    const { outside, connect, send, came } = world();
    outside.endpoint(HOST).resolveTo({ addresses: ['203.0.113.7', '203.0.113.8'] });
    outside.endpoint('203.0.113.8').behave({ reply: { kind: 'silence', unreachable: true }, count: 1 });
    expect(connect(HOST, '203.0.113.8')).toEqual(NOBODY);
    expect(await send(HOST, '203.0.113.8')).toMatchObject({ status: 200 });
    expect([came(HOST), came('203.0.113.8')]).toEqual([[], ['203.0.113.8']]);
  });

  test('is a host nobody has spoken of, once its name was looked up', async () => {
    const { network, connect, send, came } = world();
    expect(connect(HOME, HOME)).toEqual(NOBODY);
    expect(network.resolve(HOST).addresses).toEqual([HOME]);
    expect(connect(HOME, HOME)).toBeUndefined();
    await send(HOME, HOME, { host: HOST });
    expect(came(HOST)).toEqual([HOME]);
  });

  test('is AWS, at its own address and at no other', async () => {
    const { network, connect, send } = world();
    network.attach('sqs.us-east-1.amazonaws.com', () => response(418));
    const address = network.resolve('sqs.us-east-1.amazonaws.com').addresses[0] ?? '';
    expect(await send(address, address)).toMatchObject({ status: 418 });
    expect(await send('SQS.us-east-1.amazonaws.com', address)).toMatchObject({ status: 418 });
    expect(connect('sqs.us-east-1.amazonaws.com', '10.0.0.5')).toEqual(NOBODY);
    expect(await send('sqs.us-east-1.amazonaws.com', '10.0.0.5')).toEqual(NOBODY);
  });

  test.each(['10.0.0.5', '192.168.1.1', '203.0.113.7', 'fd00::1', '169.254.170.2'])(
    'is nobody at %s',
    async address => {
      const { outside, connect, send } = world();
      expect(connect(HOST, address)).toEqual(NOBODY);
      expect(await send(address)).toEqual(NOBODY);
      expect(outside.all).toEqual([]);
    },
  );

  test.each(['127.0.0.1', '127.8.8.8', '::1', '0.0.0.0', '::', '2130706433'])(
    'is nobody at %s, and the machine says so',
    async address => {
      const { connect, send } = world();
      expect(connect(address, address)).toEqual(REFUSED);
      expect(await send('localhost', address)).toEqual(REFUSED);
    },
  );

  describe('169.254.169.254', () => {
    test.each(['169.254.169.254', '[fd00:ec2::254]', '2852039166', '::ffff:a9fe:a9fe'])(
      'is the instance metadata, also as %s, and remembers who came',
      async address => {
        const { connect, send, came } = world();
        expect(connect(address, address)).toBeUndefined();
        expect(await send('rebound.example', address, { host: 'rebound.example' })).toMatchObject({ status: 401 });
        expect(came(address)).toHaveLength(1);
      },
    );

    test('speaks HTTP only', () => {
      const { outside, network, to } = world();
      const destination = { ...to('169.254.169.254', '169.254.169.254'), port: 443 };
      expect(network.connect(destination)).toEqual(REFUSED);
      expect(outside.endpoint('169.254.169.254').failedConnections).toEqual([
        { atMs: 0, address: '169.254.169.254', reply: REFUSED },
      ]);
    });

    test('gives a token for which nothing is to be had, and nothing without one', async () => {
      const { network, to } = world();
      const ask = async (method: string, path: string, headers = {}) => {
        const reply = await network.send({ ...to('169.254.169.254'), method, path, headers });
        if (reply.kind !== 'response') throw new Error('no answer');
        return { status: reply.status, text: Buffer.from(reply.body).toString() };
      };
      const ttl = { 'x-aws-ec2-metadata-token-ttl-seconds': '60' };
      const { status, text } = await ask('PUT', '/latest/api/token', ttl);
      expect([status, text]).toEqual([200, expect.stringMatching(/^[\w-]{20,}$/)]);
      const credentials = '/latest/meta-data/iam/security-credentials/';
      const statuses = [
        await ask('GET', credentials),
        await ask('GET', credentials, { 'x-aws-ec2-metadata-token': 'guessed' }),
        await ask('GET', credentials, { 'x-aws-ec2-metadata-token': text }),
        await ask('PUT', '/latest/api/token'),
        await ask('PUT', '/latest/api/token', { 'x-aws-ec2-metadata-token-ttl-seconds': '21601' }),
        await ask('PUT', '/latest/api/token', { ...ttl, 'x-forwarded-for': '10.0.0.5' }),
        await ask('GET', '/latest/api/token'),
      ].map(answer => answer.status);
      expect(statuses).toEqual([401, 401, 404, 400, 400, 403, 405]);
    });

    test('does what a scenario says', async () => {
      const { outside, send } = world();
      outside.endpoint('169.254.169.254').behave({ reply: response(200, 'a role') });
      expect(await send('169.254.169.254')).toMatchObject({ status: 200 });
    });
  });
});
