import { type Address, type AddressRange, isRangeWithin, isWithin, parseAddress, parseRange } from './address';
import { GIVEN_OUT, IPV4_IN_IPV6, type KindOfRanges, METADATA, NOT_A_HOST, NOT_PUBLIC } from './address-ranges';
import { isLocalName } from './local-names';

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
