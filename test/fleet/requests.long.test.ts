import { Webhook } from 'standardwebhooks';
import { deliveryId } from '../../fleet/delivery-id';
import { type Behaviour, type ReceivedRequest, response, silence } from '../../local';
import { lineageId } from '../../local/lambda/trace-header';
import type { EndpointItem } from '../../policy/fleet/fleet-items';
import { MAX_EVENT_BYTES } from '../../policy/fleet/fleet-messages';
import { FleetSimulation } from './fleet-simulation';

const keyOf = (byte: number) => `whsec_${Buffer.alloc(32, byte).toString('base64')}`;

const issuing = (token: string, expires_in: number): Behaviour => ({
  reply: response(200, JSON.stringify({ access_token: token, expires_in })),
});

/** Whether a receiver with this secret takes a request, by the public library and the time of the simulation. */
function isAccepted(secret: string, { text, headers, atMs }: ReceivedRequest): boolean {
  jest.useFakeTimers({ now: atMs });
  try {
    return Boolean(new Webhook(secret).verify(text, headers));
  } catch {
    return false;
  } finally {
    jest.useRealTimers();
  }
}

describe('The requests of a fleet', () => {
  let fleet: FleetSimulation;

  beforeAll(async () => {
    fleet = await FleetSimulation.deploy(1);
  });

  const log = () => fleet.deployed.log(fleet.deployed.ref('Fleet/Deliverer/Log')).join('\n');

  test('are verified by standardwebhooks, with either secret during a rotation', async () => {
    const name = { tenant: 'signed', endpoint: 'orders' };
    const [current, old, forgotten] = await Promise.all([1, 2, 3].map(it => fleet.secrets.encrypt(name, keyOf(it))));
    if (!current || !old || !forgotten) throw new Error('nothing was encrypted');
    const secrets = [current, { ...old, untilMs: fleet.nowMs + 3_600_000 }, { ...forgotten, untilMs: fleet.nowMs }];
    const host = await fleet.add({ group: 'signed/orders' }, { secrets });
    host.behave({ reply: response(503), count: 1 });
    fleet.event('signed', { data: '{"für": "Zoë \u{1f4e6}",\r\n "sum":1.50}' });
    await fleet.advance({ minutes: 1 });
    const [first, second, ...others] = host.requests;
    if (!first || !second) throw new Error('there must be two requests');
    expect(others).toEqual([]);
    for (const request of [first, second]) {
      expect([1, 2, 3].map(it => isAccepted(keyOf(it), request))).toEqual([true, true, false]);
    }
    expect(second.headers['webhook-id']).toBe(first.headers['webhook-id']);
    expect(second.headers['webhook-timestamp']).not.toBe(first.headers['webhook-timestamp']);
    expect(second.headers['content-type']).toBe('application/json');
    expect(Object.keys(second.headers).filter(it => it.startsWith('x-amz-sns'))).toEqual([]);
  });

  describe('with an OAuth client', () => {
    const [GROUP, NEXT] = ['oauth/orders', 'oauth/returns'];
    const tokens = () => fleet.deployed.aws.endpoint('auth.oauth.example');
    const tokensOf = () => fleet.host(GROUP).requests.map(({ headers }) => headers['authorization']);

    beforeAll(async () => {
      const [tenant = '', endpoint = ''] = GROUP.split('/');
      const tokenUrl = 'https://auth.oauth.example/token';
      const clientSecret = await fleet.secrets.encrypt({ tenant, endpoint }, 'cl1ent-s3cret', tokenUrl);
      const authorization: EndpointItem['authorization'] = { tokenUrl, clientId: 'shop', clientSecret, scope: 'write' };
      await fleet.add({ group: GROUP, maxPerSecond: 5 }, { authorization });
      await fleet.add({ group: NEXT });
    });

    test('carry its token, which is replaced before it expires and when the endpoint refuses it', async () => {
      tokens().behave({ ...issuing('t0ken-one', 240), count: 1 }, { ...issuing('t0ken-two', 3_600), count: 1 });
      for (let index = 0; index < 3; index += 1) fleet.event('oauth');
      await fleet.advance({ minutes: 4 });
      fleet.event('oauth');
      await fleet.advance({ minutes: 2 });
      tokens().behave({ ...issuing('t0ken-three', 60), count: 1 });
      fleet.host(GROUP).behave({ reply: response(401, 'no t0ken-two'), count: 1 });
      fleet.event('oauth');
      await fleet.advance({ minutes: 2 });
      const [one, two, three] = ['one', 'two', 'three'].map(it => `Bearer t0ken-${it}`);
      expect(tokensOf()).toEqual([one, one, one, two, two, three]);
      expect(tokens().requests.map(({ text }) => text)).toEqual(
        Array(3).fill('grant_type=client_credentials&scope=write'),
      );
    });

    test('wait without delaying another endpoint while the token endpoint does not answer', async () => {
      const [asked, posted] = [tokens().requests.length, fleet.host(GROUP).requests.length];
      const neighbour = fleet.requests(NEXT).length;
      tokens().behave({ reply: silence() });
      for (let second = 0; second < 20; second += 1) {
        fleet.event('oauth');
        await fleet.advance({ seconds: 1 });
      }
      await fleet.advance({ seconds: 1 });
      expect(fleet.requests(NEXT).length).toBe(neighbour + 20);
      expect(fleet.host(GROUP).requests.length).toBe(posted);
      expect(tokens().requests.length - asked).toBeLessThan(10);
      tokens().behave(issuing('t0ken-four', 60));
      await fleet.advance({ minutes: 10 });
      expect(await fleet.ledger()).toMatchObject({ parked: 0, queued: 0, lost: 0, dead: {} });
      for (const secret of ['t0ken', 'cl1ent']) expect(log()).not.toContain(secret);
    });
  });

  test('continue below a ceiling after messages that waited have been sent again sixteen times', async () => {
    await fleet.add({ group: 'paced/orders', maxPerSecond: 1 });
    // A batch passes the longest chain of its messages on to each copy that it sends.
    const chain = `Root=1-5f8ff2a1-000000000000000000000000;Lineage=1:${lineageId(fleet.deployed.arn('Fleet/Deliverer/Function'))}:14`;
    for (let index = 0; index < 12; index += 1) fleet.event('paced', {}, [], chain);
    await fleet.advance({ seconds: 40 });
    expect(fleet.requests('paced/orders')).toHaveLength(12);
    expect(fleet.deployed.happened('lambda.recursion-stopped')).toEqual([]);
  });

  test('follow the calls of a fleet client', async () => {
    const name = { tenant: 'managed', endpoint: 'orders' };
    const endpoint = { ...name, url: 'https://orders.managed.example/hook', types: ['paid'] };
    const { client } = fleet;
    const { requests } = fleet.deployed.aws.endpoint('orders.managed.example');
    const { secret = '' } = await client.put(endpoint);
    const { id } = await client.send({ tenant: 'managed', type: 'paid', data: { total: 5 } });
    await fleet.advance({ minutes: 1 });
    const rotated = await client.rotateSecret(name);
    const { delivery } = await client.sendTest(name);
    await fleet.advance({ minutes: 1 });
    const [first, second] = requests;
    if (!first || !second) throw new Error('there must be two requests');
    expect([first.text, second.text]).toEqual(['{"total":5}', '{"test":true}']);
    expect([first.headers, second.headers].map(it => it['webhook-id'])).toEqual([
      deliveryId('webhooks', id, name),
      delivery,
    ]);
    expect([isAccepted(secret, first), isAccepted(secret, second), isAccepted(rotated.secret, second)]).toEqual([
      true,
      true,
      true,
    ]);

    await client.disable(name);
    const event = await client.send({ tenant: 'managed', type: 'paid', data: { total: 6 } });
    await fleet.advance({ minutes: 2 });
    await client.remove(name);
    await fleet.advance({ minutes: 3 });
    expect(requests.length).toBe(2);
    await client.put(endpoint);
    const waiting = deliveryId('webhooks', event.id, name);
    const replay = client.replay({ delivery: waiting });
    await fleet.advance({ minutes: 1 });
    expect(await replay).toEqual({ deliveries: [waiting], lookedAt: 1, isComplete: true });
    expect(requests.map(({ text }) => text)).toEqual(['{"total":5}', '{"test":true}', '{"total":6}']);
  });

  describe('of a tenant whose endpoints nearly all fail', () => {
    const NAMES = ['well', 'private', 'filter', 'unreadable'];
    const groupOf = (endpoint: string) => `wrong/${endpoint}`;
    const waited = () => fleet.requests(groupOf('well')).map(({ atMs, data }) => atMs - JSON.parse(data).atMs);

    beforeAll(async () => {
      const secrets = [await fleet.encrypted(groupOf('well'), keyOf(1))];
      await fleet.add({ group: groupOf('well') }, { secrets });
      // It was public when it was created.
      (await fleet.add({ group: groupOf('private') })).resolveTo({ addresses: ['10.0.0.1'] });
      // The client refuses such a filter.
      await fleet.add({ group: groupOf('filter'), filter: { amount: [{ numeric: ['>', 5, '<', 3] }] } });
      // The secret of another endpoint.
      await fleet.add({ group: groupOf('unreadable') }, { secrets });
      fleet.send(JSON.stringify({ id: 'big', tenant: 'wrong', type: 'paid', data: 'x'.repeat(MAX_EVENT_BYTES) }));
      for (let second = 0; second < 10; second += 1) {
        fleet.event('wrong', { data: JSON.stringify({ second, atMs: fleet.nowMs }) });
        await fleet.advance({ seconds: 1 });
      }
      await fleet.advance({ seconds: 5 });
    });

    test('reach the healthy endpoint at once, and the other messages are dead-lettered or wait', async () => {
      expect(waited()).toHaveLength(10);
      expect(Math.max(...waited())).toBeLessThan(1_000);
      const { dead, lost, queued, parked } = await fleet.ledger();
      expect({ dead, waiting: lost + parked, queued }).toEqual({
        dead: { 'bad-filter': 10 },
        waiting: 20,
        queued: 20,
      });
      expect([...(await fleet.collectDead()).values()]).toContain('too-large');
      expect((await fleet.state(groupOf('unreadable')))?.failures ?? 0).toBe(0);
    });

    test('are made once the secret can be read and the table no longer throttles, and the log says why they were late', async () => {
      await fleet.client.rotateSecret({ tenant: 'wrong', endpoint: 'unreadable' }, { overlapSeconds: 0 });
      const throttle = fleet.deployed.aws.faults.set({ service: 'dynamodb', throttle: true });
      fleet.event('wrong', { data: JSON.stringify({ second: 10, atMs: fleet.nowMs }) }, [
        groupOf('private'),
        groupOf('filter'),
      ]);
      await fleet.advance({ minutes: 1 });
      expect(waited()).toHaveLength(10);
      throttle.end();
      await fleet.advance({ minutes: 10 });
      expect(NAMES.map(it => new Set(fleet.requests(groupOf(it)).map(({ id }) => id)).size)).toEqual([11, 0, 0, 11]);
      for (const reason of ['the endpoint is at an address that is not public', 'the signing secret cannot be read']) {
        expect(log()).toContain(reason);
      }
      // It may be public again until its messages are too old.
      expect(await fleet.ledger()).toMatchObject({ parked: 10, queued: 0, lost: 0 });
    });
  });
});
