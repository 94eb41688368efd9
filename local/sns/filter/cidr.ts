import { addressFamily, type Condition, inAddressBlock } from '../../event-pattern';
import { FilterPolicyError } from './filter-policy-error';

/**
 * `{"cidr": "10.0.0.0/24"}`.
 * @see https://docs.aws.amazon.com/sns/latest/dg/string-value-matching.html
 * @throws FilterPolicyError
 */
export function cidrCondition(pattern: unknown): Condition {
  if (typeof pattern !== 'string') throw new FilterPolicyError('prefix match pattern must be a string');
  const [address = '', mask, ...rest] = pattern.split('/');
  if (mask === undefined || rest.length > 0) throw new FilterPolicyError("Malformed CIDR, one '/' required");
  const family = addressFamily(address);
  if (!family) throw new FilterPolicyError('Malformed CIDR, invalid IP address');
  if (!/^\d+$/.test(mask)) throw new FilterPolicyError('Malformed CIDR, mask bits must be an integer');
  if (Number(mask) > family.bits) throw new FilterPolicyError(`Malformed CIDR, mask bits must be < ${family.bits + 1}`);
  return inAddressBlock(address, family, Number(mask));
}
