import net from 'node:net';

/** FNV-1a, 32 bits: enough to spread host names over addresses. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (const character of text) value = Math.imul(value ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  return value;
}

/** A text that may be an IPv4 address in one of its spellings: `127.1`, `0x7f000001`, `2130706433`. */
const MAYBE_IPV4 = /^[0-9a-fx.]+$/;

const BRACKETS = /^\[|\]$/g;

function canonicalIpv4(text: string): string | undefined {
  if (net.isIPv4(text)) return text;
  const url = `http://${text}/`;
  if (!URL.canParse(url)) return undefined;
  const { hostname } = new URL(url);
  return net.isIPv4(hostname) ? hostname : undefined;
}

/** Converts an IPv4 address written as IPv6 to IPv4, because packets go there. */
function canonicalIpv6(address: string): string {
  const [withoutZone = ''] = address.split('%');
  const canonical = new URL(`http://[${withoutZone}]/`).hostname.replace(BRACKETS, '');
  const mapped = /^::ffff:([0-9a-f]+):([0-9a-f]+)$/.exec(canonical);
  if (!mapped) return canonical;
  const [high, low] = [Number.parseInt(mapped[1] ?? '', 16), Number.parseInt(mapped[2] ?? '', 16)];
  return [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.');
}

/**
 * Normalizes a host: lower case, without a dot at its end or brackets. An address is read as the machine's resolver
 * reads it: `2130706433` is `127.0.0.1`, and so is `::ffff:7f00:1`.
 */
export function canonicalHost(host: string): string {
  const name = host.toLowerCase().replace(BRACKETS, '').replace(/\.$/, '');
  if (name.includes(':')) return net.isIPv6(name) ? canonicalIpv6(name) : name;
  return MAYBE_IPV4.test(name) ? (canonicalIpv4(name) ?? name) : name;
}

/** Whether the name is one of this machine. */
const isLocalhost = (name: string): boolean => name === 'localhost' || name.endsWith('.localhost');

export function isLoopback(address: string): boolean {
  return address.startsWith('127.') || ['0.0.0.0', '::', '::1'].includes(address);
}

/**
 * The default address of a host name. It is always the same, and public, so that code that refuses private addresses
 * accepts it.
 *
 * @returns undefined for an address, and for this machine
 */
export function defaultAddressOf(hostName: string): string | undefined {
  const name = canonicalHost(hostName);
  if (isLocalhost(name) || net.isIP(name)) return undefined;
  const value = hash(name);
  return `52.${(value >>> 16) & 0xff}.${(value >>> 8) & 0xff}.${value & 0xff || 1}`;
}

/** The addresses of a host name, unless a scenario sets others. */
export function addressesOf(hostName: string): readonly string[] {
  const name = canonicalHost(hostName);
  return [defaultAddressOf(name) ?? (isLocalhost(name) ? '127.0.0.1' : name)];
}

interface AwsHostName {
  /** For example `dynamodb`. */
  readonly service: string;
  /** Undefined for a host of all Regions, such as `iam.amazonaws.com`. */
  readonly region: string | undefined;
}

/** The suffixes of AWS's host names in every partition. */
const SUFFIXES = ['amazonaws.com', 'amazonaws.com.cn', 'api.aws'] as const;

const REGION = /^[a-z]{2}(?:-[a-z]+)+-\d+$/;

/**
 * Parses a host name: `dynamodb.us-east-1.amazonaws.com`, `bucket.s3.us-east-1.amazonaws.com`,
 * `lambda.us-east-1.api.aws`.
 *
 * @param urlSuffix the suffix of the simulation's own host names
 * @returns undefined when the host is not AWS's
 * @see https://docs.aws.amazon.com/general/latest/gr/rande.html
 */
export function awsHostName(hostName: string, urlSuffix: string): AwsHostName | undefined {
  const name = hostName.toLowerCase().replace(/\.$/, '');
  const suffix = [urlSuffix, ...SUFFIXES].find(end => name === end || name.endsWith(`.${end}`));
  if (suffix === undefined) return undefined;
  const labels = name
    .slice(0, -suffix.length)
    .split('.')
    .filter(label => label !== '' && label !== 'dualstack');
  const at = labels.findIndex(label => REGION.test(label));
  // Behind the Region in the older kind, `name.us-east-1.elb`; before it in all the others.
  const service = (at === labels.length - 1 ? labels[at - 1] : labels.at(-1)) ?? suffix;
  return { service, region: labels[at] };
}
