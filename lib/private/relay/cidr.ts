import { BlockList, isIP } from 'node:net';

/** A range of addresses, as CIDR notation has it. */
interface Range {
  readonly network: string;
  readonly prefix: number;
  readonly family: 'ipv4' | 'ipv6';
}

const WIDEST = { 4: 32, 6: 128 } as const;

function parse(text: string): Range | undefined {
  const [network = '', bits = '', ...more] = text.split('/');
  const version = isIP(network);
  if ((version !== 4 && version !== 6) || more.length > 0 || !/^\d{1,3}$/.test(bits)) return undefined;
  const prefix = Number(bits);
  return prefix <= WIDEST[version] ? { network, prefix, family: version === 4 ? 'ipv4' : 'ipv6' } : undefined;
}

/** Whether a text is a range of addresses in CIDR notation. */
export function isCidr(text: string): boolean {
  return parse(text) !== undefined;
}

/** Whether an address lies within any of some ranges; those that are none count for nothing. */
export function isWithin(address: string, cidrs: readonly string[]): boolean {
  const version = isIP(address);
  if (version === 0) return false;
  const ranges = new BlockList();
  for (const range of cidrs.map(parse)) if (range) ranges.addSubnet(range.network, range.prefix, range.family);
  return ranges.check(address, version === 4 ? 'ipv4' : 'ipv6');
}
