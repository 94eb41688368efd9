import { addressGuards } from '../../../policy/address-guard';
import { readDestination } from '../../../policy/relay/destination';
import { FORBIDDEN_HOSTS, PUBLIC_HOSTS } from '../forbidden-hosts';

const strict = addressGuards([]);

const read = (url: string, guards = strict, isSecret = false) => readDestination('endpoint', url, guards, isSecret);

const ALL_FORBIDDEN = Object.values(FORBIDDEN_HOSTS).flat();

describe.each(Object.entries(FORBIDDEN_HOSTS))('A relay refuses to send to %s', (_what, hosts) => {
  test.each(hosts)('%s', host => {
    expect(read(`https://${host}/orders`)).toMatchObject({
      kind: 'refused',
      cause: 'forbidden-address',
      problem: { property: 'endpoint', rule: expect.stringContaining('must name a public host') },
    });
  });
});

test('The table of forbidden hosts has more than a hundred and thirty rows, all different', () => {
  expect(ALL_FORBIDDEN.length).toBeGreaterThanOrEqual(130);
  expect(new Set(ALL_FORBIDDEN).size).toBe(ALL_FORBIDDEN.length);
});

describe('A relay sends to', () => {
  test.each(PUBLIC_HOSTS)('%s', host => {
    const url = `https://${host}:8443/orders`;
    expect(read(url)).toMatchObject({ kind: 'destination', url: new URL(url) });
  });

  test.each(['https://hooks.example.com', ' https://hooks.example.com/\n', '\u00a0https://hooks.example.com/\u2003'])(
    '%j, an absolute URL with blanks around it',
    url => expect(read(url)).toMatchObject({ kind: 'destination', url: new URL('https://hooks.example.com') }),
  );
});

describe('A URL that hides its host', () => {
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
  ])('%s has a user, which is refused, and its password is not shown', url => {
    const reading = read(url);
    const rule = 'must have neither user nor password: send credentials in a header, or as an access token';
    expect(reading).toMatchObject({ kind: 'refused', cause: 'not-a-url', problem: { rule } });
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
  ])('%j is no web URL, and the error shows only the length of a secret', url => {
    const problem = { rule: 'must be an absolute http or https URL', value: `a text of ${url.length} characters` };
    expect(read(url, strict, true)).toMatchObject({ kind: 'refused', cause: 'not-a-url', problem, shown: 'no URL' });
    expect(read(url)).toMatchObject({ kind: 'refused', cause: 'not-a-url', shown: 'no URL' });
  });
});

describe('A destination in log records', () => {
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

test('A host in an allowed range is a destination', () => {
  const guards = addressGuards(['10.1.0.0/16']);
  expect(read('http://10.1.2.3/orders', guards)).toMatchObject({ kind: 'destination' });
  expect(read('http://10.2.2.3/orders', guards)).toMatchObject({ cause: 'forbidden-address' });
});

describe('A relay sends without TLS, credentials included, only to an allowed range:', () => {
  const inRange = addressGuards(['10.1.0.0/16']);

  test.each([
    ['a name, where no range is allowed', 'http://hooks.example.com/', strict],
    ['a public address, where no range is allowed', 'http://8.8.8.8/', strict],
    ['a public address, where a range is allowed', 'http://8.8.8.8/', inRange],
    ['a public address in the clothes of IPv6', 'http://[::ffff:8.8.8.8]/', inRange],
  ])('not to %s', (_what, url, guards) => {
    for (const isSecret of [false, true]) {
      const rule = 'must be https, but for a host within allowedPrivateRanges';
      const problem = { rule, value: url.replace(/\/$/, '').replace('8.8.8.8]', '808:808]') };
      expect(read(url, guards, isSecret)).toMatchObject({ kind: 'refused', cause: 'in-the-clear', problem });
      expect(read(url.replace('http:', 'https:'), guards, isSecret)).toMatchObject({ kind: 'destination' });
    }
  });

  test('to a name only if its addresses are in the range, which is checked when it connects', () => {
    expect(read('http://hooks.example.com/', inRange)).toMatchObject({ kind: 'destination' });
    const clear = inRange['http:'];
    expect(['10.1.2.3', '::ffff:10.1.2.3', '8.8.8.8', '10.2.0.1'].map(clear)).toEqual([
      undefined,
      undefined,
      'is public, and only https may go there',
      'is not public',
    ]);
  });
});

test.each([
  ['169.254.169.254', '169.254.169.254 is where AWS hands out credentials'],
  ['LocalHost.', '127.0.0.1 is the machine itself'],
  ['[::ffff:7f00:1]', '::ffff:7f00:1 is the machine itself'],
  ['[fe80::1]', 'fe80::1 is only valid on the local link'],
  ['10.1.2.3', '10.1.2.3 is not public'],
])('The host %s is refused with a reason', (host, why) => {
  expect(read(`https://${host}/`)).toMatchObject({ problem: { rule: `must name a public host, and ${why}` } });
});
