import { type Behaviour, noAnswer, response, silence } from '../../../local';
import { DeployedRelay, POLICY } from './relay-fixture';

const CLIENT = JSON.stringify({ client_id: 'relay-7', client_secret: 'cl1ent-s3cret' });

const issuing = (token: string, expires_in = 3_600): Behaviour => ({
  reply: response(200, JSON.stringify({ access_token: token, token_type: 'Bearer', expires_in })),
});

const tokensOf = ({ requests }: DeployedRelay) => requests.map(({ headers }) => headers['authorization']);

/** https://www.rfc-editor.org/rfc/rfc6749#section-4.4 */
test('The requests of a relay carry a token, which is replaced before it expires and when the endpoint refuses it', async () => {
  const relay = await DeployedRelay.deploy({ windowSeconds: 1, secrets: { client: CLIENT } });
  relay.tokenHost.behave(
    { ...issuing('t0ken-one', 240), count: 1 },
    { ...issuing('t0ken-two'), count: 1 },
    issuing('t0ken-three'),
  );
  for (const message of ['a', 'b', 'c']) await relay.publish(message);
  await relay.deployed.advance({ minutes: 4 });
  await relay.publish('d');
  await relay.deployed.advance({ minutes: 4 });
  const refusal = response(401, 'no t0ken-two here');
  relay.host.behave({ reply: refusal, count: 1 }, { reply: response(200, 'not t0ken-two, t0ken-three'), count: 1 });
  await relay.publish('e');
  await relay.deployed.advance({ minutes: 4 });
  relay.host.behave({ reply: response(401, 'no t0ken-three here') });
  await relay.publish('f');
  await relay.settle();
  const [one, two, three] = ['one', 'two', 'three'].map(it => `Bearer t0ken-${it}`);
  expect(tokensOf(relay).slice(0, 6)).toEqual([one, one, one, two, two, three]);
  expect(new Set(tokensOf(relay).slice(6))).toEqual(new Set([three]));
  expect(relay.attempts[4]).toMatchObject({ status: 'SUCCESS', delivery: { attempts: 1 }, relay: { requests: 2 } });
  expect(relay.tokenHost.requests[0]).toMatchObject({
    path: '/token',
    text: 'grant_type=client_credentials',
    headers: { authorization: `Basic ${Buffer.from('relay-7:cl1ent-s3cret').toString('base64')}` },
  });
  const [dead] = await relay.deadLetters();
  expect(dead?.attributes).toMatchObject({ DeadLetterCause: 'retries-spent', LastStatusCode: '401' });
  const reported = [...relay.log, JSON.stringify(dead)].join('\n');
  expect(reported).toContain('no [secret] here');
  for (const secret of ['t0ken', 'cl1ent']) expect(reported).not.toContain(secret);
});

const TOKEN_URL = 'https://auth.example.com/token: the token endpoint';

const FAILURES: readonly { what: string; behaviour?: Behaviour; client?: string; at?: string; reason: string }[] = [
  { what: 'is down', behaviour: { reply: noAnswer() }, reason: `${TOKEN_URL} does not answer: connect ECONNREFUSED` },
  {
    what: 'is silent',
    behaviour: { reply: silence() },
    reason: `${TOKEN_URL} does not answer: nothing within 10000 ms`,
  },
  { what: 'fails', behaviour: { reply: response(503, 't0ken') }, reason: `${TOKEN_URL} answers 503` },
  {
    what: 'answers with more than 64 KB',
    behaviour: { reply: response(200, `{"access_token":"${'t0ken'.repeat(20_000)}"}`) },
    reason: `${TOKEN_URL} answers 200, but with an incomplete body: it is longer than 65536 bytes`,
  },
  {
    what: 'answers with a page',
    behaviour: { reply: response(200, '<html>t0ken</html>') },
    reason: `${TOKEN_URL} answers 200, but not with a JSON object`,
  },
  { what: 'moves to a private address', at: '10.0.0.5', reason: 'auth.example.com resolves to 10.0.0.5, which is not' },
  { what: 'has a client that is malformed', client: 'cl1ent', reason: 'must be a JSON object with client_id' },
];

describe('A relay whose token endpoint', () => {
  let relay: DeployedRelay;

  beforeAll(async () => {
    const retryPolicy = { ...POLICY, minDelayTarget: 60, maxDelayTarget: 60, numRetries: 20 };
    relay = await DeployedRelay.deploy({ windowSeconds: 1, retryPolicy, secrets: { client: CLIENT } });
  });

  test.each(FAILURES)(
    '$what sends nothing, and delivers once there is a token',
    async ({ behaviour, client, at, reason }) => {
      // The secret is read again after ten seconds.
      await relay.deployed.advance({ seconds: 11 });
      const [requests, lines] = [relay.requests.length, relay.lines.length];
      if (behaviour) relay.tokenHost.behave(behaviour);
      if (client) await relay.setSecret('client', client);
      if (at) relay.tokenHost.resolveTo({ addresses: [at] });
      await relay.publish('one');
      await relay.publish('two');
      await relay.deployed.advance({ seconds: 40 });
      expect(relay.requests.length).toBe(requests);
      const [first] = relay.lines.slice(lines);
      expect(first).toMatchObject({ level: 'ERROR', message: 'not tried', reason: expect.stringContaining(reason) });
      relay.tokenHost.behave(issuing('t0ken-four', 1));
      relay.tokenHost.resolveTo();
      await relay.setSecret('client', CLIENT);
      await relay.settle();
      expect(relay.requests.length).toBe(requests + 2);
      expect(relay.queued).toBe(0);
      expect(await relay.deadLetters()).toEqual([]);
      for (const secret of ['t0ken', 'cl1ent']) expect(relay.log.join('\n')).not.toContain(secret);
    },
  );
});
