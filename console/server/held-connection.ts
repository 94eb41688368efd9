import type { AwsCredentialIdentity } from '@smithy/types';
import { isUnreachable } from '../../account/connection/calls';
import { type Connection, type ConnectionOptions, connected, REAL_CLOCK } from '../../account/connection/connection';
import { ServerClock } from '../../account/connection/server-clock';
import { UnreadCalls } from '../../account/connection/unread-calls';
import { messageOf } from '../../account/errors';
import { nowMs, wait } from '../../mover/aws/clock';
import { MINUTE_MS } from '../../policy/time-units';

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

/** How long no attempt is answered until that is news: a single service may have no endpoint in the Region. */
const SILENT_MS = 2_000;

export type Purpose = 'read' | 'change';

/** Work with a connection of its own. @param sent how many requests it has sent so far, repeated ones included */
export type AloneWork<T> = (aws: Connection, clock: ServerClock, sent: () => number) => Promise<T>;

export interface HeldOptions extends ConnectionOptions {
  /** @default - those that the options name */
  readonly credentials?: AwsCredentialIdentity;
  /** Headers of each request. @default - none of its own */
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * A connection to AWS that stays open for the console's reads. After a failure, the next use opens another one, which looks for
 * credentials again: those of a session that was renewed meanwhile are found.
 */
export class HeldConnection {
  private held: Promise<Held> | undefined;
  private readonly requests: RequestCount;
  private readonly counted = new WeakSet<object>();
  private unanswered: { readonly sinceMs: number; readonly lastMs: number; readonly says: string } | undefined;

  /**
   * @param nowMs the machine's clock
   * @param answered receives the time in each answer of AWS
   */
  constructor(
    private readonly options: HeldOptions,
    private readonly nowMs: () => number,
    private readonly answered: (serverMs: number) => void = () => {},
  ) {
    this.requests = new RequestCount(nowMs);
  }

  /** Why AWS does not answer; undefined while it does. Calls are repeated for half a minute, and say nothing meanwhile. */
  get silence(): string | undefined {
    const { sinceMs = 0, lastMs = 0, says } = this.unanswered ?? {};
    return lastMs - sinceMs >= SILENT_MS ? says : undefined;
  }

  /** How many requests were sent in the last minute, repeated ones included. */
  get requestsInLastMinute(): number {
    return this.requests.inLastMinute;
  }

  /** @param work gets a connection that knows only what this work could not read */
  async use<T>(work: (aws: Connection) => Promise<T>): Promise<T> {
    this.held ??= this.open();
    const { held } = this;
    try {
      const { aws } = await held;
      return await work({ ...aws, unread: new UnreadCalls() });
    } catch (error) {
      if (this.held === held) await this.close();
      throw error;
    }
  }

  /**
   * Runs work with a connection of its own, which no failure of another read closes.
   * @param purpose requests that change something are sent without the headers
   * @param work gets the clock of AWS too, and how many requests it has sent
   */
  async alone<T>(purpose: Purpose, work: AloneWork<T>): Promise<T> {
    const { credentials, headers, ...options } = this.options;
    const clock = new ServerClock({ nowMs, wait });
    await clock.attach(options.endpointUrl);
    const told = { ...REAL_CLOCK, answered: clock.answered };
    let sent = 0;
    const counting = (aws: Connection) =>
      this.counting(aws, purpose === 'read' ? headers : {}, () => {
        sent += 1;
      });
    return connected(options, aws => work(counting(aws), clock, () => sent), told, credentials);
  }

  async close(): Promise<void> {
    const { held } = this;
    this.held = undefined;
    // An opening that failed has nothing to close, and its error went to its caller.
    const [result] = await Promise.allSettled([held]);
    if (result?.status === 'fulfilled') result.value?.close();
  }

  private open(): Promise<Held> {
    const { credentials, headers, ...options } = this.options;
    return new Promise((resolve, reject) => {
      const hold = (aws: Connection): Promise<void> =>
        new Promise(close => resolve({ aws: this.counting(aws, headers), close: () => close() }));
      connected(options, hold, { ...REAL_CLOCK, answered: this.answered }, credentials).catch(reject);
    });
  }

  private async listening<T>(attempt: Promise<T>): Promise<T> {
    try {
      const answer = await attempt;
      this.unanswered = undefined;
      return answer;
    } catch (error) {
      if (!isUnreachable(Object(error))) this.unanswered = undefined;
      else {
        const lastMs = this.nowMs();
        this.unanswered = { sinceMs: this.unanswered?.sinceMs ?? lastMs, lastMs, says: messageOf(error) };
      }
      throw error;
    }
  }

  private counting(aws: Connection, headers: HeldOptions['headers'], sends = () => {}): Connection {
    return {
      ...aws,
      client: (Client, isFinal) => {
        const client = aws.client(Client, isFinal);
        if (this.counted.has(client)) return client;
        this.counted.add(client);
        client.middlewareStack.add(
          next => async call => {
            this.requests.add();
            sends();
            const { request } = call as { readonly request?: { readonly headers: Record<string, string> } };
            if (request) Object.assign(request.headers, headers);
            return this.listening(next(call));
          },
          { step: 'finalizeRequest', priority: 'low', name: 'countRequests' },
        );
        return client;
      },
    };
  }
}
