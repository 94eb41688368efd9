import { BlockList, isIP } from 'node:net';
import { type Condition, onString } from './condition';

/** A family of IP addresses, and how many bits one of them has. */
export interface AddressFamily {
  readonly name: 'ipv4' | 'ipv6';
  readonly bits: number;
}

const FAMILIES: Readonly<Record<number, AddressFamily>> = {
  4: { name: 'ipv4', bits: 32 },
  6: { name: 'ipv6', bits: 128 },
};

/** The family of an IP address; undefined when the text is none. */
export function addressFamily(text: string): AddressFamily | undefined {
  return FAMILIES[isIP(text)];
}

/** The condition that a value is an address in the block that shares its first `maskBits` bits with `address`. */
export function inAddressBlock(address: string, family: AddressFamily, maskBits: number): Condition {
  const block = new BlockList();
  block.addSubnet(address, maskBits, family.name);
  return onString(value => addressFamily(value) === family && block.check(value, family.name));
}
