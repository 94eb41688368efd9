import { type Address, type AddressRange, isRangeWithin, isWithin, parseAddress, parseRange } from './ip-address';

/**
 * Returns why requests to an address are not allowed; undefined when they are allowed. The reason continues a sentence
 * that begins with the address.
 */
export type AddressGuard = (address: string) => string | undefined;

const LOOPBACK = '127.0.0.1';

const IPV4_MASK = 0xffff_ffffn;

/** The IPv4 address that an IPv6 address stands for, if it stands for one. */
function unwrapped(address: Address): Address {
  const isWrapped = IPV4_IN_IPV6.some(range => isWithin(address, range));
  return isWrapped ? { bits: 32, value: address.value & IPV4_MASK } : address;
}

function isPublic(address: Address): boolean {
  const isIn = (range: AddressRange) => isWithin(address, range);
  return GIVEN_OUT.some(isIn) && !NOT_PUBLIC.some(isIn);
}

/** Why no request may go to this address, even if an allowed range contains it. */
function neverAllowedBecause(meant: Address): string | undefined {
  const kinds: readonly KindOfRanges[] = [...OF_AWS, ...NOT_A_HOST];
  return kinds.find(({ ranges }) => ranges.some(range => isWithin(meant, range)))?.what;
}

/** Whether an address is in an allowed range. A range never allows an address that is not private. */
function isAllowedIn(ranges: readonly AddressRange[], address: Address): boolean {
  const isIn = (range: AddressRange) => isWithin(address, range);
  return PRIVATE.some(isIn) && ranges.some(isIn);
}

function demandedRange(text: string): AddressRange {
  const range = parseRange(text);
  if (range) return range;
  throw new TypeError(`allowedPrivateRanges must be CIDRs such as 10.1.0.0/16, got ${JSON.stringify(text)}`);
}

/**
 * Allows public unicast addresses and `allowedPrivateRanges`. It never allows the machine itself, its link, multicast
 * or broadcast, or the addresses where AWS hands out credentials or answers DNS queries. An IPv6 address that stands for an IPv4 address is
 * judged as that address. A tunnel address (6to4, Teredo) is not public.
 *
 * @param allowedPrivateRanges CIDRs
 * @throws TypeError for a range that is not a CIDR
 */
export function addressGuard(allowedPrivateRanges: readonly string[]): AddressGuard {
  const allowed = allowedPrivateRanges.map(demandedRange);
  return text => {
    if (text.includes('%')) return 'has a zone, which a public address never has';
    const address = parseAddress(text);
    if (!address) return 'is not an IP address';
    const meant = unwrapped(address);
    const why = neverAllowedBecause(meant);
    if (why !== undefined) return why;
    if (isPublic(meant) || isAllowedIn(allowed, meant)) return undefined;
    return 'is not public';
  };
}

/** The allowed addresses by protocol. */
export interface AddressGuards {
  readonly 'https:': AddressGuard;
  /** Requests without TLS may go only to `allowedPrivateRanges`, whatever name the URL has. */
  readonly 'http:': AddressGuard;
  /** Whether `http:` allows any address at all. */
  readonly allowsHttp: boolean;
}

/**
 * The guards of a relay: `addressGuard` for https, and a stricter one for requests without TLS.
 * @throws TypeError for a range that is not a CIDR
 */
export function addressGuards(allowedPrivateRanges: readonly string[]): AddressGuards {
  const guard = addressGuard(allowedPrivateRanges);
  const allowed = allowedPrivateRanges.map(demandedRange);
  const clear: AddressGuard = text => {
    const why = guard(text);
    if (why !== undefined) return why;
    const address = parseAddress(text);
    return address && isAllowedIn(allowed, unwrapped(address)) ? undefined : 'is public, and only https may go there';
  };
  return { 'https:': guard, 'http:': clear, allowsHttp: allowed.length > 0 };
}

/**
 * The address a URL's host states without a DNS query; for a name of the machine itself, its loopback address.
 * Undefined for any other name.
 */
export function addressIn(hostname: string): string | undefined {
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.+$/, '');
  if (parseAddress(host)) return host;
  return LOCAL_NAMES.test(host) ? LOOPBACK : undefined;
}

/** Whether a URL's host can be on the internet: it is a name, or a public address. */
export function isPublicHost(hostname: string): boolean {
  const address = addressIn(hostname);
  return address === undefined || addressGuard([])(address) === undefined;
}

/**
 * Why no request may go to an address, even if an allowed range contains it. Undefined also for a text that is not an
 * address.
 */
export function neverAllowedReason(address: string): string | undefined {
  const parsed = parseAddress(address);
  return parsed && neverAllowedBecause(unwrapped(parsed));
}

const RANGE_RULE = 'must be a range of addresses in CIDR notation, such as 10.0.0.0/8';

/**
 * The rule that one of `allowedPrivateRanges` breaks: it is not a CIDR, it contains addresses that are never allowed, or
 * it is not private. A range may contain the few addresses where AWS offers its own services, if its other addresses are
 * allowed; the guard still blocks those few.
 */
export function brokenRangeRule(text: string): string | undefined {
  const range = parseRange(text);
  if (!range) return RANGE_RULE;
  const isInside = (other: AddressRange) => isRangeWithin(range, other);
  const overlaps = (other: AddressRange) => isInside(other) || isRangeWithin(other, range);
  const kinds = [
    ...OF_AWS.map(kind => ({ kind, touches: isInside })),
    ...NOT_A_HOST.map(kind => ({ kind, touches: overlaps })),
  ];
  for (const { kind, touches } of kinds) {
    const other = kind.ranges.find(touches);
    if (other) return `must not include ${other.text}, which ${kind.what}`;
  }
  if (IPV4_IN_IPV6.some(overlaps)) return 'must be written as the IPv4 range it stands for';
  return PRIVATE.some(isInside) ? undefined : PRIVATE_RULE;
}

interface KindOfRanges {
  /** Completes a sentence that begins with one of its addresses: `is the machine itself`. */
  readonly what: string;
  readonly ranges: readonly AddressRange[];
}

function rangesOf(...texts: readonly string[]): readonly AddressRange[] {
  return texts.map(text => {
    const range = parseRange(text);
    if (!range) throw new TypeError(`a range must be in CIDR notation, got ${JSON.stringify(text)}`);
    return range;
  });
}

/**
 * Addresses where AWS hands out credentials or other metadata: to an EC2 instance, an ECS task or an EKS pod.
 *
 * @see https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/instancedata-data-retrieval.html
 * @see https://docs.aws.amazon.com/AmazonECS/latest/developerguide/task-metadata-endpoint.html
 * @see https://docs.aws.amazon.com/eks/latest/userguide/pod-id-how-it-works.html
 */
const METADATA: KindOfRanges = {
  what: 'is where AWS hands out credentials',
  ranges: rangesOf(
    '169.254.169.254/32',
    '169.254.170.2/32',
    '169.254.170.23/32',
    'fd00:ec2::254/128',
    'fd00:ec2::23/128',
  ),
};

/**
 * Addresses that AWS keeps for its own services in every VPC: DNS and time. Its local IPv6 addresses, including those of
 * `METADATA`, have one prefix.
 *
 * @see https://docs.aws.amazon.com/vpc/latest/userguide/AmazonDNS-concepts.html
 * @see https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/set-time.html
 */
const LOCAL_SERVICES: KindOfRanges = {
  what: 'is where AWS offers DNS, time and other services in a VPC',
  ranges: rangesOf('169.254.169.253/32', '169.254.169.123/32', 'fd00:ec2::/32'),
};

/** Closed even within an allowed range. */
const OF_AWS: readonly KindOfRanges[] = [METADATA, LOCAL_SERVICES];

/**
 * The ranges that a network can use for itself. Other ranges belong to hosts on the internet, or contain addresses of
 * other ranges, as 6to4 (2002::/16), NAT64 (64:ff9b:1::/48) and translated IPv4 (::ffff:0:0:0/96) do.
 *
 * @see https://docs.aws.amazon.com/vpc/latest/userguide/vpc-cidr-blocks.html
 * @see https://www.rfc-editor.org/rfc/rfc4193
 */
const PRIVATE: readonly AddressRange[] = rangesOf(
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '100.64.0.0/10',
  '198.18.0.0/15',
  'fc00::/7',
);

const PRIVATE_RULE = `must be within a private range: ${PRIVATE.map(({ text }) => text).join(', ')}`;

/** The prefixes under which IPv6 writes IPv4 addresses. @see https://www.rfc-editor.org/rfc/rfc6052#section-2.1 */
const IPV4_IN_IPV6: readonly AddressRange[] = rangesOf('::ffff:0:0/96', '64:ff9b::/96');

/**
 * Addresses that are never another host: the machine itself, its link, multicast and broadcast. A Lambda function
 * reaches its runtime API on loopback.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html
 */
const NOT_A_HOST: readonly KindOfRanges[] = [
  { what: 'is not the address of a host', ranges: rangesOf('0.0.0.0/8', '::/128') },
  { what: 'is the machine itself', ranges: rangesOf('127.0.0.0/8', '::1/128') },
  { what: 'is only valid on the local link', ranges: rangesOf('169.254.0.0/16', 'fe80::/10') },
  { what: 'is multicast or broadcast', ranges: rangesOf('224.0.0.0/4', '255.255.255.255/32', 'ff00::/8') },
];

/**
 * All addresses that the registries have assigned for single hosts. @see
 * https://www.iana.org/assignments/ipv6-address-space
 */
const GIVEN_OUT: readonly AddressRange[] = rangesOf('0.0.0.0/0', '2000::/3');

/**
 * The assigned addresses that do not belong to one host on the internet: private, shared, protocol, documentation,
 * benchmark, tunnel and anycast ranges, and ranges that are reserved.
 *
 * @see https://www.iana.org/assignments/iana-ipv4-special-registry
 * @see https://www.iana.org/assignments/iana-ipv6-special-registry
 */
const NOT_PUBLIC: readonly AddressRange[] = rangesOf(
  '10.0.0.0/8',
  '100.64.0.0/10',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '240.0.0.0/4',
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '2620:4f:8000::/48',
  '3fff::/20',
);

/**
 * Names of the machine itself, including those usual in `/etc/hosts`. No server on the internet has one.
 * @see https://www.rfc-editor.org/rfc/rfc6761#section-6.3
 */
const LOCAL_NAMES = /^(?:(?:[^.]+\.)*localhost|(?:[^.]+\.)*localdomain|ip6-localhost|ip6-loopback)$/i;
