import childProcess from 'node:child_process';
import dgram from 'node:dgram';
import dns from 'node:dns';
import type { IncomingMessage, ServerResponse } from 'node:http';
import http from 'node:http';
import http2 from 'node:http2';
import inspector from 'node:inspector';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
import type { Duplex } from 'node:stream';
import tls from 'node:tls';
import workerThreads from 'node:worker_threads';
import type { Destination, NoAnswer, OutgoingRequest, Reply } from '../../network/network';
import type { ThreadOutput } from '../environment/protocol';
import { installDns, type NameSystem } from './names';
import { ServerEnd } from './socket-pair';
import type { VirtualTimer, VirtualTimers } from './timers';
import { type ConnectOptions, type SocketNetwork, VirtualSocket, VirtualTlsSocket } from './virtual-socket';

const realSetImmediate = setImmediate;

/** A response that no HTTP client can parse. */
const INVALID_HTTP = Buffer.from('220 mail.example.com ESMTP\r\n');

/** Called when a connection is established or has failed. */
type OnConnected = (failure: NoAnswer | undefined) => void;

/** A request that waits for its reply. */
interface Exchange {
  readonly socket: VirtualSocket;
  readonly response: ServerResponse;
}

/** The interval at which an endless body sends bytes. */
const ENDLESS_EVERY_MS = 1000;

/**
 * The network of the function's code. Node.js's own HTTP client is connected to Node.js's own HTTP server in memory.
 * The server converts each request to data for the engine, and the engine's reply to a response.
 */
export class VirtualNetwork implements SocketNetwork {
  readonly open = new Set<VirtualSocket>();
  private readonly clients = new WeakMap<object, VirtualSocket>();
  private readonly exchanges = new Map<number, Exchange>();
  private readonly connecting = new Map<number, OnConnected>();
  private readonly idle: IdleConnections;
  private count = 0;
  private connections = 0;
  private readonly server = http.createServer({ keepAliveTimeout: 0, requestTimeout: 0, headersTimeout: 0 });

  constructor(
    readonly timers: VirtualTimers,
    private readonly names: NameSystem,
    private readonly emit: (output: ThreadOutput) => void,
  ) {
    this.idle = new IdleConnections(timers);
    this.server.on('request', (request, response) => this.receive(request, response));
  }

  get lookup() {
    return this.names.lookup;
  }

  /** Whether an open connection keeps the event loop alive. */
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

  /** Asks the engine whether a connection can be established. */
  readonly connect = (destination: Destination, met: OnConnected): void => {
    this.connections += 1;
    this.connecting.set(this.connections, met);
    this.emit({ kind: 'connect', connection: this.connections, destination });
  };

  /** Delivers the engine's response. The code may have abandoned the connection. */
  settleConnection(connection: number, failure: NoAnswer | undefined): void {
    const met = this.connecting.get(connection);
    this.connecting.delete(connection);
    met?.(failure);
  }

  settle(exchange: number, reply: Exclude<Reply, { kind: 'silence' }>): void {
    const waiting = this.exchanges.get(exchange);
    if (!waiting) return;
    this.exchanges.delete(exchange);
    const { socket, response } = waiting;
    if (reply.kind === 'response') {
      if (reply.keepAliveMs !== undefined) this.idle.closeAfter(reply.keepAliveMs, response);
      respond(response, reply, { reset: () => socket.failWith('ECONNRESET'), timers: this.timers });
    } else if (reply.code === 'HPE_INVALID_CONSTANT') socket.receiver.receive(INVALID_HTTP, () => {});
    else socket.failWith(reply.code, reply.reason);
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

/** What a response needs in addition to its content. */
interface Responding {
  /** Resets the connection when it breaks before the end of the body. */
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
  // Sets the virtual date. Node.js's server would write the wall-clock date.
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
  // The body never ends, so it has no length: the client waits for more chunks until the connection closes.
  response.flushHeaders();
  response.write(reply.body, () => ending === 'reset' && realSetImmediate(reset));
  if (ending !== 'endless') return;
  const again = timers.start(() => response.write(reply.body), ENDLESS_EVERY_MS, true).unref();
  response.on('close', () => again.close());
}

/**
 * Parses the arguments of Node.js's `connect`: `(options)`, `(port, host?)` or `(path)`, each with an optional
 * listener.
 */
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

/** Installs the virtual network where code, and Node.js's HTTP and fetch, create connections. */
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
  refuseOtherNetworkAccess();
  installDns(names);
  syncBuiltinESMExports();
}

/** The functions of `node:dns` that are not supported. */
const UNSUPPORTED_DNS: readonly string[] = [
  ...['resolveAny', 'resolveCaa', 'resolveCname', 'resolveMx', 'resolveNaptr', 'resolveNs', 'resolvePtr', 'resolveSoa'],
  ...['resolveSrv', 'resolveTlsa', 'resolveTxt', 'reverse', 'lookupService'],
];

/** Makes every other way to the real network or the real time throw an error. */
function refuseOtherNetworkAccess(): void {
  const close = (holder: object, path: string, ...names: readonly string[]): void => {
    for (const name of names) {
      // Not an arrow function, because some of these are called with `new`.
      function refuse(): never {
        throw new Error(`${path}.${name} is not implemented for functions in the embedded AWS`);
      }
      Object.assign(holder, { [name]: refuse });
    }
  };
  close(net.Socket.prototype, 'net.Socket', 'connect');
  close(net.Server.prototype, 'net.Server', 'listen');
  close(http2, 'http2', 'connect');
  close(dgram, 'dgram', 'createSocket');
  for (const holder of [dns, dns.promises, dns.Resolver.prototype, dns.promises.Resolver.prototype]) {
    close(holder, 'dns', ...UNSUPPORTED_DNS);
  }
  close(workerThreads, 'worker_threads', 'Worker');
  close(inspector, 'inspector', 'open');
  // On Lambda, the handler runs in the main thread.
  Object.assign(workerThreads, { isMainThread: true, parentPort: null, threadId: 0, workerData: null });
  close(childProcess, 'child_process', 'exec', 'execFile', 'execFileSync', 'execSync', 'fork', 'spawn', 'spawnSync');
}

/**
 * Closes connections that have been idle for the host's keep-alive time. It uses the virtual timers. If the time ends
 * while the environment is frozen, the connection closes after the thaw, when the code has already continued.
 */
class IdleConnections {
  private readonly closing = new WeakMap<Duplex, VirtualTimer>();
  private readonly closed = new WeakSet<Duplex>();

  constructor(private readonly timers: VirtualTimers) {}

  /** Closes the connection this long after the end of a response. */
  closeAfter(keepAliveMs: number, response: ServerResponse): void {
    const { socket } = response;
    if (!socket) return;
    response.on('finish', () => {
      const close = (): void => {
        this.closed.add(socket);
        socket.end();
      };
      this.closing.set(socket, this.timers.start(close, keepAliveMs).unref());
    });
  }

  /** Whether data on the connection arrives too late. If not, cancels the closing. */
  isClosed(connection: Duplex): boolean {
    this.closing.get(connection)?.close();
    return this.closed.has(connection);
  }
}
