import * as http from 'node:http';
import * as https from 'node:https';
import type { Duplex } from 'node:stream';
import { type NowMs, nowMs } from '../../mover/clock';
import type { TransportFailure } from '../../policy/outcome/outcome';

/** Who opens the connections, by the protocol of a URL. */
export interface Agents {
  readonly 'http:': http.Agent;
  readonly 'https:': https.Agent;
}

/** Connections for requests: kept alive for the next one, or made for this one alone. */
export interface Connections {
  readonly kept: Agents;
  readonly fresh: Agents;
}

/**
 * Connections to one host at a time, and how many of them wait for the next request. Our choice: more than a batch of ten
 * needs at once, and far from the 1,024 file descriptors of a function.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
 */
const MAX_SOCKETS = 50;
const MAX_FREE_SOCKETS = 10;

/**
 * How long a connection is used again, from the end of its first request. Else one would last as long as there is traffic,
 * and whoever moved to another address would never be asked there. Our choice: as long as names are usually good for.
 */
const LONGEST_LIFE_MS = 60_000;

/** @see https://nodejs.org/docs/latest-v24.x/api/http.html#agentkeepsocketalivesocket */
function withMaxAge<Kept extends http.Agent>(agent: Kept, now: NowMs): Kept {
  const firstFreeAtMs = new WeakMap<Duplex, number>();
  const keep: (socket: Duplex) => unknown = agent.keepSocketAlive.bind(agent);
  const keepSocketAlive = (socket: Duplex) => {
    const sinceMs = firstFreeAtMs.get(socket) ?? now();
    firstFreeAtMs.set(socket, sinceMs);
    return now() - sinceMs < LONGEST_LIFE_MS && keep(socket) !== false;
  };
  return Object.assign(agent, { keepSocketAlive });
}

function agentsFor(options: https.AgentOptions, now: NowMs): Agents {
  return { 'http:': withMaxAge(new http.Agent(options), now), 'https:': withMaxAge(new https.Agent(options), now) };
}

/** Node's own, with the same TLS options for both kinds of connections. */
export function nodeConnections(options: https.AgentOptions = {}, now: NowMs = nowMs): Connections {
  const limited = { maxSockets: MAX_SOCKETS, ...options };
  return {
    kept: agentsFor({ maxFreeSockets: MAX_FREE_SOCKETS, ...limited, keepAlive: true }, now),
    fresh: agentsFor({ ...limited, keepAlive: false }, now),
  };
}

/** A failure that we name ourselves, such as an address that must not be reached. */
export class TransportError extends Error {
  override readonly name: string = 'TransportError';

  constructor(
    readonly failure: TransportFailure,
    message: string,
  ) {
    super(message);
  }
}

/** Time was over. */
export class TimeoutError extends TransportError {
  override readonly name = 'TimeoutError';

  constructor(message: string) {
    super('timeout', message);
  }
}

/** What errors of one kind mean. */
interface Rule {
  readonly code: RegExp;
  readonly failure: TransportFailure;
}

/**
 * By the error's code; the first that fits holds.
 *
 * @see https://nodejs.org/docs/latest-v24.x/api/errors.html#common-system-errors
 * @see https://nodejs.org/docs/latest-v24.x/api/tls.html#x509-certificate-error-codes
 */
const RULES: readonly Rule[] = [
  { code: /^(ECONNRESET|ECONNABORTED|ENETRESET|ENOTCONN|EPIPE)$/, failure: 'connection-reset' },
  { code: /^ECONNREFUSED$/, failure: 'connection-refused' },
  { code: /^EAI_MEMORY$/, failure: 'local-failure' },
  { code: /^(ENOTFOUND|EAI_\w+)$/, failure: 'name-not-resolved' },
  { code: /^(ETIMEDOUT|ESOCKETTIMEDOUT|ERR_SOCKET_CONNECTION_TIMEOUT|ERR_TLS_HANDSHAKE_TIMEOUT)$/, failure: 'timeout' },
  { code: /^(EHOSTUNREACH|EHOSTDOWN|ENETUNREACH|ENETDOWN)$/, failure: 'unreachable' },
  // An alert about a certificate is about ours: the other side wants one, and we have none.
  { code: /^(EPROTO|ERR_SSL_\w+)$/, failure: 'tls-failed' },
  {
    code: /CERT|_SIGNATURE|SELF_SIGNED|^CRL_|INVALID_CA|INVALID_PURPOSE|HOSTNAME_MISMATCH/,
    failure: 'bad-certificate',
  },
  { code: /^ERR_TLS_\w+$/, failure: 'tls-failed' },
  { code: /^HPE_\w+$/, failure: 'not-http' },
];

/** One error for each address that was tried has the first one's code, or none. */
function codeOf(error: Error): string {
  const { code } = error as NodeJS.ErrnoException;
  if (typeof code === 'string') return code;
  const [first] = error instanceof AggregateError ? error.errors : [];
  return first instanceof Error ? codeOf(first) : '';
}

/** What an error says. One for all addresses that were tried says nothing itself: the first one's speaks for it. */
export function messageOf(error: Error): string {
  const [first] = error instanceof AggregateError && error.message === '' ? error.errors : [];
  return first instanceof Error ? messageOf(first) : error.message;
}

/** Whether the machine itself said no, as it does of one file too many (`EMFILE`) or of no port left (`EADDRNOTAVAIL`). */
function isLocalFailure(error: Error): boolean {
  return typeof (error as NodeJS.ErrnoException).syscall === 'string';
}

/**
 * Why there was no answer.
 *
 * @returns undefined for what is no failure of a transport: a mistake in the code that sends must show as what it is
 */
export function transportFailureOf(error: Error): TransportFailure | undefined {
  if (error instanceof TransportError) return error.failure;
  const code = codeOf(error);
  const known = RULES.find(rule => rule.code.test(code));
  if (known) return known.failure;
  return isLocalFailure(error) ? 'local-failure' : undefined;
}
