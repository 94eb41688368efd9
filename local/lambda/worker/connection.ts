import type { LookupAddress } from 'node:dns';
import net from 'node:net';
import type { Destination, NoAnswer } from '../../network/network';
import type { VirtualTimer, VirtualTimers } from './timers';

/**
 * How long Node.js tries one of several addresses before it also tries the next. This is the default of Node.js 20,
 * used for every version of Node.js.
 *
 * @see https://nodejs.org/docs/latest-v20.x/api/net.html#netgetdefaultautoselectfamilyattempttimeout
 */
export const ATTEMPT_TIMEOUT_MS = 250;

/** Alternates between the two address families, starting with that of the first address, as Node.js does. */
export function alternatingFamilies(found: readonly LookupAddress[]): readonly LookupAddress[] {
  const valid = found.filter(({ address, family }) => net.isIP(address) !== 0 && (family === 4 || family === 6));
  const once = valid.filter((one, i) => valid.findIndex(it => it.address === one.address) === i);
  const preferred = once.filter(({ family }) => family === once[0]?.family);
  const others = once.filter(({ family }) => family !== once[0]?.family);
  return Array.from({ length: Math.max(preferred.length, others.length) }, (_, i) => [preferred[i], others[i]])
    .flat()
    .filter(entry => entry !== undefined);
}

/** The parts of a socket that connecting to one of several addresses uses. */
interface Attempting {
  readonly timers: VirtualTimers;
  readonly timeoutMs: number;
  /** Tries to connect to one address. */
  readonly attempt: (to: LookupAddress, met: (failure: NoAnswer | undefined) => void) => void;
  readonly errorOf: (code: string, to: LookupAddress) => Error;
  readonly emit: (
    event: 'connectionAttemptFailed' | 'connectionAttemptTimeout',
    to: LookupAddress,
    error?: Error,
  ) => void;
  readonly isWanted: () => boolean;
  readonly connected: (to: LookupAddress) => void;
  readonly failed: (error: Error) => void;
}

/**
 * Tries addresses in order. Tries the next one as soon as an attempt fails or takes too long, and then abandons that
 * attempt, as Node.js does. The last attempt has no limit.
 *
 * @see https://nodejs.org/docs/latest-v20.x/api/net.html#socketconnectoptions-connectlistener
 */
export function connectToAny(addresses: readonly LookupAddress[], socket: Attempting): void {
  const errors: Error[] = [];
  let current = -1;
  const next = (): void => {
    current += 1;
    const to = addresses[current];
    if (to) go(to, current);
    else socket.failed(Object.assign(new AggregateError(errors), { code: Object(errors[0]).code }));
  };
  const go = (to: LookupAddress, mine: number): void => {
    let patience: VirtualTimer | undefined;
    const isOver = (): boolean => mine !== current || !socket.isWanted();
    if (mine < addresses.length - 1) {
      patience = socket.timers.start(() => {
        if (isOver()) return;
        errors.push(socket.errorOf('ETIMEDOUT', to));
        socket.emit('connectionAttemptTimeout', to);
        next();
      }, socket.timeoutMs);
    }
    socket.attempt(to, failure => {
      if (isOver()) return;
      patience?.close();
      // A certificate error is only detected once the connection is established.
      if (failure === undefined) socket.connected(to);
      else if (failure === 'CERT_HAS_EXPIRED') socket.failed(socket.errorOf(failure, to));
      else {
        const error = socket.errorOf(failure, to);
        errors.push(error);
        socket.emit('connectionAttemptFailed', to, error);
        next();
      }
    });
  };
  next();
}

/** Errors with a specific text. All others name the address that could not be reached. */
const TEXTS: Readonly<Record<string, string>> = {
  ECONNRESET: 'read ECONNRESET',
  CERT_HAS_EXPIRED: 'certificate has expired',
};

export function networkError(code: string, { host, address, port }: Destination): Error {
  if (code === 'ENOTFOUND') return notFound(host);
  const text = TEXTS[code];
  if (text) return Object.assign(new Error(text), { code, ...(code === 'ECONNRESET' && { syscall: 'read' }) });
  const where = { syscall: 'connect', address, port };
  return Object.assign(new Error(`connect ${code} ${address}:${port}`), { code, ...where });
}

/** The error of a host name that does not exist, as `dns.lookup` returns it. */
export function notFound(hostName: string): Error {
  const where = { code: 'ENOTFOUND', syscall: 'getaddrinfo', hostname: hostName };
  return Object.assign(new Error(`getaddrinfo ENOTFOUND ${hostName}`), { errno: -3008, ...where });
}

/** The error of a custom lookup that returns something other than addresses. */
export function invalidAddress(hostName: string, address: unknown): Error {
  const error = new TypeError(`Invalid IP address: ${address}`);
  return Object.assign(error, { code: 'ERR_INVALID_IP_ADDRESS', host: hostName });
}
