import { response } from '../../local';
import type { Deployed } from '../support/deployed';
import { deployExample, load, publishToAll } from '../support/examples';

describe('docs/examples/relay.ts', () => {
  const HOSTS = ['partner.example.com', 'archive.example.com'];
  const RELAYS = ['ToPartnerRelay', 'ToArchiveRelay'].map(id => `/Orders/OrdersTopic/Deliveries/${id}`);
  let deployed: Deployed;
  beforeEach(async () => {
    const example = load('relay.ts');
    deployed = await deployExample(example);
    for (const host of HOSTS) deployed.aws.endpoint(host).behave({ reply: response(503) });
    await publishToAll(example, deployed);
  });

  const bodies = (host: string) =>
    deployed.aws.endpoint(host).requests.map(({ body }) => Buffer.from(body).toString('utf8'));

  test('posts an order once its servers are back, twenty hours later, and never again', async () => {
    await deployed.advance({ hours: 20 });
    const before = HOSTS.map(host => bodies(host).length);
    for (const host of HOSTS) deployed.aws.endpoint(host).behave();
    await deployed.advance({ hours: 6 });
    expect(HOSTS.map(host => bodies(host).length)).toEqual(before.map(count => count + 1));
    const [toPartner = '', toArchive] = HOSTS.map(host => bodies(host).at(-1));
    expect(JSON.parse(toPartner)).toMatchObject({ Type: 'Notification', Message: 'an order' });
    expect(toArchive).toBe('an order');
  });

  test('keeps the order when its servers do not come back in time, tells so, and says why', async () => {
    await deployed.advance({ hours: 30 });
    const [toPartner = '', toArchive = ''] = RELAYS.map(relay => `${relay}/Queue/DeadLetterQueue`);
    const [message, ...others] = await deployed.receive(toArchive);
    expect(others).toEqual([]);
    expect(message?.Body).toContain('an order');
    expect(message?.MessageAttributes).toMatchObject({
      DeadLetterCause: { StringValue: 'retries-spent' },
      LastStatusCode: { StringValue: '503' },
    });
    expect(deployed.alarmed(`${RELAYS[1]}/DeadLetteredAlarm`)).toHaveLength(1);
    // The default policy retries for two more days.
    expect(await deployed.receive(toPartner)).toEqual([]);
  });
});
