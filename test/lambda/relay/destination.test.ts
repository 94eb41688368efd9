import fc from 'fast-check';
import { addressGuard } from '../../../lambda/relay/addresses';
import { readDestination } from '../../../lambda/relay/destination';
import { isPrivateHost } from '../../../lib/private/deliveries/private-address';
import { FORBIDDEN_HOSTS, PUBLIC_HOSTS } from './forbidden-hosts';

const strict = addressGuard([]);

const read = (url: string, guard = strict, isSecret = false) => readDestination('endpoint', url, guard, isSecret);

const ALL_FORBIDDEN = Object.values(FORBIDDEN_HOSTS).flat();

describe.each(Object.entries(FORBIDDEN_HOSTS))('A relay sends nothing to %s', (_what, hosts) => {
  test.each(hosts)('%s', host => {
    expect(read(`https://${host}/orders`)).toMatchObject({
      kind: 'refused',
      cause: 'forbidden-address',
      problem: { property: 'endpoint', rule: expect.stringContaining('must name a public host') },
    });
  });
});

test('The table of forbidden hosts has ninety rows and more, none of them twice', () => {
  expect(ALL_FORBIDDEN.length).toBeGreaterThanOrEqual(90);
  expect(new Set(ALL_FORBIDDEN).size).toBe(ALL_FORBIDDEN.length);
});

test('Whatever synthesis calls unreachable for SNS is forbidden, so that the two rules cannot drift apart', () => {
  const hostOf = (host: string) => new URL(`https://${host}/`).hostname;
  expect(ALL_FORBIDDEN.filter(host => isPrivateHost(hostOf(host))).length).toBeGreaterThan(40);
  expect(PUBLIC_HOSTS.filter(host => isPrivateHost(hostOf(host)))).toEqual([]);
  const anyHost = fc.oneof(
    fc.ipV4Extended(),
    fc.ipV6().map(it => `[${it}]`),
    fc.constantFrom(...ALL_FORBIDDEN),
  );
  fc.assert(
    fc.property(anyHost, host => {
      if (isPrivateHost(hostOf(host))) expect(read(`https://${host}/`)).toMatchObject({ kind: 'refused' });
    }),
  );
});

describe('A relay sends to', () => {
  test.each(PUBLIC_HOSTS)('%s', host => {
    const url = `https://${host}:8443/orders`;
    expect(read(url)).toMatchObject({ kind: 'destination', url: new URL(url) });
  });

  test.each(['http://hooks.example.com', 'https://hooks.example.com', ' https://hooks.example.com/\n'])(
    '%j, an absolute URL of the web',
    url => expect(read(url)).toMatchObject({ kind: 'destination' }),
  );
});

describe('What leads past the host it seems to name', () => {
  test.each([
    'http:127.0.0.1/',
    'http:\\\\127.0.0.1\\',
    'https:/10.0.0.1',
    'HTTPS://LocalHost/',
    'https://127.0.0.1:443/',
    'https://127.0.0.1#@hooks.example.com/',
    'https://127.0.0.1?@hooks.example.com/',
    'https://127.0.0.1\\@hooks.example.com/',
  ])('%s is forbidden', url => expect(read(url)).toMatchObject({ kind: 'refused', cause: 'forbidden-address' }));

  test.each([
    'https://hooks.example.com@127.0.0.1/',
    'https://hush@hooks.example.com/',
    'https://:hush@hooks.example.com/',
    'https://hooks.example.com%40@127.0.0.1/',
    'https://hooks.example.com:443@10.0.0.1/',
  ])('%s has a user, which no URL may have, and its password is not shown', url => {
    const reading = read(url);
    expect(reading).toMatchObject({ kind: 'refused', cause: 'not-a-url' });
    expect(JSON.stringify(reading)).not.toMatch(/hush|@/);
  });

  test.each([
    '',
    'hooks.example.com/orders',
    '/orders',
    'ftp://hooks.example.com/',
    'file:///etc/passwd',
    'gopher://127.0.0.1/',
    'javascript:alert(1)',
    'https://[fe80::1%25eth0]/',
    'https://[::1%lo]/',
    'https://256.0.0.1/',
    'https://1.2.3.4.5/',
    'https://4294967296/',
    'https://[::ffff:127.0.0.1/',
    'https://:443/',
  ])('%j is no URL of the web', url => expect(read(url)).toMatchObject({ kind: 'refused', cause: 'not-a-url' }));
});

describe('A destination as records show it', () => {
  const url = 'https://hooks.example.com:8443/orders/key-7?token=hush#part';

  test.each([
    ['has neither query nor fragment', false, 'https://hooks.example.com:8443/orders/key-7'],
    ['is the host alone where the URL is a secret', true, 'hooks.example.com:8443'],
  ])('%s', (_what, isSecret, shown) => expect(read(url, strict, isSecret)).toMatchObject({ shown }));

  test('never shows more of a secret URL that is refused', () => {
    for (const secret of [url.replace('hooks.example.com', '10.0.0.1'), 'ftp://hush/key-7', 'no URL: key-7 hush']) {
      expect(JSON.stringify(read(secret, strict, true))).not.toMatch(/hush|key-7/);
    }
  });
});

describe('An allowed range', () => {
  const guard = addressGuard(['10.1.0.0/16', '127.0.0.0/8', '169.254.0.0/16', 'fd00::/8', '203.0.113.7/32']);

  test.each([
    '10.1.0.1',
    '10.1.255.255',
    '[::ffff:10.1.0.1]',
    '[64:ff9b::10.1.0.1]',
    'localhost',
    '127.8.8.8',
    '169.254.1.1',
    '[fd12::1]',
    '203.0.113.7',
    '8.8.8.8',
  ])('opens %s', host => expect(read(`http://${host}/`, guard)).toMatchObject({ kind: 'destination' }));

  test.each(['10.0.255.255', '10.2.0.0', '192.168.0.1', '[fc00::1]', '[::1]', '203.0.113.8', '[::ffff:10.2.0.1]'])(
    'leaves %s closed',
    host => expect(read(`http://${host}/`, guard)).toMatchObject({ cause: 'forbidden-address' }),
  );

  test.each([
    '169.254.169.254',
    '2852039166',
    '[::ffff:a9fe:a9fe]',
    '[64:ff9b::a9fe:a9fe]',
    '169.254.170.2',
    '169.254.170.23',
    '[fd00:ec2::254]',
    '[fd00:ec2:0::23]',
  ])('never opens %s, where AWS hands out credentials', host => {
    for (const opened of [guard, addressGuard(['0.0.0.0/0', '::/0'])]) {
      expect(read(`http://${host}/`, opened)).toMatchObject({
        cause: 'forbidden-address',
        problem: { rule: expect.stringContaining('is where AWS hands out credentials') },
      });
    }
  });

  test.each(['', '10.1.0.0', '10.1.0.0/33', 'private', 'fd00::/129', '10.1.0.0/x'])('cannot be %j', range => {
    expect(() => addressGuard([range])).toThrow(
      `allowedPrivateRanges must be CIDRs such as 10.1.0.0/16, got ${JSON.stringify(range)}`,
    );
  });
});

describe('An address that a name resolved to', () => {
  test.each([
    ['fe80::1%eth0', 'has a zone, as no public address has'],
    ['2606:4700::1%eth0', 'has a zone, as no public address has'],
    ['0177.0.0.1', 'is no address'],
    ['127.1', 'is no address'],
    ['hooks.example.com', 'is no address'],
    ['', 'is no address'],
    ['10.0.0.1', 'is not public'],
  ])('%j %s', (address, why) => expect(strict(address)).toBe(why));
});
