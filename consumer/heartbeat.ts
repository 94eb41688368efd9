import { type Clock, checkHeartbeat, type HeartbeatOptions } from './heartbeat-options';

/** Keeps a message hidden from other consumers until it is stopped or the message is lost to this consumer. */
export interface Heartbeat {
  /**
   * Aborted when this consumer loses the message: a second before another consumer may get it, or when SQS says that it no longer
   * exists. The reason is a `LeaseLostError`.
   */
  readonly signal: AbortSignal;

  /**
   * Stops the heartbeat. The message stays hidden for the rest of its visibility timeout: delete it, or make it visible at once
   * with a timeout of 0. Never rejects, and may be called more than once.
   *
   * @returns when no extension is under way any more, at the latest when the visibility timeout ends: an extension could hide a
   * message that was just made visible
   */
  stop(): Promise<void>;
}

/**
 * Maximum from the receive on. SQS rejects an extension beyond 43,200 seconds, and it counts from an earlier moment than this
 * consumer can know: 5 seconds are left for the difference.
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-visibility-timeout.html
 */
const MAX_LEASE_MS = 43_195_000;

/** Time for the work to stop before another consumer gets the message. */
const STOP_BEFORE_END_MS = 1_000;

/** A failed extension is tried again after this fraction of the visibility timeout. */
const RETRIES_PER_VISIBILITY = 10;

type Timer = ReturnType<Clock['after']>;

class RunningHeartbeat implements Heartbeat {
  private readonly lease = new AbortController();
  private readonly visibilityMs: number;
  private readonly intervalMs: number;
  /** The message cannot be hidden beyond this time. */
  private lastMs: number;
  private leaseEndsAtMs: number;
  private lastError: unknown;
  private stopped = false;
  private beat: Timer | undefined;
  private end: Timer | undefined;
  private underWay: Promise<void> = Promise.resolve();
  private readonly ended: Promise<void>;
  private markEnd = () => {};

  constructor(
    private readonly options: HeartbeatOptions,
    private readonly clock: Clock,
  ) {
    const { visibilitySeconds, intervalSeconds = visibilitySeconds / 2, receivedAtMs = clock.nowMs } = options;
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
    this.beat?.cancel();
    await Promise.race([this.underWay, this.ended]);
    this.end?.cancel();
  }

  /** Returns until when a receive or an extension at `atMs` hides the message. */
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
    this.beat = this.clock.after(Math.max(0, atMs - this.clock.nowMs), beat);
  }

  private awaitEnd(): void {
    this.end?.cancel();
    const leftMs = this.leaseEndsAtMs - STOP_BEFORE_END_MS - this.clock.nowMs;
    this.end = this.clock.after(Math.max(0, leftMs), () => {
      this.lose(new LeaseLostError(this.leaseEndsAtMs < this.lastMs ? 'expired' : 'limit', this.lastError));
    });
  }

  private lose(reason: LeaseLostError): void {
    this.beat?.cancel();
    this.end?.cancel();
    if (!this.stopped) this.lease.abort(reason);
    this.markEnd();
  }

  /** Never rejects. */
  private async extend(): Promise<void> {
    const atMs = this.clock.nowMs;
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
    else this.beatAt(this.clock.nowMs + this.visibilityMs / RETRIES_PER_VISIBILITY);
  }
}

/** Creates the functions of this package. @param machine the clock of heartbeats without one of their own */
export function heartbeats(machine: Clock) {
  const startHeartbeat = (options: HeartbeatOptions): Heartbeat => {
    checkHeartbeat(options);
    return new RunningHeartbeat(options, options.clock ?? machine);
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

/** Why this consumer has lost a message. */
export type LeaseLostReason = 'expired' | 'gone' | 'limit';

const MEANINGS: Readonly<Record<LeaseLostReason, string>> = {
  expired: 'its visibility timeout could not be extended in time, and another consumer may get it',
  gone: 'it or its queue was deleted, or its receipt handle is no longer valid',
  limit: 'SQS hides a message for at most 12 hours, and another consumer may get it',
};

/** The reason of an aborted `Heartbeat.signal`. */
export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError';
  /**
   * `expired`: no extension succeeded in time; `cause` is the last error. `gone`: the message or the queue no longer exists, or
   * the receipt handle is no longer valid. `limit`: the 12 hours are over.
   */
  readonly reason: LeaseLostReason;

  constructor(reason: LeaseLostReason, cause?: unknown) {
    super(`The message is lost to this consumer: ${MEANINGS[reason]}.`, { cause });
    this.reason = reason;
  }
}

interface FinalError {
  readonly says: RegExp;
  readonly reason: 'gone' | 'limit';
}

/**
 * Errors that a retry cannot change. All others may be transient.
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_ChangeMessageVisibility.html
 */
const FINAL_ERRORS: readonly FinalError[] = [
  { says: /Total VisibilityTimeout for the message is beyond the limit/, reason: 'limit' },
  { says: /does not exist or is not available for visibility timeout change/, reason: 'gone' },
  { says: /^(ReceiptHandleIsInvalid|MessageNotInflight|QueueDoesNotExist)\b|NonExistentQueue/, reason: 'gone' },
];

/** Returns why an SQS error ends the lease; undefined if a retry may succeed. */
function finalReason(error: unknown): 'gone' | 'limit' | undefined {
  const { name = '', message = '' } = error instanceof Error ? error : {};
  return FINAL_ERRORS.find(({ says }) => says.test(name) || says.test(message))?.reason;
}
