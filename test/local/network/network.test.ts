import { InMemoryNetwork, type OutgoingRequest } from '../../../local/network/network';
import { response } from '../../../local/network/outside-endpoint';
import { OutsideWorld } from '../../../local/network/outside-world';

const request = (host: string): OutgoingRequest => ({
  protocol: 'https',
  host,
  port: 443,
  method: 'POST',
  path: '/invoices',
  headers: {},
  body: Buffer.from('{}'),
});

function world() {
  const clock = { nowMs: 0 };
  const outside = new OutsideWorld(clock);
  const network = new InMemoryNetwork(outside.answer);
  const status = async (host = 'billing.example.com') => {
    const reply = await network.send(request(host));
    return reply.kind === 'response' ? reply.status : reply.kind;
  };
  return { clock, outside, network, status };
}

describe('the network', () => {
  test('a host nobody scripted exists, answers 200 and remembers what it was asked', async () => {
    const { clock, outside, status } = world();
    clock.nowMs = 7;
    expect(await status('Billing.Example.com')).toBe(200);
    expect(outside.endpoint('billing.example.com').requests).toMatchObject([
      { atMs: 7, path: '/invoices', reply: { status: 200 } },
    ]);
    expect(outside.endpoint('billing.example.com').requests[0]?.text).toBe('{}');
  });

  test('an attached host answers for its name, in any case, and for no other', async () => {
    const { network, status } = world();
    network.attach('SQS.us-east-1.amazonaws.com', () => response(418));
    expect(await status('sqs.US-EAST-1.amazonaws.com')).toBe(418);
    expect(await status('sns.us-east-1.amazonaws.com')).toBe(200);
  });

  test('an endpoint plays its script in order, by count and by time, then answers 200', async () => {
    const { clock, outside, status } = world();
    outside
      .endpoint('billing.example.com')
      .behave(
        { reply: response(503), count: 2 },
        { reply: { kind: 'no-answer', code: 'ECONNREFUSED' }, untilMs: 100 },
        { reply: { kind: 'silence' }, count: 1 },
      );
    const seen = [await status(), await status(), await status(), await status()];
    clock.nowMs = 100;
    seen.push(await status(), await status());
    expect(seen).toEqual([503, 503, 'no-answer', 'no-answer', 'silence', 200]);
  });

  test('a behaviour’s stretch of time begins with its turn', async () => {
    const { clock, outside, status } = world();
    outside
      .endpoint('billing.example.com')
      .behave(
        { reply: response(503), forMs: 60 },
        { reply: response(500), forMs: 60 },
        { reply: response(429), count: 1 },
      );
    const seen: unknown[] = [];
    for (const nowMs of [0, 59, 60, 119, 120, 121]) {
      clock.nowMs = nowMs;
      seen.push(await status());
    }
    expect(seen).toEqual([503, 503, 500, 500, 429, 200]);
  });

  test('a stretch nobody saw is over all the same', async () => {
    const { clock, outside, status } = world();
    outside
      .endpoint('billing.example.com')
      .behave({ reply: response(503), forMs: 60 }, { reply: response(500), forMs: 60 });
    clock.nowMs = 119;
    expect(await status()).toBe(500);
    clock.nowMs = 120;
    expect(await status()).toBe(200);
  });
});
