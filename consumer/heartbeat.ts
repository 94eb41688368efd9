import type { Clock } from './clock';
import { checkHeartbeat, type HeartbeatOptions } from './heartbeat-options';
import { finalReason, LeaseLostError } from './lease-lost';

/** Keeps a message from other consumers until it is stopped, or cannot any more. */
export interface Heartbeat {
  /**
   * Aborted, with a `LeaseLostError` as its reason, when the message is no longer this consumer's: a second before another
   * consumer may get it, or when SQS says that it is gone.
   */
  readonly signal: AbortSignal;

  /**
   * Ends it. The message stays hidden for what is left of its visibility timeout: delete it, or make it visible at once by
   * a timeout of 0. Never rejects, and may be called more than once.
   *
   * @returns once no extension is under way, which could hide a message that was just made visible; when the visibility
   * timeout ends at the latest
   */
  stop(): Promise<void>;
}

/**
 * Counted from the receive, and extended no further: SQS refuses what goes beyond 43,200 seconds, and counts from a moment
 * that is earlier than ours. The 5 seconds are our choice.
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-visibility-timeout.html
 */
const MAX_LEASE_MS = 43_195_000;

/** Our choice: time for the work to stop before somebody else begins. */
const STOP_BEFORE_END_MS = 1_000;

/** Our choice: a failed extension is tried again after this part of the visibility timeout. */
const RETRIES_PER_VISIBILITY = 10;

class RunningHeartbeat implements Heartbeat {
  private readonly lease = new AbortController();
  private readonly visibilityMs: number;
  private readonly intervalMs: number;
  /** Beyond this nothing is extended. */
  private lastMs: number;
  private leaseEndsAtMs: number;
  private lastError: unknown;
  private stopped = false;
  private cancelBeat = () => {};
  private cancelEnd = () => {};
  private underWay: Promise<void> = Promise.resolve();
  private readonly ended: Promise<void>;
  private markEnd = () => {};

  constructor(
    private readonly options: HeartbeatOptions,
    private readonly clock: Clock,
  ) {
    const { visibilitySeconds, intervalSeconds = visibilitySeconds / 2, receivedAtMs = clock.nowMs() } = options;
    this.visibilityMs = visibilitySeconds * 1_000;
    this.intervalMs = intervalSeconds * 1_000;
    this.lastMs = receivedAtMs + MAX_LEASE_MS;
    this.leaseEndsAtMs = this.endOf(receivedAtMs);
    this.ended = new Promise(resolve => {
      this.markEnd = resolve;
    });
    this.awaitEnd();
    this.beatAt(receivedAtMs + this.intervalMs);
  }

  get signal(): AbortSignal {
    return this.lease.signal;
  }

  async stop(): Promise<void> {
    this.stopped = true;
    this.cancelBeat();
    await Promise.race([this.underWay, this.ended]);
    this.cancelEnd();
  }

  /** Until when a message is hidden that was received or extended at `atMs`. */
  private endOf(atMs: number): number {
    return Math.min(atMs + this.visibilityMs, this.lastMs);
  }

  private get isOver(): boolean {
    return this.stopped || this.signal.aborted;
  }

  private beatAt(atMs: number): void {
    const beat = () => {
      this.underWay = this.extend();
    };
    this.cancelBeat = this.clock.after(Math.max(0, atMs - this.clock.nowMs()), beat);
  }

  private awaitEnd(): void {
    this.cancelEnd();
    const leftMs = this.leaseEndsAtMs - STOP_BEFORE_END_MS - this.clock.nowMs();
    this.cancelEnd = this.clock.after(Math.max(0, leftMs), () => {
      this.lose(new LeaseLostError(this.leaseEndsAtMs < this.lastMs ? 'expired' : 'limit', this.lastError));
    });
  }

  private lose(reason: LeaseLostError): void {
    this.cancelBeat();
    this.cancelEnd();
    if (!this.stopped) this.lease.abort(reason);
    this.markEnd();
  }

  /** Never rejects. */
  private async extend(): Promise<void> {
    const atMs = this.clock.nowMs();
    const seconds = Math.floor((this.endOf(atMs) - atMs) / 1_000);
    if (atMs + seconds * 1_000 <= this.leaseEndsAtMs) return;
    const { client, queueUrl: QueueUrl, receiptHandle: ReceiptHandle } = this.options;
    try {
      await client.changeMessageVisibility({ QueueUrl, ReceiptHandle, VisibilityTimeout: seconds });
      if (!this.isOver) this.extended(atMs, seconds);
    } catch (error) {
      if (!this.isOver) this.failed(error);
    }
  }

  private extended(atMs: number, seconds: number): void {
    this.lastError = undefined;
    this.leaseEndsAtMs = atMs + seconds * 1_000;
    if (this.leaseEndsAtMs < atMs + this.visibilityMs) this.lastMs = this.leaseEndsAtMs;
    this.awaitEnd();
    this.beatAt(atMs + this.intervalMs);
  }

  private failed(error: unknown): void {
    this.lastError = error;
    const reason = finalReason(error);
    if (reason === 'gone') this.lose(new LeaseLostError(reason, error));
    else if (reason === 'limit') this.lastMs = this.leaseEndsAtMs;
    else this.beatAt(this.clock.nowMs() + this.visibilityMs / RETRIES_PER_VISIBILITY);
  }
}

/** What the functions of this package do, by whatever clock. */
export function heartbeats(clock: Clock) {
  const startHeartbeat = (options: HeartbeatOptions): Heartbeat => {
    checkHeartbeat(options);
    return new RunningHeartbeat(options, clock);
  };
  const withHeartbeat = async <Result>(
    options: HeartbeatOptions,
    work: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> => {
    const heartbeat = startHeartbeat(options);
    try {
      return await work(heartbeat.signal);
    } finally {
      await heartbeat.stop();
    }
  };
  return { startHeartbeat, withHeartbeat };
}
