import dns from 'node:dns';
import type { LookupFunction } from 'node:net';
import type { AddressGuard } from '../../policy/address-guard';
import { TransportError } from '../shared/connections';

/** A name resolves to an address that must not be sent to. */
class ForbiddenAddressError extends TransportError {
  override readonly name = 'ForbiddenAddressError';

  constructor(
    readonly host: string,
    readonly address: string,
    why: string,
  ) {
    super('forbidden-address', `${host} resolves to ${address}, which ${why}`);
  }
}

/** Resolves all addresses of a name, as `dns.lookup` does. */
export type Resolve = (
  host: string,
  options: dns.LookupAllOptions,
  done: (error: Error | null, addresses: dns.LookupAddress[]) => void,
) => void;

/** Node's callback: it takes all addresses if Node asked for all, otherwise the first. */
type Answer = Parameters<LookupFunction>[2];

function answer(done: Answer, addresses: readonly dns.LookupAddress[], all: boolean): void {
  const [first] = addresses;
  if (all) done(null, [...addresses]);
  else if (first) done(null, first.address, first.family);
}

function notFound(host: string): Error {
  return Object.assign(new Error(`getaddrinfo ENOTFOUND ${host}`), { code: 'ENOTFOUND', syscall: 'getaddrinfo' });
}

/**
 * Returns a lookup that only returns addresses which `guard` allows. Node connects to exactly these addresses, so a name cannot
 * resolve to another one between check and connection. A single forbidden address makes the whole lookup fail.
 *
 * Node calls it for names only. `readDestination` checks a host that is an address.
 *
 * @param resolve the lookup to check, by default the machine's
 */
export function guardedLookup(guard: AddressGuard, resolve: Resolve = dns.lookup): LookupFunction {
  return (host, options, done) => {
    resolve(host, { ...options, all: true }, (error, addresses) => {
      if (error) return done(error, []);
      for (const { address } of addresses) {
        const why = guard(address);
        if (why !== undefined) return done(new ForbiddenAddressError(host, address, why), []);
      }
      if (addresses.length === 0) return done(notFound(host), []);
      answer(done, addresses, options.all === true);
    });
  };
}
