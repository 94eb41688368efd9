import { authorizationFor } from '../../../../local/sns/transports/authentication/authorization';
import { challengesIn } from '../../../../local/sns/transports/authentication/challenge';

/** RFC 7616, section 3.9.1, in full. */
const RFC = {
  request: { method: 'GET', path: '/dir/index.html' },
  credentials: { user: 'Mufasa', password: 'Circle of Life' },
  nonce: '7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v',
  cnonce: 'f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ',
  opaque: 'FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS',
};

function answer(header: string, { request, credentials } = RFC): string | undefined {
  return authorizationFor(header, request, credentials, () => RFC.cnonce);
}

function rfcChallenge(algorithm: string, more = ''): string {
  const { nonce, opaque } = RFC;
  return `Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=${algorithm}, nonce="${nonce}", opaque="${opaque}"${more}`;
}

/** The members of a `Digest …` header. */
function membersOf(header: string | undefined): Record<string, string> {
  return Object.fromEntries(challengesIn(header ?? '')[0]?.parameters ?? []);
}

describe('a digest', () => {
  test.each([
    ['MD5', '8ca523f5e9506fed4657c9700eebdbec'],
    ['SHA-256', '753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1'],
  ])('by %s is the one of RFC 7616', (algorithm, response) => {
    expect(answer(rfcChallenge(algorithm))).toBe(
      `Digest username="Mufasa", realm="http-auth@example.org", uri="/dir/index.html", algorithm=${algorithm}, ` +
        `nonce="${RFC.nonce}", nc=00000001, cnonce="${RFC.cnonce}", qop=auth, response="${response}", opaque="${RFC.opaque}"`,
    );
  });

  test('without qop is the one of RFC 2069, section 2.4', () => {
    const header =
      'Digest realm="testrealm@host.com", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093", opaque="5ccc069c403ebaf9f0171e9517f40e41"';
    const credentials = { user: 'Mufasa', password: 'CircleOfLife' };
    const members = membersOf(answer(header, { ...RFC, credentials }));
    expect(members).toMatchObject({ algorithm: 'MD5', response: '1949323746fe6a43ef61f9606e7febea' });
    expect(members).not.toHaveProperty('cnonce');
  });

  test('of a session goes by both nonces, and so has another response', () => {
    const responses = ['MD5', 'MD5-sess', 'SHA-256-sess'].map(it => membersOf(answer(rfcChallenge(it)))['response']);
    expect(new Set(responses).size).toBe(3);
  });

  test('hides the name of a user where it is asked to', () => {
    const members = membersOf(answer(rfcChallenge('SHA-256', ', userhash=true')));
    expect(members).toMatchObject({ userhash: 'true', username: expect.stringMatching(/^[0-9a-f]{64}$/) });
  });

  test('escapes quotes', () => {
    const credentials = { user: 'a"b\\c', password: 'x' };
    expect(answer(rfcChallenge('MD5'), { ...RFC, credentials })).toContain('username="a\\"b\\\\c"');
  });

  test.each([
    ['of the body', 'Digest realm="r", nonce="n", qop="auth-int"'],
    ['by an algorithm of the future', 'Digest realm="r", nonce="n", algorithm=SHA-512-256'],
    ['without a nonce', 'Digest realm="r"'],
  ])('%s is not made', (_what, header) => {
    expect(answer(header)).toBeUndefined();
    expect(answer(`${header}, Basic realm="r"`)).toBe('Basic TXVmYXNhOkNpcmNsZSBvZiBMaWZl');
  });
});

describe('of several challenges', () => {
  test('the digest is answered, wherever it stands', () => {
    expect(answer(`Basic realm="a, b", ${rfcChallenge('MD5')}`)).toMatch(/^Digest /);
  });

  test('none that is unknown is answered', () => {
    expect(answer('Bearer realm="x", Negotiate')).toBeUndefined();
    expect(answer('')).toBeUndefined();
  });
});

describe('the challenges of a header', () => {
  test('are told apart by their commas', () => {
    const parsed = challengesIn(
      'Negotiate, Basic realm="with \\"quotes\\", and commas" , charset = UTF-8,  Digest nonce=n',
    );
    expect(parsed.map(({ scheme, parameters }) => [scheme, Object.fromEntries(parameters)])).toEqual([
      ['negotiate', {}],
      ['basic', { realm: 'with "quotes", and commas', charset: 'UTF-8' }],
      ['digest', { nonce: 'n' }],
    ]);
  });

  test.each(['', '""', '=', 'Digest realm="open', ','])('of nonsense such as %j are few', header => {
    expect(challengesIn(header).length).toBeLessThanOrEqual(1);
  });
});
