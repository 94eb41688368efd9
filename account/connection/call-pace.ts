import { isThrottlingError } from '@smithy/core/retry';
import type { SdkError } from '@smithy/types';
import { SECOND_MS } from '../../policy/time-units';
import type { RetryClock } from './retries';

/**
 * The rates that AWS publishes, a second. They apply once AWS throttles: another endpoint may allow more.
 * @see https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
 * @see https://docs.aws.amazon.com/sns/latest/api/API_ListSubscriptions.html
 */
const PUBLISHED: readonly (readonly [RegExp, group: string, perSecond: number])[] = [
  [/^lambda:GetPolicy$/, 'lambda:GetPolicy', 15],
  [/^lambda:GetFunction$/, 'lambda:GetFunction', 100],
  [/^lambda:(?!InvokeFunction$)/, 'lambda', 15],
  [/^sns:List(Subscriptions|Topics)$/, '', 30],
];

/** Where AWS publishes none, the rate begins with what was answered in the last second, and at least with this. */
const FIRST_PER_SECOND = 20;

/** No operation is slowed further. Where AWS publishes a rate, a third of it: other callers share it. */
const SLOWEST_PER_SECOND = 2;
const SLOWEST_SHARE = 1 / 3;

/** By how much the rate falls in a second with throttling, and grows in a second without. */
const SLOWED = 0.85;
const GROWTH = 1.25;

/** The rate of operations that share a limit. */
class Pace {
  /** Undefined until AWS throttles. */
  private perSecond: number | undefined;
  private tokens = 0;
  private filledAtMs = 0;
  private changedAtMs = 0;
  private wasThrottled = false;
  /** Answers in the current second, and in the last. */
  private answered = 0;
  private answeredBefore = 0;
  private countedFromMs = 0;

  constructor(
    private readonly clock: RetryClock,
    private readonly published: number | undefined,
  ) {}

  /** Waits until a call may be made. */
  async turn(): Promise<void> {
    if (this.perSecond === undefined) return;
    const nowMs = this.clock.nowMs();
    this.adapt(nowMs, this.perSecond);
    this.tokens = Math.min(1, this.tokens + ((nowMs - this.filledAtMs) / SECOND_MS) * this.perSecond) - 1;
    this.filledAtMs = nowMs;
    if (this.tokens < 0) await this.clock.wait((-this.tokens / this.perSecond) * SECOND_MS);
  }

  succeeded(): void {
    const nowMs = this.clock.nowMs();
    if (nowMs - this.countedFromMs >= SECOND_MS) {
      this.answeredBefore = this.answered;
      this.answered = 0;
      this.countedFromMs = nowMs;
    }
    this.answered += 1;
  }

  throttled(): void {
    const nowMs = this.clock.nowMs();
    this.wasThrottled = true;
    if (this.perSecond !== undefined) return;
    this.perSecond = this.published ?? Math.max(FIRST_PER_SECOND, this.answered, this.answeredBefore);
    this.tokens = 0;
    this.filledAtMs = nowMs;
    this.changedAtMs = nowMs;
    // The calls under way were sent before.
    this.wasThrottled = false;
  }

  private adapt(nowMs: number, perSecond: number): void {
    if (nowMs - this.changedAtMs < SECOND_MS) return;
    const changed = perSecond * (this.wasThrottled ? SLOWED : GROWTH);
    const slowest = this.published === undefined ? SLOWEST_PER_SECOND : this.published * SLOWEST_SHARE;
    this.perSecond = Math.min(Math.max(changed, slowest), this.published ?? Number.POSITIVE_INFINITY);
    this.wasThrottled = false;
    this.changedAtMs = nowMs;
  }
}

/** For how long a call counts as throttled after AWS has refused it. */
const RECENT_MS = 5_000;

/** What AWS throttles at the moment, for whoever waits for the answer. */
export class Throttling {
  private readonly throttledAtMs = new Map<string, number>();
  private readonly listeners: (() => void)[] = [];

  constructor(private readonly nowMs: () => number) {}

  /** The actions of calls that AWS throttled in the last seconds. */
  get actions(): readonly string[] {
    const sinceMs = this.nowMs() - RECENT_MS;
    return [...this.throttledAtMs].flatMap(([action, atMs]) => (atMs >= sinceMs ? [action] : []));
  }

  /** Calls the listener whenever AWS throttles a call. */
  listen(listener: () => void): void {
    this.listeners.push(listener);
  }

  add(action: string): void {
    this.throttledAtMs.set(action, this.nowMs());
    for (const listener of this.listeners) listener();
  }
}

/** Makes calls as fast as AWS allows, and remembers for each limit how fast that is. */
export class CallPaces {
  private readonly paces = new Map<string, Pace>();
  readonly throttling: Throttling;

  constructor(private readonly clock: RetryClock) {
    this.throttling = new Throttling(clock.nowMs);
  }

  /** Makes one attempt of a call, when it is its turn. */
  async paced<T>(action: string, attempt: () => Promise<T>): Promise<T> {
    const pace = this.of(action);
    await pace.turn();
    try {
      const answer = await attempt();
      pace.succeeded();
      return answer;
    } catch (error) {
      if (error instanceof Error && isThrottlingError(error as SdkError)) {
        pace.throttled();
        this.throttling.add(action);
      }
      throw error;
    }
  }

  private of(action: string): Pace {
    const [, group = '', perSecond] = PUBLISHED.find(([pattern]) => pattern.test(action)) ?? [];
    const name = group || action;
    const pace = this.paces.get(name) ?? new Pace(this.clock, perSecond);
    this.paces.set(name, pace);
    return pace;
  }
}
