import { createHmac } from 'node:crypto';
import { Duration } from 'aws-cdk-lib';
import { response } from '../../local';
import { MAX_EVENT_BYTES } from '../../policy/fleet/fleet-messages';
import { MINUTE_MS } from '../../policy/time-units';
import { FleetSimulation, gapsMs, mostPerSecond, SECRET } from './fleet-simulation';

const DOWN = { reply: response(503) };

/** One simulation of the deployed bundles. The tests of `functions.test.ts` play more, without deploying. */
describe('A deployed fleet', () => {
  let fleet: FleetSimulation;
  let event: { readonly id: string; readonly data: string };
  const SUBJECT = { data: '{"subject":"big","amount":7}' };

  beforeAll(async () => {
    fleet = await FleetSimulation.deploy(1, { attemptRetention: Duration.days(1) });
    for (const name of ['signed', 'plain', 'dead', 'gone', 'removed', 'limited']) {
      const group = `acme/${name}`;
      const secrets = name === 'signed' ? [await fleet.encrypted(group, SECRET)] : [];
      const limit = name === 'limited' ? { maxPerSecond: 2 } : {};
      await fleet.add({ group, types: name === 'plain' ? ['*'] : ['paid'], ...limit }, { secrets });
    }
    await fleet.add({ group: 'acme/filtered', types: ['paid'], filter: { amount: [{ numeric: ['>', 5] }] } });
    // A secret of another endpoint cannot be decrypted as this one's.
    await fleet.add({ group: 'other/unreadable' }, { secrets: [await fleet.encrypted('acme/signed', SECRET)] });
    fleet.host('acme/dead').behave(DOWN);
    fleet.host('acme/gone').behave({ reply: response(410) });
    fleet.host('acme/removed').behave(DOWN);
    event = fleet.event('acme', SUBJECT);
    fleet.event('other');
    fleet.send('{"tenant":"acme"}');
    fleet.send(JSON.stringify({ id: 'big', tenant: 'acme', type: 'paid', data: 'x'.repeat(MAX_EVENT_BYTES) }));
    for (let second = 0; second < 24; second += 1) {
      await fleet.advance({ seconds: 5 });
      fleet.event('acme', {}, ['acme/filtered']);
    }
    await fleet.advance({ seconds: 5 });
    await fleet.remove('acme/removed');
    await fleet.advance({ minutes: 30 });
  });

  test('delivers an event unchanged and signed, and logs the delivery', async () => {
    const [request] = fleet.host('acme/signed').requests;
    const { 'webhook-id': id = '', 'webhook-timestamp': at, 'webhook-signature': signature } = request?.headers ?? {};
    const key = Buffer.from(SECRET.slice('whsec_'.length), 'base64');
    expect(request?.text).toBe(event.data);
    expect(signature).toBe(`v1,${createHmac('sha256', key).update(`${id}.${at}.${event.data}`).digest('base64')}`);
    expect(fleet.requests('acme/plain')).toHaveLength(25);
    expect(fleet.requests('acme/filtered')).toEqual([expect.objectContaining({ data: SUBJECT.data })]);
    expect(await fleet.attemptsOf(id)).toMatchObject([{ attempt: 1, outcome: 'delivered', statusCode: 200 }]);
  });

  test('parks the messages of a dead endpoint, with at most one attempt a minute', async () => {
    const openedAtMs = (await fleet.state('acme/dead'))?.failingSinceMs ?? 0;
    const later = fleet.requests('acme/dead').filter(({ atMs }) => atMs > openedAtMs + 2 * MINUTE_MS);
    expect(later.length).toBeGreaterThan(2);
    expect(Math.min(...gapsMs(later))).toBeGreaterThanOrEqual(MINUTE_MS);
    // Probes are logged too, also by message, with the time of the next one.
    const ids = fleet.host('acme/dead').requests.map(({ headers }) => headers['webhook-id'] ?? '');
    const attempts = await fleet.attemptsOf(ids.at(-1) ?? '');
    expect(attempts).toHaveLength(ids.filter(id => id === ids.at(-1)).length);
    expect(attempts.at(-1)).toMatchObject({ outcome: 'failed', nextAtMs: (await fleet.state('acme/dead'))?.probeAtMs });
  });

  test('never exceeds a ceiling', () => {
    expect(fleet.requests('acme/limited')).toHaveLength(25);
    expect(mostPerSecond(fleet.requests('acme/limited'))).toBeLessThanOrEqual(2);
  });

  test('disables an endpoint that answers 410, and sends a notice', async () => {
    expect(await fleet.state('acme/gone')).toMatchObject({ health: 'disabled', disabledReason: 'gone' });
    const [notice, ...others] = (await fleet.deployed.take('Seen')).map(text => JSON.parse(text));
    expect(notice).toMatchObject({ type: 'endpoint.disabled', tenant: 'acme', endpoint: 'gone', fleet: 'webhooks' });
    expect(others).toEqual([]);
  });

  test('returns parked messages, the oldest first, when the endpoint works again, and loses none', async () => {
    fleet.host('acme/dead').behave();
    await fleet.advance({ minutes: 40 });
    const { lost, queued, dead, due, delivered, parked } = await fleet.ledger();
    const sum = Object.values(dead).reduce((all, count) => all + count, 0);
    expect({ lost, queued, sum: delivered + parked + sum }).toEqual({ lost: 0, queued: 0, sum: due });
    expect(dead).toEqual({ gone: expect.any(Number), 'endpoint-removed': expect.any(Number) });
    const returned = fleet
      .requests('acme/dead')
      .flatMap(({ isTaken, data }) => (isTaken ? [JSON.parse(data).number] : []));
    expect(returned).toHaveLength(25);
    const causes = [...(await fleet.collectDead())].filter(([body]) => body.startsWith('{'));
    expect(causes.map(([, cause]) => cause).sort()).toEqual(['not-an-event', 'too-large']);
  });
});
