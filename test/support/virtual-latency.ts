import type { AbsoluteLocation, FinalizeRequestHandlerOptions, HandlerExecutionContext } from '@smithy/types';
import type { Connection } from '../../account/connection/connection';
import type { RetryClock } from '../../account/connection/retries';
import { SECOND_MS } from '../../policy/time-units';

interface Wake {
  readonly atMs: number;
  readonly resolve: () => void;
}

/**
 * A clock that jumps to the next end of a wait as soon as no call is under way and nothing else runs. What a command takes by this clock is
 * latency and pacing alone: the machine's load does not change it.
 */
export class JumpingClock implements RetryClock {
  private now = 0;
  private underWay = 0;
  private readonly wakes: Wake[] = [];
  private isLooking = false;

  readonly nowMs = () => this.now;

  readonly random = () => 0.5;

  readonly wait = (milliseconds: number): Promise<void> =>
    new Promise(resolve => {
      this.wakes.push({ atMs: this.now + Math.max(0, milliseconds), resolve });
      this.look();
    });

  /** Does real work, in which the clock stands still. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    this.underWay += 1;
    try {
      return await work();
    } finally {
      this.underWay -= 1;
      this.look();
    }
  }

  private look(): void {
    if (this.isLooking) return;
    this.isLooking = true;
    // What the last answer has set going runs first: parsing it, and sending the next call.
    setImmediate(() => setImmediate(() => setImmediate(() => this.jump())));
  }

  private jump(): void {
    this.isLooking = false;
    if (this.underWay > 0 || this.wakes.length === 0) return;
    this.now = Math.min(...this.wakes.map(({ atMs }) => atMs));
    const due = this.wakes.filter(({ atMs }) => atMs <= this.now);
    this.wakes.splice(0, this.wakes.length, ...this.wakes.filter(({ atMs }) => atMs > this.now));
    for (const { resolve } of due) resolve();
    this.look();
  }
}

/** A rate above which calls are throttled, for calls whose action matches. */
export interface PublishedRate {
  readonly actions: RegExp;
  readonly perSecond: number;
}

/**
 * The rates that AWS publishes for calls that read.
 * @see https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
 * @see https://docs.aws.amazon.com/general/latest/gr/sns.html
 */
export const PUBLISHED_RATES: readonly PublishedRate[] = [
  { actions: /^Lambda:GetPolicy$/, perSecond: 15 },
  { actions: /^Lambda:(?!GetPolicy$|GetFunction$|Invoke$)/, perSecond: 15 },
  { actions: /^SNS:List(Subscriptions|Topics)$/, perSecond: 30 },
];

/** A bucket that holds the calls of a second. */
class Bucket {
  private tokens: number;
  private filledAtMs = 0;

  constructor(private readonly rate: PublishedRate) {
    this.tokens = rate.perSecond;
  }

  takes(action: string, nowMs: number): boolean {
    const { actions, perSecond } = this.rate;
    if (!actions.test(action)) return true;
    this.tokens = Math.min(perSecond, this.tokens + ((nowMs - this.filledAtMs) / SECOND_MS) * perSecond);
    this.filledAtMs = nowMs;
    if (this.tokens < 1) return false;
    this.tokens -= 1;
    return true;
  }
}

function throttled(): Error {
  const error = new Error('Rate exceeded');
  error.name = 'TooManyRequestsException';
  return Object.assign(error, {
    $metadata: { httpStatusCode: 429 },
    $fault: 'client',
    $retryable: { throttling: true },
  });
}

type Next = (call: never) => Promise<unknown>;

interface Interposable {
  readonly middlewareStack: {
    add(
      middleware: (next: Next, context: HandlerExecutionContext) => Next,
      options: FinalizeRequestHandlerOptions & AbsoluteLocation,
    ): void;
  };
}

/** Puts latency and rates by a jumping clock between a command and AWS, and counts the calls. */
export class VirtualLatency {
  /** How often each operation was called, also in vain: `SQS:GetQueueAttributes`. */
  readonly counts = new Map<string, number>();
  private readonly buckets: readonly Bucket[];
  private readonly slowed = new WeakSet<object>();

  constructor(
    readonly clock: JumpingClock,
    private readonly latencyMs: number,
    rates: readonly PublishedRate[] = [],
  ) {
    this.buckets = rates.map(rate => new Bucket(rate));
  }

  get calls(): number {
    return [...this.counts.values()].reduce((sum, count) => sum + count, 0);
  }

  /** The connection with latency. */
  slow(aws: Connection): Connection {
    return {
      ...aws,
      client: (Client, isFinal) => {
        const client = aws.client(Client, isFinal);
        if (!this.slowed.has(client)) this.interpose(client);
        this.slowed.add(client);
        return client;
      },
    };
  }

  private interpose(client: Interposable): void {
    // The connection paces calls with the same priority, and before, because it was there first.
    client.middlewareStack.add(
      (next, { clientName = '', commandName = '' }) =>
        async call => {
          const action = `${clientName.replace(/Client$/, '')}:${commandName.replace(/Command$/, '')}`;
          this.counts.set(action, (this.counts.get(action) ?? 0) + 1);
          await this.clock.wait(this.latencyMs);
          if (!this.buckets.every(bucket => bucket.takes(action, this.clock.nowMs()))) throw throttled();
          return this.clock.during(() => next(call));
        },
      { step: 'finalizeRequest', priority: 'low', name: 'virtualLatency' },
    );
  }
}
