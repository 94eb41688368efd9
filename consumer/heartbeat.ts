import { checkHeartbeat, type HeartbeatOptions } from './heartbeat-options';

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

/** Why a message is no longer this consumer's. */
export type LeaseLostReason = 'expired' | 'gone' | 'limit';

const MEANINGS: Readonly<Record<LeaseLostReason, string>> = {
  expired: 'its visibility timeout could not be extended in time, and another consumer may get it',
  gone: 'it is deleted, or its receipt handle works no more',
  limit: 'SQS hides a message for 12 hours at most, and another consumer may get it',
};

/** The reason of an aborted `Heartbeat.signal`. */
export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError';
  /**
   * `expired`: no extension came through in time; `cause` is the last error. `gone`: SQS says that there is nothing left to
   * extend. `limit`: the 12 hours are over.
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
 * What trying again cannot change. Anything else may pass.
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_ChangeMessageVisibility.html
 */
const FINAL_ERRORS: readonly FinalError[] = [
  { says: /Total VisibilityTimeout for the message is beyond the limit/, reason: 'limit' },
  { says: /does not exist or is not available for visibility timeout change/, reason: 'gone' },
  { says: /^(ReceiptHandleIsInvalid|MessageNotInflight|QueueDoesNotExist)\b|NonExistentQueue/, reason: 'gone' },
];

/** What an error of SQS says of the lease; undefined where it may pass. */
export function finalReason(error: unknown): 'gone' | 'limit' | undefined {
  const { name = '', message = '' } = error instanceof Error ? error : {};
  return FINAL_ERRORS.find(({ says }) => says.test(name) || says.test(message))?.reason;
}

/** What time it is, and when to act. */
export interface Clock {
  /** Milliseconds since 1970. */
  nowMs(): number;
  /** Calls `then` after a while, unless what it returns is called before. It keeps no process alive. */
  after(milliseconds: number, then: () => void): () => void;
}
