import * as http from 'node:http';
import * as https from 'node:https';
import type { Duplex } from 'node:stream';
import { type NowMs, nowMs } from '../../mover/aws/clock';
import type { TransportFailure } from '../../policy/outcome/outcome';
import { MINUTE_MS } from '../../policy/time-units';

/** Node's agents, by the protocol of a URL. */
export interface Agents {
  readonly 'http:': http.Agent;
  readonly 'https:': https.Agent;
}

/** Agents whose connections are kept alive, and agents that open a new connection for each request. */
export interface Connections {
  readonly kept: Agents;
  readonly fresh: Agents;
}

/**
 * Connections to one host, and how many of them stay open for the next request. A batch of ten needs fewer, and a function's limit
 * of 1,024 file descriptors is far away.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
 */
const MAX_SOCKETS = 50;
const MAX_FREE_SOCKETS = 10;

/**
 * How long a connection is reused, from the end of its first request: as long as the usual TTL of a DNS record. Otherwise it would
 * last as long as there is traffic, and an endpoint that moves to another address would get no request there.
 */
const MAX_CONNECTION_AGE_MS = MINUTE_MS;

/** @see https://nodejs.org/docs/latest-v24.x/api/http.html#agentkeepsocketalivesocket */
function withMaxAge<Kept extends http.Agent>(agent: Kept, now: NowMs): Kept {
  const firstFreeAtMs = new WeakMap<Duplex, number>();
  const keep: (socket: Duplex) => unknown = agent.keepSocketAlive.bind(agent);
  const keepSocketAlive = (socket: Duplex) => {
    const sinceMs = firstFreeAtMs.get(socket) ?? now();
    firstFreeAtMs.set(socket, sinceMs);
    return now() - sinceMs < MAX_CONNECTION_AGE_MS && keep(socket) !== false;
  };
  return Object.assign(agent, { keepSocketAlive });
}

function agentsFor(options: https.AgentOptions, now: NowMs): Agents {
  return { 'http:': withMaxAge(new http.Agent(options), now), 'https:': withMaxAge(new https.Agent(options), now) };
}

export function nodeConnections(options: https.AgentOptions = {}, now: NowMs = nowMs): Connections {
  const limited = { maxSockets: MAX_SOCKETS, ...options };
  return {
    kept: agentsFor({ maxFreeSockets: MAX_FREE_SOCKETS, ...limited, keepAlive: true }, now),
    fresh: agentsFor({ ...limited, keepAlive: false }, now),
  };
}

/** A failure that this code detects itself, such as a forbidden address. */
export class TransportError extends Error {
  override readonly name: string = 'TransportError';

  constructor(
    readonly failure: TransportFailure,
    message: string,
  ) {
    super(message);
  }
}

/** A time limit has passed. */
export class TimeoutError extends TransportError {
  override readonly name = 'TimeoutError';

  constructor(message: string) {
    super('timeout', message);
  }
}

/** Maps error codes to a failure. */
interface Rule {
  readonly code: RegExp;
  readonly failure: TransportFailure;
}

/**
 * By the error's code. The first match counts.
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
  // A TLS alert about a certificate concerns the client's: the endpoint requires one, and the relay has none.
  { code: /^(EPROTO|ERR_SSL_\w+)$/, failure: 'tls-failed' },
  {
    code: /CERT|_SIGNATURE|SELF_SIGNED|^CRL_|INVALID_CA|INVALID_PURPOSE|HOSTNAME_MISMATCH/,
    failure: 'bad-certificate',
  },
  { code: /^ERR_TLS_\w+$/, failure: 'tls-failed' },
  { code: /^HPE_\w+$/, failure: 'not-http' },
];

/** An `AggregateError` of all addresses that were tried has the code of the first error, or none. */
function codeOf(error: Error): string {
  const { code } = error as NodeJS.ErrnoException;
  if (typeof code === 'string') return code;
  const [first] = error instanceof AggregateError ? error.errors : [];
  return first instanceof Error ? codeOf(first) : '';
}

/** Returns an error's message. An `AggregateError` of all addresses that were tried has none: the first error's counts. */
export function messageOf(error: Error): string {
  const [first] = error instanceof AggregateError && error.message === '' ? error.errors : [];
  return first instanceof Error ? messageOf(first) : error.message;
}

/** Whether the machine rejected a system call: too many open files (`EMFILE`), no free port (`EADDRNOTAVAIL`). */
function isLocalFailure(error: Error): boolean {
  return typeof (error as NodeJS.ErrnoException).syscall === 'string';
}

/**
 * Classifies why no answer came.
 *
 * @returns undefined if the error is not a transport failure: a bug in the sending code must not look like one
 */
export function transportFailureOf(error: Error): TransportFailure | undefined {
  if (error instanceof TransportError) return error.failure;
  const code = codeOf(error);
  const known = RULES.find(rule => rule.code.test(code));
  if (known) return known.failure;
  return isLocalFailure(error) ? 'local-failure' : undefined;
}
