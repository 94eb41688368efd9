import { BlockList, isIP } from 'node:net';
import type { Condition } from './conditions';
import { FilterPolicyError } from './filter-policy-error';

const FAMILIES = { 4: { name: 'ipv4', bits: 32 }, 6: { name: 'ipv6', bits: 128 } } as const;

function familyOf(address: string): (typeof FAMILIES)[4 | 6] | undefined {
  const version = isIP(address);
  return version === 4 || version === 6 ? FAMILIES[version] : undefined;
}

/**
 * `{"cidr": "10.0.0.0/24"}`.
 * @see https://docs.aws.amazon.com/sns/latest/dg/string-value-matching.html
 * @throws FilterPolicyError
 */
export function cidrCondition(pattern: unknown): Condition {
  if (typeof pattern !== 'string') throw new FilterPolicyError('prefix match pattern must be a string');
  const [address = '', mask, ...rest] = pattern.split('/');
  if (mask === undefined || rest.length > 0) throw new FilterPolicyError("Malformed CIDR, one '/' required");
  const family = familyOf(address);
  if (!family) throw new FilterPolicyError('Malformed CIDR, invalid IP address');
  if (!/^\d+$/.test(mask)) throw new FilterPolicyError('Malformed CIDR, mask bits must be an integer');
  if (Number(mask) > family.bits) throw new FilterPolicyError(`Malformed CIDR, mask bits must be < ${family.bits + 1}`);
  const subnet = new BlockList();
  subnet.addSubnet(address, Number(mask), family.name);
  return value => typeof value === 'string' && familyOf(value) === family && subnet.check(value, family.name);
}
