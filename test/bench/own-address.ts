import { networkInterfaces } from 'node:os';

/** Returns an address of this machine other than loopback, because a relay never sends to loopback. The network path is the same. */
export function ownAddress(): string {
  const all = Object.values(networkInterfaces()).flatMap((addresses = []) => addresses);
  const own = all.find(
    ({ family, internal, address }) => family === 'IPv4' && !internal && !/^169\.254\./.test(address),
  );
  if (!own) throw new Error('a relay can be measured only on a machine that is in a network, beside its loopback');
  return own.address;
}
