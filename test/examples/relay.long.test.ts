import { response } from '../../local';
import type { Deployed } from '../support/deployed';
import { deployExample, load, publishToAll } from '../support/examples';

describe('docs/examples/relay.ts', () => {
  const HOSTS = ['partner.example.com', 'archive.example.com'];
  let deployed: Deployed;
  beforeAll(async () => {
    const example = load('relay.ts');
    deployed = await deployExample(example);
    for (const host of HOSTS) deployed.aws.endpoint(host).behave({ reply: response(503) });
    await publishToAll(example, deployed);
  });

  const bodyOf = (request?: { readonly body: Uint8Array }) => Buffer.from(request?.body ?? []).toString('utf8');

  test('posts an order once its server is back, twenty hours later, and never again', async () => {
    const partner = deployed.aws.endpoint('partner.example.com');
    await deployed.advance({ hours: 20 });
    const before = partner.requests.length;
    partner.behave();
    await deployed.advance({ hours: 10 });
    expect(partner.requests).toHaveLength(before + 1);
    expect(JSON.parse(bodyOf(partner.requests.at(-1)))).toMatchObject({ Type: 'Notification', Message: 'an order' });
  });

  test('keeps the order when its server does not come back in time, tells so, and says why', async () => {
    const archive = '/Orders/OrdersTopic/Deliveries/ToArchiveRelay';
    const [message, ...others] = await deployed.receive(`${archive}/Queue/DeadLetterQueue`);
    expect(others).toEqual([]);
    expect(message?.Body).toContain('an order');
    expect(message?.MessageAttributes).toMatchObject({
      DeadLetterCause: { StringValue: 'retries-spent' },
      LastStatusCode: { StringValue: '503' },
    });
    expect(deployed.alarmed(`${archive}/DeadLetteredAlarm`)).toHaveLength(1);
    expect(new Set(deployed.aws.endpoint('archive.example.com').requests.map(bodyOf))).toEqual(new Set(['an order']));
  });
});
