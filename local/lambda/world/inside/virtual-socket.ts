import type { LookupAddress } from 'node:dns';
import net from 'node:net';
import { SANDBOX_ADDRESS } from './machine';
import { Inbox, type Peer } from './socket-pair';
import type { VirtualTimer, VirtualTimers } from './timers';

/** Node's signature of a lookup, as users write their own. */
export type Lookup = (
  hostName: string,
  options: { readonly all?: boolean; readonly family?: number; readonly hints?: number },
  done: (error: Error | null, address: string | LookupAddress[], family?: number) => void,
) => void;

export interface ConnectOptions {
  readonly host?: string;
  readonly port?: number | string;
  readonly path?: string;
  readonly lookup?: Lookup;
  readonly family?: number | string;
  readonly hints?: number;
  readonly autoSelectFamily?: boolean;
  readonly localAddress?: string;
  readonly timeout?: number;
  readonly noDelay?: boolean;
  readonly signal?: AbortSignal;
  readonly servername?: string;
}

/** What a socket needs of the world around it. */
export interface SocketWorld {
  readonly timers: VirtualTimers;
  readonly lookup: Lookup;
  /** Asks whether the connection comes about: `established` or `failWith` is the answer. */
  readonly connect: (socket: VirtualSocket) => void;
  /** Gives a connected socket somebody to talk to. */
  readonly answer: (socket: VirtualSocket) => Peer;
  readonly open: Set<VirtualSocket>;
}

/**
 * A `net.Socket` whose other end is in this worker. Everything an HTTP agent does with a socket works: timeouts (on
 * virtual time), `ref` and `unref`, keep-alive, custom lookups, addresses.
 */
export class VirtualSocket extends net.Socket {
  override connecting = true;
  override remoteAddress: string | undefined = undefined;
  override remoteFamily: string | undefined = undefined;
  override remotePort: number;
  override localAddress = SANDBOX_ADDRESS;
  override localPort = 40_000;
  override timeout = 0;
  readonly hostName: string;
  readonly scheme: 'http' | 'https' = 'http';
  private readonly inbox = new Inbox(this, () => this.active());
  private peer: Peer | undefined;
  private idle: VirtualTimer | undefined;
  private referenced = true;

  constructor(
    private readonly world: SocketWorld,
    private readonly options: ConnectOptions,
  ) {
    super({ signal: options.signal });
    this.hostName = options.host ?? 'localhost';
    this.remotePort = Number(options.port);
    world.open.add(this);
    if (options.timeout) this.setTimeout(options.timeout);
    process.nextTick(() => this.resolve());
  }

  get keepsAlive(): boolean {
    return this.referenced && !this.destroyed;
  }

  override ref(): this {
    this.referenced = true;
    return this;
  }

  override unref(): this {
    this.referenced = false;
    return this;
  }

  override setNoDelay(): this {
    return this;
  }

  override setKeepAlive(): this {
    return this;
  }

  override address(): net.AddressInfo {
    return { address: this.localAddress, family: 'IPv4', port: this.localPort };
  }

  override setTimeout(timeoutMs: number, expired?: () => void): this {
    this.timeout = timeoutMs;
    this.idle?.close();
    this.idle = undefined;
    if (timeoutMs > 0) {
      this.idle = this.world.timers.start(() => this.emit('timeout'), timeoutMs).unref();
      if (expired) this.once('timeout', expired);
    } else if (expired) this.removeListener('timeout', expired);
    return this;
  }

  override _read(): void {
    this.inbox.read();
  }

  /** A `net.Socket` is written texts as they are. */
  override _write(chunk: Buffer | string, encoding: BufferEncoding, done: (error?: Error) => void): void {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk, encoding) : chunk;
    this.whenConnected(peer => {
      this.active();
      peer.receive(bytes, done);
    });
  }

  override _writev(chunks: { chunk: Buffer; encoding: BufferEncoding }[], done: (error?: Error) => void): void {
    const all = chunks.map(({ chunk, encoding }) => (Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk, encoding)));
    this._write(Buffer.concat(all), 'utf8', done);
  }

  override _final(done: (error?: Error) => void): void {
    this.whenConnected(peer => {
      peer.receiveEnd();
      done();
    });
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.connecting = false;
    this.idle?.close();
    this.world.open.delete(this);
    if (error || !(this.writableFinished && this.readableEnded)) this.peer?.hangUp();
    super._destroy(error, done);
  }

  /** Fails as a connection to this address does: `connect ECONNREFUSED 203.0.113.7:443`. */
  failWith(code: string): void {
    this.destroy(networkError(code, this));
  }

  /** What is left to do, before `connect`, once the address answers. */
  protected handshake(): void {}

  private whenConnected(go: (peer: Peer) => void): void {
    if (this.peer) go(this.peer);
    else this.once('connect', () => this.peer && go(this.peer));
  }

  private active(): void {
    this.idle?.refresh();
  }

  private resolve(): void {
    if (this.destroyed) return;
    const family = net.isIP(this.hostName);
    if (this.options.path) this.failWith('ENOENT');
    else if (family) this.connectTo(this.hostName, family);
    else this.resolveName();
  }

  private resolveName(): void {
    const { lookup = this.world.lookup, hints = 0, autoSelectFamily = true, localAddress } = this.options;
    const wanted = familyNumber(this.options.family);
    const all = autoSelectFamily && wanted === 0 && !localAddress;
    lookup(this.hostName, { family: wanted, hints, all }, (error, address, addressFamily) => {
      if (this.destroyed) return;
      if (error) {
        this.destroy(error);
        return;
      }
      const [first] = Array.isArray(address) ? address : [{ address, family: addressFamily ?? net.isIP(address) }];
      this.emit('lookup', null, first?.address, first?.family, this.hostName);
      if (first && net.isIP(first.address)) this.connectTo(first.address, first.family);
      else this.destroy(invalidAddress(this.hostName, first?.address));
    });
  }

  private connectTo(address: string, family: number): void {
    this.remoteAddress = address;
    this.remoteFamily = family === 6 ? 'IPv6' : 'IPv4';
    this.world.connect(this);
  }

  /** The other side has answered: the connection stands. */
  established(): void {
    this.connecting = false;
    this.peer = this.world.answer(this);
    this.active();
    this.emit('connect');
    this.emit('ready');
    this.handshake();
  }

  /** The reading half, for whoever answers this socket. */
  get receiver(): Peer {
    return this.inbox;
  }
}

/** A `tls.TLSSocket` that trusts everybody: nothing is encrypted inside one process. */
export class VirtualTlsSocket extends VirtualSocket {
  override readonly scheme = 'https';
  readonly encrypted = true;
  readonly authorized = true;
  readonly authorizationError = null;
  readonly alpnProtocol = false;
  readonly servername: string;

  constructor(world: SocketWorld, options: ConnectOptions) {
    super(world, options);
    this.servername = options.servername ?? this.hostName;
  }

  getProtocol(): string {
    return 'TLSv1.3';
  }

  getCipher(): object {
    return { name: 'TLS_AES_256_GCM_SHA384', standardName: 'TLS_AES_256_GCM_SHA384', version: 'TLSv1.3' };
  }

  getPeerCertificate(): object {
    return { subject: { CN: this.servername }, subjectaltname: `DNS:${this.servername}` };
  }

  getSession(): undefined {}

  isSessionReused(): boolean {
    return false;
  }

  protected override handshake(): void {
    this.emit('secureConnect');
  }
}

function familyNumber(family: number | string | undefined): number {
  if (family === 'IPv4') return 4;
  if (family === 'IPv6') return 6;
  return Number(family ?? 0);
}

/** Errors that have their own words; all others say which address could not be reached. */
const TEXTS: Readonly<Record<string, string>> = {
  ECONNRESET: 'read ECONNRESET',
  CERT_HAS_EXPIRED: 'certificate has expired',
};

function networkError(code: string, { hostName, remoteAddress, remotePort }: VirtualSocket): Error {
  if (code === 'ENOTFOUND') return notFound(hostName);
  const text = TEXTS[code];
  if (text) return Object.assign(new Error(text), { code, ...(code === 'ECONNRESET' && { syscall: 'read' }) });
  const where = { syscall: 'connect', address: remoteAddress, port: remotePort };
  return Object.assign(new Error(`connect ${code} ${remoteAddress}:${remotePort}`), { code, ...where });
}

/** The error of a name that does not exist, as `dns.lookup` gives it. */
export function notFound(hostName: string): Error {
  const where = { code: 'ENOTFOUND', syscall: 'getaddrinfo', hostname: hostName };
  return Object.assign(new Error(`getaddrinfo ENOTFOUND ${hostName}`), { errno: -3008, ...where });
}

function invalidAddress(hostName: string, address: unknown): Error {
  const error = new TypeError(`Invalid IP address: ${address}`);
  return Object.assign(error, { code: 'ERR_INVALID_IP_ADDRESS', host: hostName });
}
