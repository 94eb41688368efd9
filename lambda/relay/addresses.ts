import net from 'node:net';
import * as ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** Says why an address must not be sent to; undefined where it may. */
export type AddressGuard = (address: string) => string | undefined;

/**
 * Where AWS hands out credentials, or what else a machine is told of itself: of an instance, of a task of ECS, of a pod of
 * EKS. Never open, whatever range is.
 *
 * @see https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/instancedata-data-retrieval.html
 * @see https://docs.aws.amazon.com/AmazonECS/latest/developerguide/task-metadata-endpoint.html
 * @see https://docs.aws.amazon.com/eks/latest/userguide/pod-id-how-it-works.html
 */
const METADATA: ReadonlySet<string> = new Set(
  ['169.254.169.254', 'fd00:ec2::254', '169.254.170.2', '169.254.170.23', 'fd00:ec2::23'].map(it =>
    ipaddr.parse(it).toNormalizedString(),
  ),
);

/** All that the registries have given out of IPv6. @see https://www.iana.org/assignments/ipv6-address-space */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/** The prefix that stands for all of IPv4. @see https://www.rfc-editor.org/rfc/rfc6052#section-2.1 */
const NAT64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96');

const BRACKETS = /^\[|\]$/g;

/** Where packets to an address of IPv6 go in truth, if that is IPv4. */
function unwrapped(address: Address): Address {
  if (!(address instanceof ipaddr.IPv6)) return address;
  if (address.isIPv4MappedAddress()) return address.toIPv4Address();
  return address.match(NAT64) ? new ipaddr.IPv4(address.toByteArray().slice(-4)) : address;
}

function isPublic(address: Address): boolean {
  if (address.range() !== 'unicast') return false;
  return address instanceof ipaddr.IPv4 || address.match(GLOBAL_UNICAST);
}

function isWithin(address: Address, [network, bits]: [Address, number]): boolean {
  return address.kind() === network.kind() && address.match([network, bits]);
}

function parsedRange(range: string): [Address, number] {
  if (!ipaddr.isValidCIDR(range)) {
    throw new TypeError(`allowedPrivateRanges must be CIDRs such as 10.1.0.0/16, got ${JSON.stringify(range)}`);
  }
  return ipaddr.parseCIDR(range);
}

/** The spelling a URL has it in, with its brackets, is one of those that are understood. */
function parsed(address: string): Address | undefined {
  const bare = address.replace(BRACKETS, '');
  return net.isIP(bare) === 0 ? undefined : ipaddr.parse(bare);
}

/**
 * Lets public unicast addresses pass, and `allowedPrivateRanges`. An address of IPv6 that stands for one of IPv4 is judged as
 * that one; one that tunnels (6to4, Teredo) is not public.
 *
 * @param allowedPrivateRanges CIDRs
 * @throws TypeError for a range that is no CIDR
 */
export function addressGuard(allowedPrivateRanges: readonly string[]): AddressGuard {
  const allowed = allowedPrivateRanges.map(parsedRange);
  return text => {
    const address = parsed(text);
    if (!address) return 'is no address';
    if (address instanceof ipaddr.IPv6 && address.zoneId !== undefined) return 'has a zone, as no public address has';
    const meant = unwrapped(address);
    if (METADATA.has(meant.toNormalizedString())) return 'is where AWS hands out credentials';
    if (isPublic(meant) || allowed.some(range => isWithin(meant, range))) return undefined;
    return 'is not public';
  };
}
