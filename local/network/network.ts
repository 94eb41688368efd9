import type { OnGone } from '../kernel/caller';

/** A request as it leaves for the outside world. Everything is data: no sockets. */
export interface OutgoingRequest {
  readonly protocol: 'http' | 'https';
  readonly host: string;
  readonly port: number;
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

/** Why there was no answer, by the code node gives the error. */
export type NoAnswer = 'ENOTFOUND' | 'ECONNREFUSED' | 'ECONNRESET' | 'ETIMEDOUT' | 'CERT_HAS_EXPIRED';

/** What comes back, and how long it took. */
export type Reply =
  | {
      readonly kind: 'response';
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly body: Uint8Array;
      /** @default 0 */
      readonly latencyMs?: number;
    }
  | { readonly kind: 'no-answer'; readonly code: NoAnswer; readonly latencyMs?: number }
  /** The connection stands and nothing ever comes: the caller's own timeout decides. */
  | { readonly kind: 'silence' };

/**
 * Answers for a host. It may answer later, by a promise that some due work resolves: a queue's long poll does. It must
 * not wait for anything outside the timeline.
 */
export type Host = (request: OutgoingRequest) => Reply | Promise<Reply>;

/** Every host the embedded AWS can reach: AWS's own endpoints, and the outside world. */
export interface Network {
  send(request: OutgoingRequest): Reply | Promise<Reply>;
}

/** Hosts by name; whatever has no host of its own goes to the outside world. */
export class InMemoryNetwork implements Network {
  private readonly hosts = new Map<string, Host>();

  /** @param outside answers for every host name nobody was attached for */
  constructor(private readonly outside: Host) {}

  /** From now on `host` answers for `hostName` (an exact name, in any case), on every port. */
  attach(hostName: string, host: Host): void {
    this.hosts.set(hostName.toLowerCase(), host);
  }

  send(request: OutgoingRequest): Reply | Promise<Reply> {
    const host = this.hosts.get(request.host.toLowerCase()) ?? this.outside;
    return host(request);
  }
}
