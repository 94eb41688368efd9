import dns from 'node:dns';
import type { LookupFunction } from 'node:net';
import type { Timer } from '../../mover/aws/clock';
import type { AddressGuard, AddressGuards } from '../../policy/address-guard';
import { nodeConnections, TransportError } from './connections';
import { httpSend, type Send, type SendLimits } from './http-send';

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

/**
 * Returns functions that send only to addresses which `guards` allow, each with its own limits. They share their connections, so
 * endpoints with different guards must not share them.
 */
export function guardedSend(
  guards: AddressGuards,
  timer: Timer,
  connections = nodeConnections(),
): (limits: SendLimits) => Send {
  return limits => {
    const sendTo = (guard: AddressGuard) => httpSend(limits, timer, { lookup: guardedLookup(guard), connections });
    const [sendHttp, sendHttps] = [sendTo(guards['http:']), sendTo(guards['https:'])];
    return (method, url, ...others) => (url.protocol === 'http:' ? sendHttp : sendHttps)(method, url, ...others);
  };
}
