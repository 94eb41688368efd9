import { addressesOf } from '../../../local/network/addresses';
import { InMemoryNetwork, type Reply } from '../../../local/network/network';
import { response } from '../../../local/network/outside-endpoint';
import { OutsideWorld } from '../../../local/network/outside-world';

const HOST = 'billing.example.com';
const DESTINATION = { protocol: 'https', host: 'Billing.Example.com', port: 443 } as const;

describe('connecting to a host', () => {
  const clock = { nowMs: 0 };
  const scripted = (...replies: readonly Reply[]) => {
    const outside = new OutsideWorld(clock);
    outside.endpoint(HOST).behave(...replies.map(reply => ({ reply, count: 1 })));
    return { outside, network: new InMemoryNetwork(outside.answer, outside) };
  };

  test.each([
    { kind: 'no-answer', code: 'ECONNREFUSED', latencyMs: 5 },
    { kind: 'no-answer', code: 'ETIMEDOUT' },
    { kind: 'no-answer', code: 'CERT_HAS_EXPIRED' },
    { kind: 'silence', unreachable: true },
  ] as const)('fails by %j, once, and leaves no request', reply => {
    const { outside, network } = scripted(reply);
    expect(network.resolve(HOST).addresses).toHaveLength(1);
    expect(network.connect(DESTINATION)).toEqual(reply);
    expect(network.connect(DESTINATION)).toBeUndefined();
    expect(outside.endpoint(HOST).requests).toEqual([]);
    expect(outside.endpoint(HOST).failedConnections).toEqual([{ atMs: 0, address: addressesOf(HOST)[0], reply }]);
  });

  test.each([
    response(503),
    { kind: 'no-answer', code: 'ECONNRESET' },
    { kind: 'no-answer', code: 'HPE_INVALID_CONSTANT' },
    { kind: 'silence' },
  ] as const)('comes about before %j, which is for the request', async reply => {
    const { network } = scripted(reply);
    expect(network.connect(DESTINATION)).toBeUndefined();
    expect(network.connect(DESTINATION)).toBeUndefined();
    const request = { ...DESTINATION, method: 'POST', path: '/', headers: {}, body: Buffer.from('') };
    expect(await network.send(request)).toEqual(reply);
  });

  test('comes after its name, which may not exist', () => {
    const { network } = scripted({ kind: 'no-answer', code: 'ENOTFOUND', latencyMs: 20 });
    expect(network.resolve('BILLING.example.com')).toEqual({ addresses: [], latencyMs: 20 });
    expect(network.resolve(HOST)).toEqual({ addresses: [expect.stringMatching(/^52\./)], latencyMs: 0 });
  });

  test('makes no host of one that nobody has spoken of, and asks no script of one that is attached', () => {
    const { outside, network } = scripted({ kind: 'no-answer', code: 'ECONNREFUSED' });
    expect(network.resolve('other.example').addresses).toHaveLength(1);
    expect(network.connect({ ...DESTINATION, host: 'other.example' })).toBeUndefined();
    expect(outside.has('other.example')).toBe(false);
    network.attach(HOST, () => response(200));
    expect(network.connect(DESTINATION)).toBeUndefined();
    expect(outside.endpoint(HOST).failedConnections).toEqual([]);
  });
});
