/** An IP address as a number, with its length in bits. */
export interface Address {
  readonly bits: 32 | 128;
  readonly value: bigint;
}

/** All addresses with the same prefix. */
export interface AddressRange {
  readonly network: Address;
  /** The length of the common prefix, in bits. */
  readonly prefix: number;
  /** In CIDR notation, as it was written. */
  readonly text: string;
}

const OCTET = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';

const IPV4 = new RegExp(`^${OCTET}(?:\\.${OCTET}){3}$`);

/** The characters of an IPv6 address; `URL` decides whether the text is one. */
const IPV6 = /^[\da-f:.]+$/i;

const RANGE = /^(?<network>[^/]+)\/(?<prefix>\d{1,3})$/;

const GROUPS = 8;

function joined(parts: readonly number[], bitsEach: number): bigint {
  return parts.reduce((value, part) => (value << BigInt(bitsEach)) | BigInt(part), 0n);
}

function groupsIn(text: string): readonly number[] {
  return text === '' ? [] : text.split(':').map(group => Number.parseInt(group, 16));
}

/** `URL` normalizes the text: only hexadecimal groups, and at most one gap. */
function ipv6(text: string): Address | undefined {
  const url = `http://[${text}]/`;
  if (!IPV6.test(text) || !URL.canParse(url)) return undefined;
  const [before = '', after = ''] = new URL(url).hostname.slice(1, -1).split('::');
  const [first, last] = [groupsIn(before), groupsIn(after)];
  const gap = Array.from({ length: GROUPS - first.length - last.length }, () => 0);
  return { bits: 128, value: joined([...first, ...gap, ...last], 16) };
}

/** Reads an address as resolvers and `URL` write it: four decimal numbers, or IPv6 without brackets and zone. */
export function parseAddress(text: string): Address | undefined {
  return IPV4.test(text) ? { bits: 32, value: joined(text.split('.').map(Number), 8) } : ipv6(text);
}

/** Reads a range in CIDR notation. It ignores bits after the prefix. */
export function parseRange(text: string): AddressRange | undefined {
  const groups = RANGE.exec(text)?.groups;
  const network = parseAddress(groups?.['network'] ?? '');
  const prefix = Number(groups?.['prefix']);
  return network && prefix <= network.bits ? { network, prefix, text } : undefined;
}

export function isWithin(address: Address, { network, prefix }: Pick<AddressRange, 'network' | 'prefix'>): boolean {
  const behind = BigInt(network.bits - prefix);
  return address.bits === network.bits && address.value >> behind === network.value >> behind;
}

export function isRangeWithin(inner: AddressRange, outer: AddressRange): boolean {
  return inner.prefix >= outer.prefix && isWithin(inner.network, outer);
}
