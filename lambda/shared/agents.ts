import * as http from 'node:http';
import * as https from 'node:https';

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

function agents(options: https.AgentOptions): Agents {
  return { 'http:': new http.Agent(options), 'https:': new https.Agent(options) };
}

/** Node's own, with the same TLS options for both kinds of connections. */
export function nodeConnections(options: https.AgentOptions = {}): Connections {
  const limited = { maxSockets: MAX_SOCKETS, ...options };
  return {
    kept: agents({ maxFreeSockets: MAX_FREE_SOCKETS, ...limited, keepAlive: true }),
    fresh: agents({ ...limited, keepAlive: false }),
  };
}
