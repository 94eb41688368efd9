import fc from 'fast-check';
import * as ipaddr from 'ipaddr.js';
import {
  addressGuard,
  addressGuards,
  addressIn,
  brokenRangeRule,
  isPublicHost,
  neverAllowedReason,
} from '../../policy/address-guard';
import { FORBIDDEN_HOSTS, PUBLIC_HOSTS } from './forbidden-hosts';

const strict = addressGuard([]);

const hostOf = (host: string): string => new URL(`https://${host}/`).hostname;

/** Checks the host of a URL. A name is allowed. */
const judged = (host: string, guard = strict): string | undefined => {
  const address = addressIn(hostOf(host));
  return address === undefined ? undefined : guard(address);
};

test.each(Object.values(FORBIDDEN_HOSTS).flat())('%s is not a public host', host =>
  expect(isPublicHost(hostOf(host))).toBe(false),
);

test.each(PUBLIC_HOSTS)('%s is a public host', host => expect(isPublicHost(hostOf(host))).toBe(true));

test.each([
  ['fe80::1%eth0', 'has a zone, which a public address never has'],
  ['2606:4700::1%eth0', 'has a zone, which a public address never has'],
  ['0177.0.0.1', 'is not an IP address'],
  ['127.1', 'is not an IP address'],
  ['1.2.3.4.5', 'is not an IP address'],
  ['1.2.3.256', 'is not an IP address'],
  ['2130706433', 'is not an IP address'],
  ['[::1]', 'is not an IP address'],
  ['::1/', 'is not an IP address'],
  ['::1]/[::2', 'is not an IP address'],
  ['user@[::1', 'is not an IP address'],
  ['1::2::3', 'is not an IP address'],
  [':::', 'is not an IP address'],
  ['a:b', 'is not an IP address'],
  ['hooks.example.com', 'is not an IP address'],
  ['', 'is not an IP address'],
  ['10.0.0.1', 'is not public'],
  ['FC00::1', 'is not public'],
  ['0.0.0.0', 'is not the address of a host'],
  ['::', 'is not the address of a host'],
  ['127.0.0.1', 'is the machine itself'],
  ['0:0:0:0:0:0:0:1', 'is the machine itself'],
  ['169.254.1.1', 'is only valid on the local link'],
  ['FE80::1', 'is only valid on the local link'],
  ['224.0.0.1', 'is multicast or broadcast'],
  ['255.255.255.255', 'is multicast or broadcast'],
  ['ff02::1', 'is multicast or broadcast'],
  ['169.254.169.254', 'is where AWS hands out credentials'],
  ['fd00:0ec2::0:254', 'is where AWS hands out credentials'],
  ['::ffff:8.8.8.8', undefined],
  ['64:ff9b::808:808', undefined],
  ['2606:4700:4700::1111', undefined],
  ['2606:4700:4700:0:0:0:0:1111', undefined],
  ['8.8.8.8', undefined],
])('An address of a resolved name, %j, %s', (address, why) => expect(strict(address)).toBe(why));

describe('A host that states an address without a DNS query', () => {
  test.each([
    ['[::1]', '::1'],
    ['10.0.0.1..', '10.0.0.1'],
    ['localhost', '127.0.0.1'],
    ['a.b.localhost.', '127.0.0.1'],
    ['localdomain', '127.0.0.1'],
    ['localhost.localdomain', '127.0.0.1'],
    ['ip6-loopback', '127.0.0.1'],
  ])('is %s: %s', (host, address) => expect(addressIn(host)).toBe(address));

  test.each(['1.2.3[.4', '1.2.3].4', 'localhost.example.com', 'mylocalhost', 'example.com'])('is not %s', host => {
    expect(addressIn(host)).toBeUndefined();
  });
});

describe('The guards of a relay', () => {
  const guards = addressGuards(['10.1.0.0/16', '10.2.0.0/16']);

  test.each([
    ['93.184.216.34', undefined, 'is public, and only https may go there'],
    ['10.2.0.1', undefined, undefined],
    ['::ffff:10.1.0.1', undefined, undefined],
    ['10.3.0.1', 'is not public', 'is not public'],
    ['169.254.169.254', 'is where AWS hands out credentials', 'is where AWS hands out credentials'],
    ['hooks.example.com', 'is not an IP address', 'is not an IP address'],
  ])('without TLS, requests may go only to an allowed range: %s', (address, https, http) => {
    expect([guards['https:'](address), guards['http:'](address)]).toEqual([https, http]);
  });

  test('without an allowed range, no request without TLS is allowed', () => {
    expect([guards.allowsHttp, addressGuards([]).allowsHttp]).toEqual([true, false]);
  });

  test.each([
    ['127.0.0.1', 'is the machine itself'],
    ['::ffff:169.254.170.2', 'is where AWS hands out credentials'],
    ['10.0.0.1', undefined],
    ['93.184.216.34', undefined],
    ['example.com', undefined],
  ])('no range allows an address that is never another host: %s', (address, reason) => {
    expect(neverAllowedReason(address)).toBe(reason);
  });
});

describe('An allowed range', () => {
  const guard = addressGuard(['10.1.0.0/16', 'fd00::/8', '100.64.0.7/32', '192.168.7.200/25']);

  test.each([
    '10.1.0.1',
    '10.1.255.255',
    '[::ffff:10.1.0.1]',
    '[64:ff9b::10.1.0.1]',
    '[fd12::1]',
    '100.64.0.7',
    '192.168.7.128',
    '8.8.8.8',
  ])('opens %s', host => expect(judged(host, guard)).toBeUndefined());

  test.each([
    '10.0.255.255',
    '10.2.0.0',
    '192.168.0.1',
    '192.168.7.127',
    '[fc00::1]',
    '100.64.0.8',
    '203.0.113.8',
    '[::ffff:10.2.0.1]',
    '[::10.1.0.1]',
    '[2002:a01:1::]',
  ])('leaves %s closed', host => expect(judged(host, guard)).toBe('is not public'));

  const everything = addressGuard([
    '0.0.0.0/0',
    '::/0',
    '127.0.0.0/8',
    '169.254.0.0/16',
    '::1/128',
    'fd00:ec2::254/128',
  ]);

  test.each([
    ['169.254.169.254', 'is where AWS hands out credentials'],
    ['2852039166', 'is where AWS hands out credentials'],
    ['[::ffff:a9fe:a9fe]', 'is where AWS hands out credentials'],
    ['[64:ff9b::a9fe:a9fe]', 'is where AWS hands out credentials'],
    ['169.254.170.2', 'is where AWS hands out credentials'],
    ['169.254.170.23', 'is where AWS hands out credentials'],
    ['[fd00:ec2::254]', 'is where AWS hands out credentials'],
    ['[fd00:ec2:0::23]', 'is where AWS hands out credentials'],
    ['127.0.0.1', 'is the machine itself'],
    ['127.8.8.8', 'is the machine itself'],
    ['localhost', 'is the machine itself'],
    ['hooks.localhost.', 'is the machine itself'],
    ['[::1]', 'is the machine itself'],
    ['[::ffff:127.0.0.1]', 'is the machine itself'],
    ['[64:ff9b::7f00:1]', 'is the machine itself'],
    ['0.0.0.0', 'is not the address of a host'],
    ['0.1.2.3', 'is not the address of a host'],
    ['[::]', 'is not the address of a host'],
    ['169.254.1.1', 'is only valid on the local link'],
    ['[fe80::1]', 'is only valid on the local link'],
    ['[febf::1]', 'is only valid on the local link'],
    ['224.0.0.1', 'is multicast or broadcast'],
    ['239.255.255.250', 'is multicast or broadcast'],
    ['255.255.255.255', 'is multicast or broadcast'],
    ['[ff0e::1]', 'is multicast or broadcast'],
  ])('never opens %s', (host, why) => expect(judged(host, everything)).toBe(why));

  test.each([
    '',
    '10.1.0.0',
    '10.1.0.0/33',
    'private',
    'fd00::/129',
    '10.1.0.0/x',
    '10.1/16',
    '[fd00::]/8',
    'fe80::1%1/64',
  ])('cannot be %j', range => {
    expect(() => addressGuard([range])).toThrow(
      `allowedPrivateRanges must be CIDRs such as 10.1.0.0/16, got ${JSON.stringify(range)}`,
    );
    expect(brokenRangeRule(range)).toBe('must be a range of addresses in CIDR notation, such as 10.0.0.0/8');
  });

  test.each([
    ['127.0.0.0/8', 'must not include 127.0.0.0/8, which is the machine itself'],
    ['127.0.0.1/32', 'must not include 127.0.0.0/8, which is the machine itself'],
    ['126.0.0.0/7', 'must not include 127.0.0.0/8, which is the machine itself'],
    ['0.0.0.0/0', 'must not include 0.0.0.0/8, which is not the address of a host'],
    ['::/0', 'must not include ::/128, which is not the address of a host'],
    ['::/96', 'must not include ::/128, which is not the address of a host'],
    ['::1/128', 'must not include ::1/128, which is the machine itself'],
    ['169.254.0.0/16', 'must not include 169.254.0.0/16, which is only valid on the local link'],
    ['169.0.0.0/8', 'must not include 169.254.0.0/16, which is only valid on the local link'],
    ['fe80::/64', 'must not include fe80::/10, which is only valid on the local link'],
    ['224.0.1.0/24', 'must not include 224.0.0.0/4, which is multicast or broadcast'],
    ['255.255.255.255/32', 'must not include 255.255.255.255/32, which is multicast or broadcast'],
    ['240.0.0.0/4', 'must not include 255.255.255.255/32, which is multicast or broadcast'],
    ['ff00::/8', 'must not include ff00::/8, which is multicast or broadcast'],
    ['169.254.169.254/32', 'must not include 169.254.169.254/32, which is where AWS hands out credentials'],
    ['fd00:ec2::254/128', 'must not include fd00:ec2::254/128, which is where AWS hands out credentials'],
    [
      '169.254.169.253/32',
      'must not include 169.254.169.253/32, which is where AWS offers DNS, time and other services in a VPC',
    ],
    [
      'fd00:ec2::253/128',
      'must not include fd00:ec2::/32, which is where AWS offers DNS, time and other services in a VPC',
    ],
    [
      'fd00:ec2::/32',
      'must not include fd00:ec2::/32, which is where AWS offers DNS, time and other services in a VPC',
    ],
    [
      'fd00:ec2::254/127',
      'must not include fd00:ec2::/32, which is where AWS offers DNS, time and other services in a VPC',
    ],
    ['::ffff:10.0.0.0/104', 'must be written as the IPv4 range it stands for'],
    ['64:ff9b::/96', 'must be written as the IPv4 range it stands for'],
  ])('must not be %s', (range, rule) => expect(brokenRangeRule(range)).toBe(rule));

  // They are not private, or contain the addresses of other ranges: RFC 8215 (local NAT64), RFC 3056 (6to4), RFC 2765
  // (translated IPv4), and all that IANA has assigned.
  test.each([
    '64:ff9b:1::/48',
    '2002::/16',
    '::ffff:0:0:0/96',
    '2000::/3',
    '2600:1f00::/24',
    '203.0.113.0/24',
    '8.8.8.0/24',
    '9.0.0.0/7',
    '172.0.0.0/8',
  ])('must be private: %s is not', range => {
    expect(brokenRangeRule(range)).toMatch(/^must be within a private range: 10\.0\.0\.0\/8, .*fc00::\/7$/);
  });

  // https://docs.aws.amazon.com/vpc/latest/userguide/AmazonDNS-concepts.html: "The Route 53 Resolver is located at
  // 169.254.169.253 (IPv4), fd00:ec2::253 (IPv6)"
  test.each([
    ['fd00:ec2::254', 'is where AWS hands out credentials'],
    ['fd00:ec2::253', 'is where AWS offers DNS, time and other services in a VPC'],
    ['fd00:ec2::123', 'is where AWS offers DNS, time and other services in a VPC'],
    ['169.254.169.253', 'is where AWS offers DNS, time and other services in a VPC'],
    ['::ffff:169.254.169.123', 'is where AWS offers DNS, time and other services in a VPC'],
  ])('leaves a service of AWS inside it closed: %s', (address, why) => {
    expect(addressGuard(['fd00::/8', '10.0.0.0/8'])(address)).toBe(why);
  });

  test.each([
    '10.0.0.0/8',
    '10.1.2.3/16',
    '100.64.0.0/10',
    'fd00::/8',
    'fd00::/16',
    'fc00::/7',
    '198.19.0.0/16',
    '192.168.0.0/16',
  ])('may be %s', range => expect(brokenRangeRule(range)).toBeUndefined());
});

type AnyAddress = ipaddr.IPv4 | ipaddr.IPv6;
type Range = [AnyAddress, number];

/**
 * The same with a library that has its own tables. It wrongly reads `::1.2.3.4` as `::ffff:1.2.3.4`,
 * so it gets no IPv6 address with dots.
 */
function byLibrary(text: string): boolean {
  const address = ipaddr.process(text.includes(':') ? hostOf(`[${text}]`).slice(1, -1) : text);
  if (address instanceof ipaddr.IPv4) return address.range() === 'unicast';
  if (address.match(ipaddr.IPv6.parseCIDR('64:ff9b::/96'))) {
    return new ipaddr.IPv4(address.toByteArray().slice(-4)).range() === 'unicast';
  }
  return address.range() === 'unicast' && address.match(ipaddr.IPv6.parseCIDR('2000::/3'));
}

const WIDTH = { ipv4: 32, ipv6: 128 } as const;

function textOf(value: bigint, kind: 'ipv4' | 'ipv6'): string {
  const width = WIDTH[kind];
  const bytes = Array.from({ length: width / 8 }, (_, at) => Number((value >> BigInt(width - 8 * (at + 1))) & 0xffn));
  return ipaddr.fromByteArray(bytes).toString();
}

function numberOf(address: AnyAddress): bigint {
  return address.toByteArray().reduce((value, byte) => (value << 8n) | BigInt(byte), 0n);
}

/** Both ends of a range, and their neighbours outside it. */
function edgesOf([network, prefix]: Range): readonly string[] {
  const kind = network.kind();
  const size = 1n << BigInt(WIDTH[kind] - prefix);
  const first = numberOf(network);
  const edges = [first - 1n, first, first + 1n, first + size - 1n, first + size];
  return edges.filter(it => it >= 0n && it < 1n << BigInt(WIDTH[kind])).map(it => textOf(it, kind));
}

/** A table of the library that its types do not declare. */
function rangesIn(address: AnyAddress): readonly (readonly [string, readonly Range[]])[] {
  const { SpecialRanges: table } = address as unknown as { SpecialRanges: Record<string, Range | Range[]> };
  const isMany = (ranges: Range | Range[]): ranges is Range[] => Array.isArray(ranges[0]);
  return Object.entries(table).map(([name, ranges]) => [name, isMany(ranges) ? ranges : [ranges]]);
}

describe('The tables of the public registries, as a library has them', () => {
  const tables = [ipaddr.parse('0.0.0.0'), ipaddr.parse('::')].flatMap(rangesIn);

  test('is of many kinds of addresses', () => expect(tables.length).toBeGreaterThanOrEqual(20));

  test.each(tables)('agree with ours on %s, at all edges', (_name, ranges) => {
    const edges = ranges.flatMap(edgesOf);
    expect(edges.length).toBeGreaterThan(0);
    expect(edges.filter(it => (strict(it) === undefined) !== byLibrary(it))).toEqual([]);
  });

  test('agree with ours on any address', () => {
    const any = fc.oneof(
      fc.ipV4(),
      fc.ipV6(),
      fc.bigInt({ min: 0n, max: (1n << 128n) - 1n }).map(value => textOf(value, 'ipv6')),
      fc.bigInt({ min: 0n, max: (1n << 32n) - 1n }).map(value => textOf((0xffffn << 32n) | value, 'ipv6')),
    );
    fc.assert(
      fc.property(any, address => expect(strict(address) === undefined).toBe(byLibrary(address))),
      { numRuns: 1_000 },
    );
  });
});
