import type { LookupAddress } from 'node:dns';
import net from 'node:net';
import type { NoAnswer } from '../../../network/network';
import type { VirtualTimer, VirtualTimers } from './timers';

/**
 * How long node tries one of several addresses before it tries the next as well; the default of Node.js 20, so that every
 * node does the same.
 *
 * @see https://nodejs.org/docs/latest-v20.x/api/net.html#netgetdefaultautoselectfamilyattempttimeout
 */
export const ATTEMPT_TIMEOUT_MS = 250;

/** Both families by turns, as node tries them: that of the first address comes first. */
export function byTurns(found: readonly LookupAddress[]): readonly LookupAddress[] {
  const valid = found.filter(({ address, family }) => net.isIP(address) !== 0 && (family === 4 || family === 6));
  const once = valid.filter((one, i) => valid.findIndex(it => it.address === one.address) === i);
  const preferred = once.filter(({ family }) => family === once[0]?.family);
  const others = once.filter(({ family }) => family !== once[0]?.family);
  return Array.from({ length: Math.max(preferred.length, others.length) }, (_, i) => [preferred[i], others[i]])
    .flat()
    .filter(entry => entry !== undefined);
}

/** What a connection to one of several addresses needs of its socket. */
export interface Attempting {
  readonly timers: VirtualTimers;
  readonly timeoutMs: number;
  /** Asks for a connection to this address. */
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
 * Tries addresses one after the other, the next as soon as one fails or takes its time; the last has as long as it
 * takes. Node gives an attempt up when it goes on.
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
      // What is wrong with a certificate is found out once the connection stands.
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
