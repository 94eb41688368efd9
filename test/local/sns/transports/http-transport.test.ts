import type { OutgoingRequest, Reply } from '../../../../local/network/network';
import { response } from '../../../../local/network/outside-endpoint';
import { authorizationFor, challengesIn } from '../../../../local/sns/transports/http-authentication';
import { ADMIN, SnsFixture, START_MS, TOPIC_ARN } from '../sns-fixture';

const HOST = 'billing.example.com';
const ENDPOINT = `https://${HOST}/orders?from=sns`;

function bodyOf(request: OutgoingRequest | undefined): string {
  return Buffer.from(request?.body ?? []).toString();
}

/** What the endpoint gets of one publication. */
async function posted(
  attributes: Record<string, string>,
  endpoint = ENDPOINT,
): Promise<{ request: OutgoingRequest; subscription: string; messageId: string }> {
  const fixture = new SnsFixture();
  fixture.createTopic();
  const subscription = fixture.subscribe(endpoint.split(':')[0] ?? '', endpoint, attributes);
  const messageId = fixture.publish('{"order":1}', {
    MessageAttributes: { a: { DataType: 'String', StringValue: 'b' } },
  });
  await fixture.settle();
  const [request] = fixture.outside.endpoint(HOST).requests;
  if (!request) throw new Error('nothing was posted');
  return { request, subscription, messageId };
}

/** aws-semantics 2.2 and 2.3. */
describe('a post to an HTTP/S endpoint', () => {
  test('goes to the port of the URL', async () => {
    const { request } = await posted({}, `http://${HOST}:8080/`);
    expect(request).toMatchObject({ protocol: 'http', port: 8080, headers: { host: `${HOST}:8080` } });
  });

  test('fails if the endpoint keeps answering 401', async () => {
    const fixture = new SnsFixture();
    fixture.createTopic();
    const endpoint = fixture.outside.endpoint(HOST);
    endpoint.behave({ reply: response(401, '', { 'www-authenticate': 'Basic realm="orders"' }) });
    fixture.subscribe('https', `https://rental:secret@${HOST}/`);
    fixture.publish();
    await fixture.settle();
    expect(endpoint.requests).toHaveLength(2);
    expect(fixture.happened('sns.lost')).toMatchObject([{ attempts: 1, cause: { statusCode: 401 } }]);
  });
});

/** aws-semantics 1.1: 15 s without an answer is a failure. */
describe('the time an endpoint takes', () => {
  async function attemptsWith(reply: Reply | Promise<Reply>): Promise<{ atSeconds: number; reason: string }[]> {
    const fixture = new SnsFixture();
    fixture.createTopic();
    fixture.network.attach(HOST, () => reply);
    fixture.subscribe('https', ENDPOINT, {
      DeliveryPolicy: JSON.stringify({ healthyRetryPolicy: { minDelayTarget: 1, maxDelayTarget: 1, numRetries: 0 } }),
    });
    fixture.publish();
    await fixture.settle();
    return fixture.happened('sns.attempt').map(({ atMs, reason }) => ({ atSeconds: (atMs - START_MS) / 1000, reason }));
  }

  test('is limited to 15 s for a connection that takes longer to fail', async () => {
    const reply: Reply = { kind: 'no-answer', code: 'ECONNRESET', latencyMs: 60_000 };
    expect(await attemptsWith(reply)).toEqual([{ atSeconds: 15, reason: 'no answer came in time' }]);
  });

  test('may be a promise that a later event resolves', async () => {
    const fixture = new SnsFixture();
    fixture.createTopic();
    fixture.network.attach(
      HOST,
      () => new Promise<Reply>(resolve => fixture.timeline.after(4_000, () => resolve(response(204)))),
    );
    fixture.subscribe('https', ENDPOINT);
    fixture.publish();
    await fixture.settle();
    expect(fixture.happened('sns.delivered')).toMatchObject([{ atMs: START_MS + 4_000 }]);
    expect(fixture.happened('sns.attempt')).toHaveLength(1);
  });

  test('is limited for a promise too, and its late answer is ignored', async () => {
    const fixture = new SnsFixture();
    fixture.createTopic();
    let requests = 0;
    fixture.network.attach(HOST, () => {
      requests += 1;
      return new Promise<Reply>(resolve => fixture.timeline.after(30_000, () => resolve(response(204))));
    });
    fixture.subscribe('https', ENDPOINT);
    fixture.publish();
    await fixture.settle();
    expect(fixture.attemptSeconds()).toEqual([15, 50, 85, 120]);
    expect(requests).toBe(4);
    expect(fixture.happened('sns.delivered')).toEqual([]);
    expect(fixture.happened('sns.lost')).toHaveLength(1);
  });
});

/** aws-semantics 2.4. */
describe('the confirmation of an HTTP/S endpoint', () => {
  function subscribed(): { fixture: SnsFixture; arn: string } {
    const fixture = new SnsFixture();
    fixture.createTopic();
    const { SubscriptionArn: arn = '' } = fixture.sns.call('Subscribe', ADMIN, {
      TopicArn: TOPIC_ARN,
      Protocol: 'https',
      Endpoint: ENDPOINT,
      ReturnSubscriptionArn: true,
    });
    return { fixture, arn };
  }

  test('is not requested again once the subscription is confirmed', async () => {
    const { fixture } = subscribed();
    fixture.outside.endpoint(HOST).behave({ reply: response(500) });
    await fixture.goTo(10);
    expect(fixture.sns.confirm(ENDPOINT)).toBe(1);
    await fixture.settle();
    expect(fixture.outside.endpoint(HOST).requests).toHaveLength(1);
  });

  test('can be given by the endpoint itself while it answers', async () => {
    const fixture = new SnsFixture();
    fixture.createTopic();
    fixture.network.attach(HOST, request => {
      const { Type, TopicArn, Token } = JSON.parse(bodyOf(request));
      if (Type === 'SubscriptionConfirmation') fixture.sns.call('ConfirmSubscription', ADMIN, { TopicArn, Token });
      return response(200);
    });
    fixture.sns.call('Subscribe', ADMIN, { TopicArn: TOPIC_ARN, Protocol: 'https', Endpoint: ENDPOINT });
    await fixture.settle();
    fixture.publish();
    await fixture.settle();
    expect(fixture.happened('sns.delivered')).toHaveLength(1);
  });
});

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

describe('the digest of a request', () => {
  test.each([
    ['MD5', '8ca523f5e9506fed4657c9700eebdbec'],
    ['SHA-256', '753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1'],
  ])('with %s is that of RFC 7616', (algorithm, response) => {
    expect(answer(rfcChallenge(algorithm))).toBe(
      `Digest username="Mufasa", realm="http-auth@example.org", uri="/dir/index.html", algorithm=${algorithm}, ` +
        `nonce="${RFC.nonce}", nc=00000001, cnonce="${RFC.cnonce}", qop=auth, response="${response}", opaque="${RFC.opaque}"`,
    );
  });

  test('without qop is that of RFC 2069, section 2.4', () => {
    const header =
      'Digest realm="testrealm@host.com", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093", opaque="5ccc069c403ebaf9f0171e9517f40e41"';
    const credentials = { user: 'Mufasa', password: 'CircleOfLife' };
    const members = membersOf(answer(header, { ...RFC, credentials }));
    expect(members).toMatchObject({ algorithm: 'MD5', response: '1949323746fe6a43ef61f9606e7febea' });
    expect(members).not.toHaveProperty('cnonce');
  });

  test('of a session uses both nonces, and so differs', () => {
    const responses = ['MD5', 'MD5-sess', 'SHA-256-sess'].map(it => membersOf(answer(rfcChallenge(it)))['response']);
    expect(new Set(responses).size).toBe(3);
  });

  test('hides the name of a user if the endpoint asks for that', () => {
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
  ])('with %s is not made', (_what, header) => {
    expect(answer(header)).toBeUndefined();
    expect(answer(`${header}, Basic realm="r"`)).toBe('Basic TXVmYXNhOkNpcmNsZSBvZiBMaWZl');
  });
});

describe('of several challenges', () => {
  test('the digest is answered, in any position', () => {
    expect(answer(`Basic realm="a, b", ${rfcChallenge('MD5')}`)).toMatch(/^Digest /);
  });

  test('no unknown one is answered', () => {
    expect(answer('Bearer realm="x", Negotiate')).toBeUndefined();
    expect(answer('')).toBeUndefined();
  });
});

describe('the challenges of a header', () => {
  test('are separated by their commas', () => {
    const parsed = challengesIn(
      'Negotiate, Basic realm="with \\"quotes\\", and commas" , charset = UTF-8,  Digest nonce=n',
    );
    expect(parsed.map(({ scheme, parameters }) => [scheme, Object.fromEntries(parameters)])).toEqual([
      ['negotiate', {}],
      ['basic', { realm: 'with "quotes", and commas', charset: 'UTF-8' }],
      ['digest', { nonce: 'n' }],
    ]);
  });

  test.each(['', '""', '=', 'Digest realm="open', ','])('in nonsense such as %j are one at most', header => {
    expect(challengesIn(header).length).toBeLessThanOrEqual(1);
  });
});
