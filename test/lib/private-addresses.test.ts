import { readDestination } from '../../lambda/relay/destination';
import { DurableTopic, HttpRelay, RelayEndpoint } from '../../lib';
import { addressProblems } from '../../lib/relay/relay-address';
import { addressGuards } from '../../policy/limits/address-guard';
import { FORBIDDEN_HOSTS, PUBLIC_HOSTS } from '../lambda/relay/forbidden-hosts';
import { newStack, warningIds } from './support';

const ALL_FORBIDDEN = Object.values(FORBIDDEN_HOSTS).flat();

const urlOf = (host: string): string => `https://${host}/orders`;

/** What the handler says of it, once messages come. */
function isRefusedByHandler(url: string, ranges: readonly string[] = []): boolean {
  return readDestination('endpoint', url, addressGuards(ranges), false).kind === 'refused';
}

/** What synthesis says of it. */
function problemsAt(url: string, allowedPrivateRanges: string[] = []): readonly string[] {
  return addressProblems({ endpoint: RelayEndpoint.fromUrl(url), allowedPrivateRanges }).map(({ rule }) => rule);
}

const REFUSAL = expect.stringMatching(/^must (be public, or|not be an address)/);

describe('What synthesis says of an endpoint is what the relay would say of it', () => {
  test.each(ALL_FORBIDDEN)('%s is refused', host => {
    expect(isRefusedByHandler(urlOf(host))).toBe(true);
    expect(problemsAt(urlOf(host))).toEqual([REFUSAL]);
  });

  test.each(PUBLIC_HOSTS)('%s is taken', host => {
    expect(isRefusedByHandler(urlOf(host))).toBe(false);
    expect(problemsAt(urlOf(host))).toEqual([]);
  });

  const RANGES = ['10.0.0.0/8', '100.64.0.0/10', '192.168.0.0/16', '203.0.113.0/24', 'fd00::/8', '2002::/16'];

  test.each(ALL_FORBIDDEN)('%s is the same to both where ranges are allowed', host => {
    expect(problemsAt(urlOf(host), RANGES)).toEqual(isRefusedByHandler(urlOf(host), RANGES) ? [REFUSAL] : []);
  });

  test.each([
    'http://8.8.8.8/orders',
    'http://203.0.113.9/orders',
    'http://10.1.2.3/orders',
    'http://hooks.example.com/',
  ])('%s is the same to both in the clear', url => {
    const problems = isRefusedByHandler(url, RANGES) ? [expect.stringMatching(/^must be https/)] : [];
    expect(problemsAt(url, RANGES)).toEqual(problems);
    expect([isRefusedByHandler(url), problemsAt(url).length > 0]).toEqual([true, true]);
  });

  test('of which some are open then, and some are not', () => {
    const open = ALL_FORBIDDEN.filter(host => !isRefusedByHandler(urlOf(host), RANGES));
    expect(open.length).toBeGreaterThan(10);
    expect(open.length).toBeLessThan(ALL_FORBIDDEN.length - 50);
  });
});

test.each(['100.64.0.1', '198.18.0.1', '[::ffff:10.0.0.1]', '[64:ff9b::7f00:1]'])(
  'No relay posts to %s, and a topic that is to warns that it cannot',
  host => {
    const stack = newStack();
    const relay = () => new HttpRelay(stack, 'Relay', { endpoint: RelayEndpoint.fromUrl(urlOf(host)) });
    expect(relay).toThrow('endpoint must');
    new DurableTopic(stack, 'Topic').deliverToEndpoint('Endpoint', urlOf(host));
    expect(warningIds(stack)).toContain('endpoint-unreachable');
  },
);
