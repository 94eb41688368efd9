import type { LookupAddress } from 'node:dns';
import net from 'node:net';
import type { Destination, NoAnswer } from '../../network/network';
import { ATTEMPT_TIMEOUT_MS, alternatingFamilies, connectToAny, invalidAddress, networkError } from './connection';
import { SANDBOX_ADDRESS } from './sandbox';
import { Inbox, type Peer } from './socket-pair';
import type { VirtualTimer, VirtualTimers } from './timers';

/** Node.js's signature of a lookup function, which users can pass. */
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
  readonly autoSelectFamilyAttemptTimeout?: number;
  readonly localAddress?: string;
  readonly timeout?: number;
  readonly noDelay?: boolean;
  readonly signal?: AbortSignal;
  readonly servername?: string;
}

export interface SocketNetwork {
  readonly timers: VirtualTimers;
  readonly lookup: Lookup;
  /** Asks whether a connection can be established. */
  readonly connect: (destination: Destination, met: (failure: NoAnswer | undefined) => void) => void;
  /** Connects a socket to a peer. */
  readonly answer: (socket: VirtualSocket) => Peer;
  readonly open: Set<VirtualSocket>;
}

/**
 * A `net.Socket` whose peer is in this worker. It supports everything an HTTP agent does with a socket: timeouts (in
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
    private readonly sandbox: SocketNetwork,
    private readonly options: ConnectOptions,
  ) {
    super({ signal: options.signal });
    this.hostName = options.host ?? 'localhost';
    this.remotePort = Number(options.port);
    sandbox.open.add(this);
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
      this.idle = this.sandbox.timers.start(() => this.emit('timeout'), timeoutMs).unref();
      if (expired) this.once('timeout', expired);
    } else if (expired) this.removeListener('timeout', expired);
    return this;
  }

  override _read(): void {
    this.inbox.read();
  }

  /** A `net.Socket` passes texts to this method without encoding them. */
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
    this.sandbox.open.delete(this);
    if (error || !(this.writableFinished && this.readableEnded)) this.peer?.hangUp();
    super._destroy(error, done);
  }

  /**
   * Fails like a connection to this address: `connect ECONNREFUSED 203.0.113.7:443`.
   *
   * @param reason added to the error's text
   */
  failWith(code: string, reason?: string): void {
    const error = networkError(code, this.destination);
    if (reason !== undefined) error.message += ` (${reason})`;
    this.destroy(error);
  }

  /** Runs after the address has responded and before `connect` is emitted. */
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
    else if (family) this.connectTo([{ address: this.hostName, family }]);
    else this.resolveName();
  }

  private resolveName(): void {
    const { lookup = this.sandbox.lookup, hints = 0, localAddress } = this.options;
    const { autoSelectFamily = net.getDefaultAutoSelectFamily() } = this.options;
    const wanted = familyNumber(this.options.family);
    const all = autoSelectFamily && wanted === 0 && !localAddress;
    lookup(this.hostName, { family: wanted, hints, all }, (error, address, addressFamily) => {
      if (this.destroyed) return;
      if (error) {
        this.destroy(error);
        return;
      }
      const found = all
        ? lookedUpAll(address)
        : [{ address: String(address), family: addressFamily ?? net.isIP(String(address)) }];
      for (const one of found) this.emit('lookup', null, one.address, one.family, this.hostName);
      const addresses = alternatingFamilies(found);
      if (addresses.length > 0) this.connectTo(addresses);
      else this.destroy(invalidAddress(this.hostName, found[0]?.address));
    });
  }

  private connectTo(addresses: readonly LookupAddress[]): void {
    const [only] = addresses;
    if (addresses.length === 1 && only) {
      this.attempt(only, failure => {
        if (this.destroyed) return;
        if (failure) this.failWith(failure);
        else this.established();
      });
      return;
    }
    const { autoSelectFamilyAttemptTimeout = ATTEMPT_TIMEOUT_MS } = this.options;
    connectToAny(addresses, {
      timers: this.sandbox.timers,
      timeoutMs: Math.max(10, autoSelectFamilyAttemptTimeout),
      attempt: (to, met) => this.attempt(to, met),
      errorOf: (code, { address }) => networkError(code, { ...this.destination, address }),
      emit: (event, { address, family }, error) => this.emit(event, address, this.remotePort, family, error),
      isWanted: () => !this.destroyed,
      connected: () => this.established(),
      failed: error => this.destroy(error),
    });
  }

  private attempt({ address, family }: LookupAddress, met: (failure: NoAnswer | undefined) => void): void {
    this.remoteAddress = address;
    this.remoteFamily = family === 6 ? 'IPv6' : 'IPv4';
    this.emit('connectionAttempt', address, this.remotePort, family);
    this.sandbox.connect(this.destination, met);
  }

  /** The destination of the latest attempt. */
  get destination(): Destination {
    return { protocol: this.scheme, host: this.hostName, port: this.remotePort, address: this.remoteAddress };
  }

  /** The peer has responded: the connection is established. */
  private established(): void {
    this.connecting = false;
    this.peer = this.sandbox.answer(this);
    this.active();
    this.emit('connect');
    this.emit('ready');
    this.handshake();
  }

  /** The readable half, to which the peer writes. */
  get receiver(): Peer {
    return this.inbox;
  }
}

/** Checks the result of a lookup that was asked for all addresses. Node.js accepts only a list. */
function lookedUpAll(answer: string | LookupAddress[]): readonly LookupAddress[] {
  return Array.isArray(answer) ? answer : [];
}

function familyNumber(family: number | string | undefined): number {
  if (family === 'IPv4') return 4;
  if (family === 'IPv6') return 6;
  return Number(family ?? 0);
}

/** A `tls.TLSSocket` that trusts every certificate, because nothing is encrypted inside one process. */
export class VirtualTlsSocket extends VirtualSocket {
  override readonly scheme = 'https';
  readonly encrypted = true;
  readonly authorized = true;
  readonly authorizationError = null;
  readonly alpnProtocol = false;
  readonly servername: string;

  constructor(sandbox: SocketNetwork, options: ConnectOptions) {
    super(sandbox, options);
    // TLS allows no IP address as a server name.
    this.servername = options.servername || (net.isIP(this.hostName) ? '' : this.hostName);
  }

  override get destination(): Destination {
    return { ...super.destination, ...(this.servername !== '' && { serverName: this.servername }) };
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
