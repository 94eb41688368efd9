import { LambdaFixture } from './lambda-fixture';

/** `get` answers status and address, or the error; `lookup` asks the machine, and remembers what it said. */
const GET = `
  const dns = require('node:dns');
  const started = performance.now();
  const get = (url, options = {}) => new Promise(resolve => {
    const client = require(String(url).startsWith('https') ? 'node:https' : 'node:http');
    const request = client.get(url, options, response => {
      const { remoteAddress, remoteFamily, servername } = response.socket;
      response.resume().on('end', () => resolve({ status: response.statusCode, remoteAddress, remoteFamily, servername,
        tookMs: performance.now() - started }));
    });
    request.on('error', ({ name, code, message, errors }) =>
      resolve({ name, code, message, errors: errors?.map(it => it.message), tookMs: performance.now() - started }));
  });
  const isPrivate = address => /^(10|127|169\\.254|192\\.168)\\.|^f[cd]|^::/.test(address);`;

/** Checks the name, and lets the client look it up again. */
const UNSAFE = `
  const { address } = await dns.promises.lookup(new URL(event.url).hostname);
  return isPrivate(address) ? 'forbidden' : get(event.url);`;

/** Connects to the very address it has checked. */
const PINNED = `
  return get(event.url, { lookup: (name, options, done) => dns.lookup(name, options, (error, addresses) => {
    const bad = !error && addresses.some(it => isPrivate(it.address));
    done(bad ? new Error('forbidden') : error, addresses);
  }) });`;

describe("a function's connection", () => {
  let world: LambdaFixture;
  let deployed = 0;
  beforeEach(() => {
    world = new LambdaFixture();
  });
  afterEach(() => world.close());

  async function run(body: string, event: unknown = {}): Promise<unknown> {
    deployed += 1;
    const name = `client${deployed}`;
    world.deploy(name, { code: `${GET} exports.handler = async event => {${body}};`, timeoutSeconds: 300 });
    return (await world.invoke(name, event)).value;
  }

  const endpoint = (host = 'partner.example') => world.outside.endpoint(host);
  const came = (host?: string) => endpoint(host).requests.map(({ address }) => address);

  describe('to a name that changes to a private address between check and connect', () => {
    const rebind = (address: string) =>
      endpoint().resolveTo({ addresses: ['203.0.113.7'], count: 1 }, { addresses: [address] });

    test('comes about for code that looks it up twice, and is seen at the address', async () => {
      rebind('10.0.0.5');
      const seen = await run(UNSAFE, { url: 'https://partner.example/' });
      expect(seen).toMatchObject({ status: 200, remoteAddress: '10.0.0.5', servername: 'partner.example' });
      expect(came()).toEqual(['10.0.0.5']);
    });

    test('goes where it was checked for code that pins the address', async () => {
      rebind('10.0.0.5');
      expect(await run(PINNED, { url: 'https://partner.example/' })).toMatchObject({ remoteAddress: '203.0.113.7' });
      expect(await run(PINNED, { url: 'https://partner.example/' })).toMatchObject({ message: 'forbidden' });
      expect(came()).toEqual(['203.0.113.7']);
    });

    test.each(['169.254.169.254', 'fd00:ec2::254', '::ffff:169.254.169.254'])(
      'finds the instance metadata at %s, which remembers it',
      async address => {
        rebind(address);
        expect(await run(UNSAFE, { url: 'http://partner.example/latest/meta-data/' })).toMatchObject({ status: 401 });
        expect(endpoint(address).requests).toMatchObject([{ host: 'partner.example', path: '/latest/meta-data/' }]);
        expect(came()).toEqual([]);
      },
    );
  });

  test.each(['http://169.254.169.254/', 'http://[fd00:ec2::254]/', 'http://2852039166/', 'http://0xa9fea9fe/'])(
    'to %s asks no lookup, as in node',
    async url => {
      const seen = await run(
        `
        const asked = [];
        const lookup = (name, options, done) => { asked.push(name); dns.lookup(name, options, done); };
        return [(await get(event.url, { lookup })).status, asked];`,
        { url },
      );
      expect(seen).toEqual([401, []]);
    },
  );

  test('to a number that only the machine reads as an address is one to the address', async () => {
    const seen = await run("return get('http://a.example/', { hostname: '0xa9.254.43518' });");
    expect(seen).toMatchObject({ status: 401, remoteAddress: '169.254.169.254' });
  });

  test('to an address takes the name of the host from its headers', async () => {
    endpoint().resolveTo({ addresses: ['203.0.113.7'] });
    const seen = await run("return get('https://203.0.113.7/', { headers: { host: 'partner.example' } });");
    expect(seen).toMatchObject({ status: 200, remoteAddress: '203.0.113.7', servername: 'partner.example' });
    expect(endpoint().requests).toMatchObject([{ host: '203.0.113.7', headers: { host: 'partner.example' } }]);
    expect(await run("return get('https://203.0.113.7/');")).toMatchObject({ status: 200, servername: '' });
  });

  test('to an unused address times out, and one to this machine is refused', async () => {
    expect(await run("return get('http://10.0.0.5/');")).toMatchObject({
      message: 'connect ETIMEDOUT 10.0.0.5:80',
      tookMs: 127_000,
    });
    expect(await run("return get('http://localhost:2773/');")).toMatchObject({
      message: 'connect ECONNREFUSED 127.0.0.1:2773',
      tookMs: 0,
    });
    expect(
      await run(
        'return get("http://a.example/", { lookup: (n, o, done) => done(null, [{ address: "10.0.0.6", family: 4 }]) });',
      ),
    ).toMatchObject({
      message: 'connect ETIMEDOUT 10.0.0.6:80',
    });
  });

  describe('to a name of several addresses', () => {
    test('tries the next where one refuses, families by turns', async () => {
      endpoint().resolveTo({ addresses: ['203.0.113.7', '203.0.113.8', '2001:db8::7'] });
      const refused = { reply: { kind: 'no-answer', code: 'ECONNREFUSED', latencyMs: 20 } } as const;
      endpoint('203.0.113.7').behave(refused);
      expect(await run("return get('https://partner.example/');")).toMatchObject({
        status: 200,
        remoteAddress: '2001:db8::7',
        remoteFamily: 'IPv6',
        tookMs: 20,
      });
      endpoint('2001:db8::7').behave(refused);
      expect(await run("return get('https://partner.example/');")).toMatchObject({
        status: 200,
        remoteAddress: '203.0.113.8',
        tookMs: 40,
      });
      expect(came()).toEqual(['2001:db8::7', '203.0.113.8']);
    });

    test('goes on after 250 ms where one does not answer', async () => {
      endpoint().resolveTo({ addresses: ['203.0.113.7', '203.0.113.8'] });
      endpoint('203.0.113.7').behave({ reply: { kind: 'silence', unreachable: true } });
      expect(await run("return get('https://partner.example/');")).toMatchObject({
        remoteAddress: '203.0.113.8',
        tookMs: 250,
      });
      expect(
        await run("return get('https://partner.example/', { autoSelectFamilyAttemptTimeout: 600 });"),
      ).toMatchObject({ remoteAddress: '203.0.113.8', tookMs: 600 });
    });

    test('says of each why it failed', async () => {
      endpoint().resolveTo({ addresses: ['10.0.0.5', '127.0.0.1'] });
      endpoint('127.0.0.1').behave({ reply: { kind: 'no-answer', code: 'ECONNREFUSED' } });
      endpoint('10.0.0.5').behave({ reply: { kind: 'silence', unreachable: true } });
      expect(await run("return get('http://partner.example/');")).toEqual({
        name: 'AggregateError',
        code: 'ETIMEDOUT',
        message: '',
        errors: ['connect ETIMEDOUT 10.0.0.5:80', 'connect ECONNREFUSED 127.0.0.1:80'],
        tookMs: 250,
      });
    });

    test('takes the first where the code wants one only', async () => {
      endpoint().resolveTo({ addresses: ['203.0.113.7', '2001:db8::7'] });
      const seen = await run(`
        const found = [];
        for (const options of [{ autoSelectFamily: false }, { family: 6 }]) found.push((await get('https://partner.example/', options)).remoteAddress);
        return [...found, await dns.promises.resolve4('partner.example'), await dns.promises.resolve('partner.example', 'AAAA'),
          await new dns.promises.Resolver().resolve6('partner.example')];`);
      expect(seen).toEqual(['203.0.113.7', '2001:db8::7', ['203.0.113.7'], ['2001:db8::7'], ['2001:db8::7']]);
    });
  });

  test.each([
    ["done(null, '203.0.113.7', 4)", 'Invalid IP address: undefined'],
    ["done(null, [{ address: 'nowhere', family: 4 }])", 'Invalid IP address: nowhere'],
  ])('fails where a lookup that was asked for all addresses answers %s, as in node', async (answer, message) => {
    const seen = await run(`return get('http://partner.example/', { lookup: (name, options, done) => ${answer} });`);
    expect(seen).toMatchObject({ code: 'ERR_INVALID_IP_ADDRESS', message });
  });

  test('asks DNS for nothing that the engine does not know', async () => {
    expect(await run("return dns.promises.resolve('partner.example', 'MX').catch(({ code }) => code);")).toBe(
      'ENODATA',
    );
    expect(
      await run("try { dns.resolveMx('partner.example', () => {}); } catch ({ message }) { return message; }"),
    ).toBe('dns.resolveMx is not implemented for functions in the embedded AWS');
  });
});
