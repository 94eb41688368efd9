/** Says why an address must not be sent to; undefined where it may. The reason follows the address in a sentence. */
export type AddressGuard = (address: string) => string | undefined;

const LOOPBACK = '127.0.0.1';

const IPV4_MASK = 0xffff_ffffn;

/** Where packets to an address of IPv6 go in truth, if that is IPv4. */
function unwrapped(address: Address): Address {
  const isWrapped = IPV4_IN_IPV6.some(range => isWithin(address, range));
  return isWrapped ? { bits: 32, value: address.value & IPV4_MASK } : address;
}

function isPublic(address: Address): boolean {
  const isIn = (range: AddressRange) => isWithin(address, range);
  return GIVEN_OUT.some(isIn) && !NOT_PUBLIC.some(isIn);
}

/** Why nothing is sent there, whatever range is open. */
function closed(meant: Address): string | undefined {
  const kinds: readonly KindOfRanges[] = [METADATA, ...NOT_A_HOST];
  return kinds.find(({ ranges }) => ranges.some(range => isWithin(meant, range)))?.what;
}

function demandedRange(text: string): AddressRange {
  const range = parseRange(text);
  if (range) return range;
  throw new TypeError(`allowedPrivateRanges must be CIDRs such as 10.1.0.0/16, got ${JSON.stringify(text)}`);
}

/**
 * Lets public unicast addresses pass, and `allowedPrivateRanges`; but never the machine itself, its link, many hosts at
 * once, or where AWS hands out credentials. An address of IPv6 that stands for one of IPv4 is judged as that one; one that
 * tunnels (6to4, Teredo) is not public.
 *
 * @param allowedPrivateRanges CIDRs
 * @throws TypeError for a range that is no CIDR
 */
export function addressGuard(allowedPrivateRanges: readonly string[]): AddressGuard {
  const allowed = allowedPrivateRanges.map(demandedRange);
  return text => {
    if (text.includes('%')) return 'has a zone, as no public address has';
    const address = parseAddress(text);
    if (!address) return 'is no address';
    const meant = unwrapped(address);
    const why = closed(meant);
    if (why !== undefined) return why;
    if (isPublic(meant) || allowed.some(range => isWithin(meant, range))) return undefined;
    return 'is not public';
  };
}

/** What may be sent to by each protocol. */
export interface AddressGuards {
  readonly 'https:': AddressGuard;
  /** What is sent in the clear goes to `allowedPrivateRanges` and nowhere else, whatever is behind a name. */
  readonly 'http:': AddressGuard;
  /** Whether there is any address at all that `http:` lets pass. */
  readonly mayBeClear: boolean;
}

/**
 * The guards of a relay: `addressGuard`, and a stricter one for requests without TLS.
 * @throws TypeError for a range that is no CIDR
 */
export function addressGuards(allowedPrivateRanges: readonly string[]): AddressGuards {
  const guard = addressGuard(allowedPrivateRanges);
  const allowed = allowedPrivateRanges.map(demandedRange);
  const isAllowed = (address: Address) => allowed.some(range => isWithin(address, range));
  const clear: AddressGuard = text => {
    const why = guard(text);
    if (why !== undefined) return why;
    const address = parseAddress(text);
    return address && isAllowed(unwrapped(address)) ? undefined : 'is public, where only https may go';
  };
  return { 'https:': guard, 'http:': clear, mayBeClear: allowed.length > 0 };
}

/** The address that a URL's host says without asking anybody, that of the machine for its names; undefined for a name. */
export function addressIn(hostname: string): string | undefined {
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.+$/, '');
  if (parseAddress(host)) return host;
  return isLocalName(host) ? LOOPBACK : undefined;
}

/** Whether anybody on the internet may be behind a URL's host: it is a name, or an address that is public. */
export function isPublicHost(hostname: string): boolean {
  const address = addressIn(hostname);
  return address === undefined || addressGuard([])(address) === undefined;
}

/** Why nothing is sent to an address whatever range is open; undefined for what is no address too. */
export function closedReason(address: string): string | undefined {
  const parsed = parseAddress(address);
  return parsed && closed(unwrapped(parsed));
}

const RANGE_RULE = 'must be a range of addresses in CIDR notation, such as 10.0.0.0/8';

/**
 * The rule that one of `allowedPrivateRanges` breaks: it is no range, or has addresses that stay closed all the same. The few
 * at which AWS hands out credentials may be in a range whose other addresses are good.
 */
export function brokenRangeRule(text: string): string | undefined {
  const range = parseRange(text);
  if (!range) return RANGE_RULE;
  const isInside = (other: AddressRange) => isRangeWithin(range, other);
  const overlaps = (other: AddressRange) => isInside(other) || isRangeWithin(other, range);
  const kinds = [{ kind: METADATA, touches: isInside }, ...NOT_A_HOST.map(kind => ({ kind, touches: overlaps }))];
  for (const { kind, touches } of kinds) {
    const other = kind.ranges.find(touches);
    if (other) return `must have nothing of ${other.text}, which ${kind.what}`;
  }
  return IPV4_IN_IPV6.some(overlaps) ? 'must be written as a range of IPv4, for which it stands' : undefined;
}

/** An address of the internet, as a number of so many bits. */
export interface Address {
  readonly bits: 32 | 128;
  readonly value: bigint;
}

/** All addresses that begin like one. */
export interface AddressRange {
  readonly network: Address;
  /** How many bits they have in common. */
  readonly prefix: number;
  /** In CIDR notation, as it was written. */
  readonly text: string;
}

const OCTET = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';

const IPV4 = new RegExp(`^${OCTET}(?:\\.${OCTET}){3}$`);

/** What an address of IPv6 is made of; `URL` says whether it is one. */
const IPV6 = /^[\da-f:.]+$/i;

const RANGE = /^(?<network>[^/]+)\/(?<prefix>\d{1,3})$/;

const GROUPS = 8;

function joined(parts: readonly number[], bitsEach: number): bigint {
  return parts.reduce((value, part) => (value << BigInt(bitsEach)) | BigInt(part), 0n);
}

function groupsIn(text: string): readonly number[] {
  return text === '' ? [] : text.split(':').map(group => Number.parseInt(group, 16));
}

/** `URL` writes it with groups in hexadecimal alone, and with at most one gap. */
function ipv6(text: string): Address | undefined {
  const url = `http://[${text}]/`;
  if (!IPV6.test(text) || !URL.canParse(url)) return undefined;
  const [before = '', after = ''] = new URL(url).hostname.slice(1, -1).split('::');
  const [first, last] = [groupsIn(before), groupsIn(after)];
  const gap = Array.from({ length: GROUPS - first.length - last.length }, () => 0);
  return { bits: 128, value: joined([...first, ...gap, ...last], 16) };
}

/** Reads an address as resolvers and `URL` write it: four decimal numbers, or IPv6 without brackets and without a zone. */
export function parseAddress(text: string): Address | undefined {
  return IPV4.test(text) ? { bits: 32, value: joined(text.split('.').map(Number), 8) } : ipv6(text);
}

/** Reads a range in CIDR notation. Bits behind the prefix may be set, and mean nothing. */
export function parseRange(text: string): AddressRange | undefined {
  const groups = RANGE.exec(text)?.groups;
  const network = parseAddress(groups?.['network'] ?? '');
  const prefix = Number(groups?.['prefix']);
  return network && prefix <= network.bits ? { network, prefix, text } : undefined;
}

export function isWithin(address: Address, { network, prefix }: AddressRange): boolean {
  const behind = BigInt(network.bits - prefix);
  return address.bits === network.bits && address.value >> behind === network.value >> behind;
}

/** Whether all of one range is in the other. */
export function isRangeWithin(inner: AddressRange, outer: AddressRange): boolean {
  return inner.prefix >= outer.prefix && isWithin(inner.network, outer);
}

/** Ranges of one kind. */
export interface KindOfRanges {
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
 * Where AWS hands out credentials, or what else a machine is told of itself: of an instance, of a task of ECS, of a pod of
 * EKS.
 *
 * @see https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/instancedata-data-retrieval.html
 * @see https://docs.aws.amazon.com/AmazonECS/latest/developerguide/task-metadata-endpoint.html
 * @see https://docs.aws.amazon.com/eks/latest/userguide/pod-id-how-it-works.html
 */
export const METADATA: KindOfRanges = {
  what: 'is where AWS hands out credentials',
  ranges: rangesOf(
    '169.254.169.254/32',
    '169.254.170.2/32',
    '169.254.170.23/32',
    'fd00:ec2::254/128',
    'fd00:ec2::23/128',
  ),
};

/** What IPv6 writes addresses of IPv4 as. @see https://www.rfc-editor.org/rfc/rfc6052#section-2.1 */
export const IPV4_IN_IPV6: readonly AddressRange[] = rangesOf('::ffff:0:0/96', '64:ff9b::/96');

/**
 * What no network can have behind it but the machine itself, its link, or everybody. A function has the API it gets its
 * events from on loopback.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html
 */
export const NOT_A_HOST: readonly KindOfRanges[] = [
  { what: 'is no host', ranges: rangesOf('0.0.0.0/8', '::/128') },
  { what: 'is the machine itself', ranges: rangesOf('127.0.0.0/8', '::1/128') },
  { what: 'is of the link alone', ranges: rangesOf('169.254.0.0/16', 'fe80::/10') },
  { what: 'is many hosts', ranges: rangesOf('224.0.0.0/4', '255.255.255.255/32', 'ff00::/8') },
];

/** All that the registries have given out to be one host's. @see https://www.iana.org/assignments/ipv6-address-space */
export const GIVEN_OUT: readonly AddressRange[] = rangesOf('0.0.0.0/0', '2000::/3');

/**
 * Of what was given out, that which no host on the internet has as its own: private, shared, for protocols, for examples
 * and benchmarks, for tunnels, for services that are everywhere, and what nobody has yet.
 *
 * @see https://www.iana.org/assignments/iana-ipv4-special-registry
 * @see https://www.iana.org/assignments/iana-ipv6-special-registry
 */
export const NOT_PUBLIC: readonly AddressRange[] = rangesOf(
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
 * Names that mean the machine itself, which no server on the internet has; those of `/etc/hosts` too.
 * @see https://www.rfc-editor.org/rfc/rfc6761#section-6.3
 */
const LOCAL_NAMES = /^(?:(?:[^.]+\.)*localhost|(?:[^.]+\.)*localdomain|ip6-localhost|ip6-loopback)$/i;

/** Whether a host name means the machine itself, with or without dots at its end. */
export function isLocalName(hostName: string): boolean {
  return LOCAL_NAMES.test(hostName.replace(/\.+$/, ''));
}
