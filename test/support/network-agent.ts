import { type Agent, createServer, Agent as HttpAgent, type IncomingMessage, type ServerResponse } from 'node:http';
import { Duplex } from 'node:stream';
import type { Network } from '../../local/network/network';

/** One end of an in-memory connection. */
class End extends Duplex {
  peer: End | undefined;

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.peer?.push(chunk);
    done();
  }

  override _final(done: () => void): void {
    this.peer?.push(null);
    done();
  }
}

/** The two ends of one connection. */
function connection(): readonly [End, End] {
  const [near, far] = [new End(), new End()];
  near.peer = far;
  far.peer = near;
  return [near, far];
}

/** Answers requests of Node's own client from the embedded network. */
async function answer(network: Network, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { host = '' } = request.headers;
  const path = request.url ?? '/';
  const reply = await network.send({
    protocol: 'https',
    host,
    port: 443,
    method: request.method ?? 'GET',
    path,
    headers: { host },
    body: new Uint8Array(),
  });
  if (reply.kind !== 'response') {
    response.destroy();
    return;
  }
  response.writeHead(reply.status, reply.headers).end(reply.body);
}

/**
 * An agent whose `https:` connections lead into the embedded network: node's own client code runs, without TLS and without
 * a socket.
 */
export function networkAgent(network: Network): Agent {
  const server = createServer((request, response) => void answer(network, request, response));
  const agent = new HttpAgent();
  return Object.assign(agent, {
    protocol: 'https:',
    defaultPort: 443,
    createConnection: () => {
      const [near, far] = connection();
      server.emit('connection', far);
      return near;
    },
  });
}
