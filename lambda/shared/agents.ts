import * as http from 'node:http';
import * as https from 'node:https';
import type { Duplex } from 'node:stream';
import { type NowMs, nowMs } from './clock';

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
