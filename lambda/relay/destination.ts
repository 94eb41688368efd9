import dns from 'node:dns';
import type { LookupFunction } from 'node:net';
import { type AddressGuard, type AddressGuards, addressIn } from '../../policy/address-guard';
import type { Problem } from '../../policy/problem';
import { TransportError } from '../shared/connections';

type RefusalCause = 'not-a-url' | 'forbidden-address' | 'in-the-clear';

/** What came of reading the URL of an endpoint. */
export type DestinationReading =
  | { readonly kind: 'destination'; readonly url: URL /** As records may show it. */; readonly shown: string }
  /** No attempt can mend it: it is the URL itself. */
  | {
      readonly kind: 'refused';
      readonly cause: RefusalCause;
      readonly problem: Problem;
      readonly shown: string;
    };

/** An address that must not be sent to, as a name resolved to it. */
export class ForbiddenAddressError extends TransportError {
  override readonly name = 'ForbiddenAddressError';

  constructor(
    readonly host: string,
    readonly address: string,
    why: string,
  ) {
    super('forbidden-address', `${host} resolves to ${address}, which ${why}`);
  }
}

function isOfTheWeb(protocol: string): protocol is 'http:' | 'https:' {
  return protocol === 'http:' || protocol === 'https:';
}

const CLEAR_RULE = 'must be https, but for a host within allowedPrivateRanges';

const URL_RULE = 'must be an absolute http or https URL';

/** Neither user nor query, which may hold credentials; of a secret, where its path may be one too, the host alone. */
function shownOf({ origin, host, pathname }: URL, isSecret: boolean): string {
  return isSecret ? host : `${origin}${pathname}`;
}

/**
 * Reads the URL of an endpoint, and judges it as far as it can be without asking for the address of a name. `URL` has put
 * every spelling of an address (`0x7f.1`, `2130706433`, `①②⑦.0.0.1`) into one.
 *
 * @param property where the URL is from
 * @param isSecret whether nothing but the host may be shown
 */
export function readDestination(
  property: string,
  text: string,
  guards: AddressGuards,
  isSecret: boolean,
): DestinationReading {
  const refused = (cause: RefusalCause, rule: string, value: unknown, shown: string) =>
    ({ kind: 'refused', cause, problem: { property, rule, value }, shown }) as const;
  const trimmed = text.trim();
  const url = URL.canParse(trimmed) ? new URL(trimmed) : undefined;
  if (!url || !isOfTheWeb(url.protocol)) {
    return refused('not-a-url', URL_RULE, `${text.length} characters that are none`, 'no URL');
  }
  const shown = shownOf(url, isSecret);
  if (url.username !== '' || url.password !== '') {
    return refused('not-a-url', 'must have neither user nor password: a secret header says who asks', url.host, shown);
  }
  const address = addressIn(url.hostname);
  const why = address === undefined ? undefined : guards['https:'](address);
  if (why !== undefined) {
    return refused('forbidden-address', `must name a public host, and ${address} ${why}`, url.hostname, shown);
  }
  const isOpen = address === undefined ? guards.mayBeClear : guards['http:'](address) === undefined;
  if (url.protocol === 'https:' || isOpen) return { kind: 'destination', url, shown };
  return refused('in-the-clear', CLEAR_RULE, `http://${url.host}`, shown);
}

/** Answers all addresses of a name, as `dns.lookup` does. */
export type Resolve = (
  host: string,
  options: dns.LookupAllOptions,
  done: (error: Error | null, addresses: dns.LookupAddress[]) => void,
) => void;

/** The answer node wants: all addresses where it asks for all, else the first. */
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
 * A lookup whose addresses all have passed `guard`. The connection goes to what it answers: nobody can have a name say
 * something else between the check and the connection. One address that must not be sent to makes all of them
 * suspicious, and none is used.
 *
 * It is asked for names only: a host that is an address is for `readDestination` to judge.
 *
 * @param resolve who is asked in truth: the machine, unless told otherwise
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
