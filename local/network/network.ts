import type { OnGone } from '../kernel/caller';
import { addressesOf, canonicalHost, defaultAddressOf } from './addresses';

/** A request to a host, as plain data. */
export interface OutgoingRequest {
  readonly protocol: 'http' | 'https';
  readonly host: string;
  readonly port: number;
  /** The address to connect to. @default - what the host's name resolves to */
  readonly address?: string | undefined;
  readonly method: string;
  /** The path with its query, for example `/invoices?dryRun=1`. */
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** Notifies the host when the client no longer waits for the answer. @default - the client waits */
  readonly onGone?: OnGone | undefined;
  /**
   * The base URL at which the client reaches AWS, for example `http://127.0.0.1:4566`. URLs in answers use it.
   *
   * @default - AWS's own hosts
   */
  readonly reachedAt?: string | undefined;
}

/**
 * Why there was no answer, by the error code of Node.js. `ECONNRESET` and `HPE_INVALID_CONSTANT` (an answer that is not
 * HTTP) occur after the request was sent; the others prevent the connection.
 */
export type NoAnswer =
  | 'ENOTFOUND'
  | 'ECONNREFUSED'
  | 'ECONNRESET'
  | 'ETIMEDOUT'
  | 'CERT_HAS_EXPIRED'
  | 'HPE_INVALID_CONSTANT';

/** The reply to a request, and its latency. */
export type Reply =
  | {
      readonly kind: 'response';
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly body: Uint8Array;
      /** @default 0 */
      readonly latencyMs?: number;
      /**
       * How the body ends for a client that reads it completely, as functions do: `reset` resets the connection after
       * these bytes; `never` sends nothing more, although the headers announce more; `endless` repeats the same bytes
       * once a second.
       *
       * @default 'complete'
       */
      readonly ending?: 'complete' | 'reset' | 'never' | 'endless';
      /**
       * How long the idle connection stays open after the answer, for functions. A frozen function learns of the end
       * only when it runs again. It may already have sent its next request, which is then lost.
       *
       * @default - the connection stays open
       */
      readonly keepAliveMs?: number;
    }
  | {
      readonly kind: 'no-answer';
      readonly code: NoAnswer;
      readonly latencyMs?: number;
      /** Added to the text of the client's error. @default - the text of Node.js */
      readonly reason?: string;
    }
  /** Nothing is ever received: the caller's timeout decides. */
  | {
      readonly kind: 'silence';
      /** Whether even the connection gets no answer. @default false: the connection is established */
      readonly unreachable?: boolean;
    };

/** The destination of a connection. */
export interface Destination extends Pick<OutgoingRequest, 'protocol' | 'host' | 'port' | 'address'> {
  /** The server name of a TLS client (SNI). @default - none, or the host */
  readonly serverName?: string | undefined;
}

/** Why a connection fails. */
export type Unconnected = Extract<Reply, { kind: 'no-answer' | 'silence' }>;

/** The addresses of a name, and the latency of the lookup. */
export interface Resolved {
  /** Empty when the name does not exist. */
  readonly addresses: readonly string[];
  readonly latencyMs: number;
}

/** Decides what happens before a request is sent. */
export interface Reach {
  resolve(hostName: string): Resolved;
  /** Undefined when the connection succeeds. */
  connect(destination: Destination): Unconnected | undefined;
}

/**
 * Answers the requests to a host. The promise of a later answer must be resolved by due work (a queue's long poll), or
 * by real work that holds time until then (`Scheduler.hold`).
 */
export type Host = (request: OutgoingRequest) => Reply | Promise<Reply>;

/**
 * All hosts that the embedded AWS can reach: AWS's own endpoints, and the outside world. Functions resolve, connect and
 * send, as their code does. Clients that only send get the same replies.
 */
export interface Network extends Reach {
  send(request: OutgoingRequest): Reply | Promise<Reply>;
}

/** Lets every connection succeed. */
const OPEN: Reach = {
  resolve: hostName => ({ addresses: addressesOf(hostName), latencyMs: 0 }),
  connect: () => undefined,
};

interface AttachedHost {
  readonly answer: Host;
  readonly address: string | undefined;
}

/** The port of this machine at which clients of other processes reach AWS. */
export interface Gateway {
  /** Whether a client has reached AWS at this host, as `canonicalHost` writes it, and port. */
  reaches(hostName: string, port: number): boolean;
  /** Answers a request to the port. */
  readonly answer: Host;
}

/** Hosts by name. All other names belong to the outside world. */
export class InMemoryNetwork implements Network {
  private readonly hosts = new Map<string, AttachedHost>();
  private readonly hostsByAddress = new Map<string, AttachedHost>();
  private gateway: Gateway | undefined;

  /**
   * @param outside answers for all names without an attached host
   * @param reach decides how those names resolve and connect. @default - all names exist and accept connections
   */
  constructor(
    private readonly outside: Host,
    private readonly reach: Reach = OPEN,
  ) {}

  /** Makes `host` answer for `hostName` (an exact name, in any case), at its own address and on every port. */
  attach(hostName: string, host: Host): void {
    const attached = { answer: host, address: defaultAddressOf(hostName) };
    this.hosts.set(canonicalHost(hostName), attached);
    if (attached.address !== undefined) this.hostsByAddress.set(attached.address, attached);
  }

  /**
   * Makes the port at which clients reach AWS answer functions too: clients pass on the URLs of queues, which name it.
   *
   * @returns a function that detaches it
   */
  attachGateway(gateway: Gateway): () => void {
    this.gateway = gateway;
    return () => {
      this.gateway = undefined;
    };
  }

  has(hostName: string): boolean {
    return this.hosts.has(canonicalHost(hostName));
  }

  resolve(hostName: string): Resolved {
    return (this.has(hostName) ? OPEN : this.reach).resolve(hostName);
  }

  connect(destination: Destination): Unconnected | undefined {
    return (this.attachedAt(destination) ? OPEN : this.reach).connect(destination);
  }

  send(request: OutgoingRequest): Reply | Promise<Reply> {
    const answer = this.attachedAt(request)?.answer ?? this.outside;
    return answer(request);
  }

  /** A connection to another address does not reach the attached host, whatever name the client uses. */
  private attachedAt({ protocol, host, port, address }: Destination): AttachedHost | undefined {
    const name = this.hosts.has(host) ? host : canonicalHost(host);
    const { gateway } = this;
    if (gateway && protocol === 'http' && gateway.reaches(name, port)) return { ...gateway, address: undefined };
    const attached = this.hosts.get(name);
    if (!attached) return this.hostsByAddress.get(name);
    const { address: home } = attached;
    return address === undefined || address === home || canonicalHost(address) === home ? attached : undefined;
  }
}
