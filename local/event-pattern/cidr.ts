import { addressFamily, inAddressBlock } from './addresses';
import type { Condition } from './condition';
import { EventPatternError } from './event-pattern-error';

const MASK_PROBLEMS: readonly { readonly reason: string; readonly of: (mask: string) => boolean }[] = [
  { reason: 'Malformed CIDR, mask bits must be an integer', of: mask => !/^[+-]?\d{1,9}$/.test(mask) },
  { reason: 'Malformed CIDR, mask bits must not be negative', of: mask => Number(mask) < 0 },
];

/**
 * `{"cidr": "10.0.0.0/24"}`. AWS tells none of its errors with a place in the pattern.
 *
 * @see https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-create-pattern-operators.html#eb-filtering-ip-matching
 * @throws EventPatternError
 */
export function cidrCondition(block: string): Condition {
  const [address = '', mask, ...rest] = block.split('/');
  if (mask === undefined || rest.length > 0) throw new EventPatternError("Malformed CIDR, one '/' required");
  const problem = MASK_PROBLEMS.find(({ of }) => of(mask));
  if (problem) throw new EventPatternError(problem.reason);
  const family = addressFamily(address);
  if (!family) throw new EventPatternError(`Nonstandard IP address: ${address}`);
  if (Number(mask) >= family.bits) {
    throw new EventPatternError(`${family.bits === 32 ? 'IPv4' : 'IPv6'} mask bits must be < ${family.bits}`);
  }
  return inAddressBlock(address, family, Number(mask));
}

/** The condition that a value equals a string; for an IP address, that it is the same address however it is written. */
export function equalsString(wanted: string): Condition {
  const family = addressFamily(wanted);
  return family ? inAddressBlock(wanted, family, family.bits) : value => value === wanted;
}
