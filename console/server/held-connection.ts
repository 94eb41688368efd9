import type { ConnectionOptions, OwnCredentials } from '../../account/connection/connection';
import { type Connection, connected } from '../../account/connection/connection';

const MINUTE_MS = 60_000;

type Client = ReturnType<Connection['client']>;
type ClientClass = Parameters<Connection['client']>[0];

interface Held {
  readonly aws: Connection;
  readonly close: () => void;
}

/** Counts requests of the last minute. */
class RequestCount {
  private readonly atMs: number[] = [];

  constructor(private readonly nowMs: () => number) {}

  add(): void {
    this.atMs.push(this.nowMs());
  }

  get inLastMinute(): number {
    const since = this.nowMs() - MINUTE_MS;
    const first = this.atMs.findIndex(it => it > since);
    this.atMs.splice(0, first === -1 ? this.atMs.length : first);
    return this.atMs.length;
  }
}

/**
 * A connection to AWS that stays open for the console's reads. After a failure, the next use opens another one, which looks for
 * credentials again: those of a session that was renewed meanwhile are found.
 */
export class HeldConnection {
  private held: Promise<Held> | undefined;
  private readonly requests: RequestCount;

  /** @param nowMs the machine's clock */
  constructor(
    private readonly options: ConnectionOptions,
    private readonly own: OwnCredentials & { readonly headers?: Readonly<Record<string, string>> },
    nowMs: () => number,
  ) {
    this.requests = new RequestCount(nowMs);
  }

  /** How many requests were sent in the last minute, repeated ones included. */
  get requestsInLastMinute(): number {
    return this.requests.inLastMinute;
  }

  async use<T>(work: (aws: Connection) => Promise<T>): Promise<T> {
    this.held ??= this.open();
    const { held } = this;
    try {
      return await work((await held).aws);
    } catch (error) {
      if (this.held === held) await this.close();
      throw error;
    }
  }

  async close(): Promise<void> {
    const { held } = this;
    this.held = undefined;
    // An opening that failed has nothing to close, and its error went to its caller.
    const [result] = await Promise.allSettled([held]);
    if (result?.status === 'fulfilled') result.value?.close();
  }

  private open(): Promise<Held> {
    const { headers = {}, ...own } = this.own;
    return new Promise((resolve, reject) => {
      connected(
        this.options,
        aws => new Promise<void>(close => resolve({ aws: this.sharing(aws, headers), close })),
        own,
      ).catch(reject);
    });
  }

  /** Gives every caller the same client of a class: a client for each read would never be closed. */
  private sharing(aws: Connection, headers: Readonly<Record<string, string>>): Connection {
    const clients = new Map<ClientClass, Client>();
    return {
      region: aws.region,
      client: (Class, isFinal) => {
        if (isFinal) return this.counted(aws.client(Class, isFinal), headers);
        const shared = clients.get(Class) ?? this.counted(aws.client(Class), headers);
        clients.set(Class, shared);
        return shared as InstanceType<typeof Class>;
      },
    };
  }

  private counted<C extends Client>(client: C, headers: Readonly<Record<string, string>>): C {
    client.middlewareStack.add(
      next => async call => {
        this.requests.add();
        const { request } = call as { readonly request?: { readonly headers: Record<string, string> } };
        if (request) Object.assign(request.headers, headers);
        return next(call);
      },
      { step: 'finalizeRequest', priority: 'low', name: 'countRequests' } as never,
    );
    return client;
  }
}
