import net from 'node:net';
import type { OnGone } from '../kernel/caller';
import { addressesOf, canonicalHost, homeOf } from './addresses';

/** A request as it leaves for the outside world. Everything is data: no sockets. */
export interface OutgoingRequest {
  readonly protocol: 'http' | 'https';
  readonly host: string;
  readonly port: number;
  /** Where the connection goes. @default - what the host's name resolves to */
  readonly address?: string | undefined;
  readonly method: string;
  /** Path with its query, for example `/invoices?dryRun=1`. */
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** Calls back once nobody waits for the answer any more. @default - the client stays until it has one */
  readonly onGone?: OnGone | undefined;
  /**
   * Where the client reaches AWS, for example `http://127.0.0.1:4566`: for the URLs in answers to it.
   *
   * @default - at AWS's own hosts
   */
  readonly reachedAt?: string | undefined;
}

/**
 * Why there was no answer, by the code node gives the error. `ECONNRESET` comes once the request is sent, and so does
 * `HPE_INVALID_CONSTANT`, an answer that is no HTTP; the others keep a connection from coming about.
 */
export type NoAnswer =
  | 'ENOTFOUND'
  | 'ECONNREFUSED'
  | 'ECONNRESET'
  | 'ETIMEDOUT'
  | 'CERT_HAS_EXPIRED'
  | 'HPE_INVALID_CONSTANT';

/** What comes back, and how long it took. */
export type Reply =
  | {
      readonly kind: 'response';
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly body: Uint8Array;
      /** @default 0 */
      readonly latencyMs?: number;
      /**
       * How the body ends, for who reads it to its end as functions do: the connection is reset behind these bytes;
       * nothing more ever comes, though more was announced; or the same bytes come again and again, once a second.
       *
       * @default 'complete'
       */
      readonly ending?: 'complete' | 'reset' | 'never' | 'endless';
      /**
       * How long the connection stays open behind the answer while nobody sends, as functions find out: one that is frozen
       * meanwhile learns of it when it has thawed, and may have sent its next request by then, which nobody gets.
       *
       * @default - for ever
       */
      readonly keepAliveMs?: number;
    }
  | { readonly kind: 'no-answer'; readonly code: NoAnswer; readonly latencyMs?: number }
  /** Nothing ever comes: the caller's own timeout decides. */
  | {
      readonly kind: 'silence';
      /** Whether there is no connection, either: not even the first packet is answered. @default false: it stands */
      readonly unreachable?: boolean;
    };

/** Where somebody wants a connection to. */
export interface Destination extends Pick<OutgoingRequest, 'protocol' | 'host' | 'port' | 'address'> {
  /** Whom a client of TLS asks for (SNI). @default - nobody, or the host */
  readonly serverName?: string | undefined;
}

/** Why no connection comes about. */
export type Unconnected = Extract<Reply, { kind: 'no-answer' | 'silence' }>;

/** What a name resolves to, and how long that took. */
export interface Resolved {
  /** None when there is no such name. */
  readonly addresses: readonly string[];
  readonly latencyMs: number;
}

/** Decides what happens before there is a request. */
export interface Reach {
  resolve(hostName: string): Resolved;
  /** Undefined when the connection comes about. */
  connect(destination: Destination): Unconnected | undefined;
}

/**
 * Answers for a host. It may answer later, by a promise that some due work resolves: a queue's long poll does. It must
 * not wait for anything outside the timeline.
 */
export type Host = (request: OutgoingRequest) => Reply | Promise<Reply>;

/**
 * Every host the embedded AWS can reach: AWS's own endpoints, and the outside world. Functions resolve a name, connect and
 * send, as their code does; whoever only sends meets with the same replies.
 */
export interface Network extends Reach {
  send(request: OutgoingRequest): Reply | Promise<Reply>;
}

/** Hosts that are there for everybody. */
const OPEN: Reach = {
  resolve: hostName => ({ addresses: addressesOf(hostName), latencyMs: 0 }),
  connect: () => undefined,
};

interface AttachedHost {
  readonly answer: Host;
  readonly address: string | undefined;
}

/** Hosts by name; whatever has no host of its own goes to the outside world. */
export class InMemoryNetwork implements Network {
  private readonly hosts = new Map<string, AttachedHost>();
  private readonly hostsByAddress = new Map<string, AttachedHost>();

  /**
   * @param outside answers for every host name nobody was attached for
   * @param reach of those names. @default they all exist, and can be connected to
   */
  constructor(
    private readonly outside: Host,
    private readonly reach: Reach = OPEN,
  ) {}

  /** From now on `host` answers for `hostName` (an exact name, in any case), at its own address and on every port. */
  attach(hostName: string, host: Host): void {
    const attached = { answer: host, address: homeOf(hostName) };
    this.hosts.set(canonicalHost(hostName), attached);
    if (attached.address !== undefined) this.hostsByAddress.set(attached.address, attached);
  }

  /** Whether somebody was attached for the host. */
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

  /** Whoever goes to another address than a host's own does not come to it, whatever name is used. */
  private attachedAt({ host, address }: Pick<OutgoingRequest, 'host' | 'address'>): AttachedHost | undefined {
    const name = canonicalHost(host);
    if (net.isIP(name)) return this.hostsByAddress.get(name);
    const attached = this.hosts.get(name);
    const { address: home } = attached ?? {};
    return address === undefined || address === home || canonicalHost(address) === home ? attached : undefined;
  }
}
