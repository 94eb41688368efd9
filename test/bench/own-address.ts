import { networkInterfaces } from 'node:os';
import { addressGuard, brokenRangeRule } from '../../policy/address-guard';

/**
 * Returns an address of this machine that a relay may send to: a private one other than loopback. The network path is the
 * same.
 */
export function ownAddress(): string {
  const all = Object.values(networkInterfaces()).flatMap((addresses = []) => addresses);
  const own = all.find(({ internal, address }) => !internal && isAllowed(address));
  if (!own) throw new Error('a relay can be measured only on a machine with a private address beside its loopback');
  return own.address;
}

/** The range that contains only this address. */
export function rangeOf(address: string): string {
  return `${address}/${address.includes(':') ? 128 : 32}`;
}

function isAllowed(address: string): boolean {
  const range = rangeOf(address);
  return brokenRangeRule(range) === undefined && addressGuard([range])(address) === undefined;
}

/** The address as the host of a URL. */
export function hostOf(address: string): string {
  return address.includes(':') ? `[${address}]` : address;
}
