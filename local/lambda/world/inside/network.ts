import childProcess from 'node:child_process';
import dgram from 'node:dgram';
import dns from 'node:dns';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import http2 from 'node:http2';
import inspector from 'node:inspector';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
import tls from 'node:tls';
import workerThreads from 'node:worker_threads';
import type { Destination, NoAnswer, OutgoingRequest, Reply } from '../../../network/network';
import type { WorldOutput } from '../protocol';
import { IdleConnections } from './idle-connections';
import { installDns, type NameSystem } from './names';
import { ServerEnd } from './socket-pair';
import type { VirtualTimers } from './timers';
import { type ConnectOptions, type SocketWorld, VirtualSocket } from './virtual-socket';
import { VirtualTlsSocket } from './virtual-tls-socket';

const realSetImmediate = setImmediate;

/** Bytes that no HTTP client can read. */
const NO_HTTP = Buffer.from('220 mail.example.com ESMTP\r\n');

/** Told what a connection met with. */
type Met = (failure: NoAnswer | undefined) => void;

/** A request that waits for its reply. */
interface Exchange {
  readonly socket: VirtualSocket;
  readonly response: ServerResponse;
}

/** How often the bytes of an endless body come. */
const ENDLESS_EVERY_MS = 1000;

/**
 * The network as the function's code sees it. Node's own HTTP client talks to node's own HTTP server over in-memory
 * connections; the server turns each request into data for the engine, and the engine's reply into a response.
 */
export class VirtualNetwork implements SocketWorld {
  readonly open = new Set<VirtualSocket>();
  private readonly clients = new WeakMap<object, VirtualSocket>();
  private readonly exchanges = new Map<number, Exchange>();
  private readonly connecting = new Map<number, Met>();
  private readonly idle: IdleConnections;
  private count = 0;
  private connections = 0;
  private readonly server = http.createServer({ keepAliveTimeout: 0, requestTimeout: 0, headersTimeout: 0 });

  constructor(
    readonly timers: VirtualTimers,
    private readonly names: NameSystem,
    private readonly emit: (output: WorldOutput) => void,
  ) {
    this.idle = new IdleConnections(timers);
    this.server.on('request', (request, response) => this.receive(request, response));
  }

  get lookup() {
    return this.names.lookup;
  }

  /** Whether anything is open that keeps node's event loop going. */
  get keepAlive(): boolean {
    if (this.names.waiting) return true;
    for (const socket of this.open) if (socket.keepsAlive) return true;
    return false;
  }

  readonly answer = (socket: VirtualSocket) => {
    const end = new ServerEnd(socket.receiver);
    end.on('error', () => socket.failWith('ECONNRESET'));
    this.clients.set(end, socket);
    this.server.emit('connection', end);
    return end.inbox;
  };

  /** Asks the engine whether a connection comes about. */
  readonly connect = (destination: Destination, met: Met): void => {
    this.connections += 1;
    this.connecting.set(this.connections, met);
    this.emit({ kind: 'connect', connection: this.connections, destination });
  };

  /** The engine's answer. The code may have given the connection up. */
  settleConnection(connection: number, failure: NoAnswer | undefined): void {
    const met = this.connecting.get(connection);
    this.connecting.delete(connection);
    met?.(failure);
  }

  /** Gives the code what its request met with. */
  settle(exchange: number, reply: Exclude<Reply, { kind: 'silence' }>): void {
    const waiting = this.exchanges.get(exchange);
    if (!waiting) return;
    this.exchanges.delete(exchange);
    const { socket, response } = waiting;
    if (reply.kind === 'response') {
      if (reply.keepAliveMs !== undefined) this.idle.closeAfter(reply.keepAliveMs, response);
      respond(response, reply, { reset: () => socket.failWith('ECONNRESET'), timers: this.timers });
    } else if (reply.code === 'HPE_INVALID_CONSTANT') socket.receiver.receive(NO_HTTP, () => {});
    else socket.failWith(reply.code);
  }

  private receive(request: IncomingMessage, response: ServerResponse): void {
    if (this.idle.isClosed(request.socket)) return;
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const socket = this.clients.get(request.socket);
      if (socket) this.send(socket, request, response, Buffer.concat(chunks));
    });
  }

  private send(socket: VirtualSocket, request: IncomingMessage, response: ServerResponse, body: Buffer): void {
    this.count += 1;
    const exchange = this.count;
    this.exchanges.set(exchange, { socket, response });
    response.on('close', () => {
      if (this.exchanges.delete(exchange)) this.emit({ kind: 'request-ended', exchange });
    });
    this.emit({ kind: 'request', exchange, request: outgoing(socket, request, body) });
  }
}

function outgoing(socket: VirtualSocket, { method, url, headers }: IncomingMessage, body: Buffer): OutgoingRequest {
  const single = Object.entries(headers).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.join(', ') : value,
  ]);
  return {
    protocol: socket.scheme,
    host: socket.hostName,
    port: socket.remotePort,
    address: socket.remoteAddress,
    method: method ?? 'GET',
    path: url ?? '/',
    headers: Object.fromEntries(single),
    body,
  };
}

/** What a response needs beside what it says. */
interface Responding {
  /** What happens to the connection when it does not outlast the body. */
  readonly reset: () => void;
  readonly timers: VirtualTimers;
}

function respond(
  response: ServerResponse,
  reply: Extract<Reply, { kind: 'response' }>,
  { reset, timers }: Responding,
): void {
  const names = new Set(Object.keys(reply.headers).map(name => name.toLowerCase()));
  response.sendDate = false;
  // Date is the engine's here; a date written by node's server itself would be the wall clock's.
  if (!names.has('date')) response.setHeader('date', new Date().toUTCString());
  const { ending = 'complete' } = reply;
  if (ending === 'complete' && !names.has('content-length') && !names.has('transfer-encoding')) {
    response.setHeader('content-length', reply.body.byteLength);
  }
  response.writeHead(reply.status, { ...reply.headers });
  if (ending === 'complete') {
    response.end(reply.body);
    return;
  }
  // Without an end, and so without a length: more chunks are to be expected, until the connection goes.
  response.flushHeaders();
  response.write(reply.body, () => ending === 'reset' && realSetImmediate(reset));
  if (ending !== 'endless') return;
  const again = timers.start(() => response.write(reply.body), ENDLESS_EVERY_MS, true).unref();
  response.on('close', () => again.close());
}

/** Node lets one connect with `(options)`, `(port, host?)` or `(path)`, each with a listener at the end. */
function connectOptions(given: readonly unknown[]): { options: ConnectOptions; connected?: () => void } {
  const last = given.at(-1);
  const connected = typeof last === 'function' ? (last as () => void) : undefined;
  const [first, second] = given;
  if (typeof first === 'object' && first !== null) return { options: first, connected };
  if (typeof first === 'string' && Number.isNaN(Number(first))) return { options: { path: first }, connected };
  const further = given.find(value => typeof value === 'object' && value !== null) ?? {};
  const host = typeof second === 'string' ? { host: second } : {};
  return { options: { ...further, ...host, port: Number(first) }, connected };
}

/** Puts the virtual network where code, and node's own HTTP and fetch, look for connections. */
export function installNetwork(network: VirtualNetwork, names: NameSystem): void {
  const connect = (...given: unknown[]): VirtualSocket => {
    const { options, connected } = connectOptions(given);
    const socket = new VirtualSocket(network, options);
    return connected ? socket.once('connect', connected) : socket;
  };
  const secureConnect = (...given: unknown[]): VirtualSocket => {
    const { options, connected } = connectOptions(given);
    const socket = new VirtualTlsSocket(network, options);
    return connected ? socket.once('secureConnect', connected) : socket;
  };
  Object.assign(net, { connect, createConnection: connect });
  Object.assign(http.Agent.prototype, { createConnection: connect });
  Object.assign(tls, { connect: secureConnect });
  closeOtherWaysOut();
  installDns(names);
  syncBuiltinESMExports();
}

/** What the engine's names have nothing of. */
const OTHER_RECORDS: readonly string[] = [
  ...['resolveAny', 'resolveCaa', 'resolveCname', 'resolveMx', 'resolveNaptr', 'resolveNs', 'resolvePtr', 'resolveSoa'],
  ...['resolveSrv', 'resolveTlsa', 'resolveTxt', 'reverse', 'lookupService'],
];

/** Whatever could leave the engine's network, or its time, otherwise says so, rather than reach the real one. */
function closeOtherWaysOut(): void {
  const close = (holder: object, path: string, ...names: readonly string[]): void => {
    for (const name of names) {
      // A function, and not an arrow: some of these are called with `new`.
      function refuse(): never {
        throw new Error(`${path}.${name} is not implemented in a function's world of the embedded AWS`);
      }
      Object.assign(holder, { [name]: refuse });
    }
  };
  close(net.Socket.prototype, 'net.Socket', 'connect');
  close(net.Server.prototype, 'net.Server', 'listen');
  close(http2, 'http2', 'connect');
  close(dgram, 'dgram', 'createSocket');
  for (const holder of [dns, dns.promises, dns.Resolver.prototype, dns.promises.Resolver.prototype]) {
    close(holder, 'dns', ...OTHER_RECORDS);
  }
  close(workerThreads, 'worker_threads', 'Worker');
  close(inspector, 'inspector', 'open');
  // On Lambda the handler runs in the main thread, and has no port to anybody.
  Object.assign(workerThreads, { isMainThread: true, parentPort: null, threadId: 0, workerData: null });
  close(childProcess, 'child_process', 'exec', 'execFile', 'execFileSync', 'execSync', 'fork', 'spawn', 'spawnSync');
}
