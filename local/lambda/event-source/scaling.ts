import { MINUTE_MS } from '../../../policy/time-units';
import type { Task } from '../../kernel/timeline';
import type { Threads } from '../environment/concurrency';
import { isFifo, type MappingConfiguration, type ProvisionedPollers } from './mapping-configuration';

/**
 * The backoff of a mapping whose function is throttled: it receives nothing for one second, doubled for each
 * consecutive throttle, up to a minute.
 *
 * **Assumption LAMBDA-11:** AWS documents that it backs off, but not the delays.
 *
 * Every receive counts, so a function that is throttled for long moves healthy messages to the dead-letter queue.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-scaling.html
 */
const FIRST_THROTTLED_PAUSE_MS = 1000;
const LONGEST_THROTTLED_PAUSE_MS = MINUTE_MS;

/** Decides how many batches a mapping may run at once, and how long it backs off. The poller acts on the decisions. */
export class BatchConcurrency {
  private batches = 0;
  private throttles = 0;
  private busySinceMs: number | undefined;

  constructor(
    private readonly configuration: Pick<
      MappingConfiguration,
      'queueArn' | 'maximumConcurrency' | 'provisionedPollers'
    >,
    /** Returns the running batches that the mapping started before it was changed. */
    private readonly runningBefore: () => number,
  ) {}

  get running(): number {
    return this.batches;
  }

  /** Counts a batch that starts. */
  begin(nowMs: number): void {
    this.batches += 1;
    this.busySinceMs ??= nowMs;
  }

  /** Counts a batch that has ended, with any outcome. */
  end(): void {
    this.batches -= 1;
  }

  /** Restarts scaling once no batch is running, because no messages wait. */
  queueEmpty(): void {
    if (this.batches === 0) this.busySinceMs = undefined;
  }

  /** Ends the backoff. */
  functionRan(): void {
    this.throttles = 0;
  }

  /** Called when the function did not run. @returns how long to receive nothing, in milliseconds */
  pauseAfterFailureMs(): number {
    const pauseMs = Math.min(FIRST_THROTTLED_PAUSE_MS * 2 ** this.throttles, LONGEST_THROTTLED_PAUSE_MS);
    this.throttles += 1;
    return pauseMs;
  }

  /** Whether another batch may start. */
  hasRoom(nowMs: number): boolean {
    return this.batches + this.runningBefore() < this.limit(this.busyMs(nowMs));
  }

  /** The time until scaling allows more batches, in milliseconds; undefined when scaling has reached its limit. */
  growsInMs(nowMs: number): number | undefined {
    const busyMs = this.busyMs(nowMs);
    if (this.limit(busyMs + MINUTE_MS) === this.limit(busyMs)) return undefined;
    return MINUTE_MS - (busyMs % MINUTE_MS);
  }

  private limit(busyMs: number): number {
    const { queueArn, provisionedPollers, maximumConcurrency = MOST_CONCURRENT_BATCHES } = this.configuration;
    if (provisionedPollers) return provisionedBatches(busyMs, provisionedPollers);
    return isFifo(queueArn) ? maximumConcurrency : concurrentBatches(busyMs, maximumConcurrency);
  }

  private busyMs(nowMs: number): number {
    return nowMs - (this.busySinceMs ?? nowMs);
  }
}

/** The number of batches with which a mapping starts. */
const FIRST_CONCURRENCY = 5;
/** The number of batches added each minute while messages wait. */
const MORE_PER_MINUTE = 300;
/** The maximum for a mapping without `MaximumConcurrency`. */
const MOST_CONCURRENT_BATCHES = 1000;

/**
 * Returns how many batches a mapping of a standard queue may run at once, `busyMs` after messages began to wait. (A
 * FIFO queue limits them to its message groups by itself.)
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-scaling.html
 */
export function concurrentBatches(busyMs: number, maximumConcurrency = MOST_CONCURRENT_BATCHES): number {
  const minutes = Math.floor(busyMs / MINUTE_MS);
  return Math.min(FIRST_CONCURRENCY + minutes * MORE_PER_MINUTE, maximumConcurrency);
}

/** The number of batches that one provisioned event poller runs at once. */
const BATCHES_OF_A_POLLER = 10;
/** The number of batches added each minute with provisioned event pollers. */
const PROVISIONED_MORE_PER_MINUTE = 1000;

/**
 * Returns the same for provisioned event pollers, whose minimum is always available. The limit of 1 MB per second and
 * poller is not simulated.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-scaling.html
 */
export function provisionedBatches(busyMs: number, { minimum, maximum }: ProvisionedPollers): number {
  const minutes = Math.floor(busyMs / MINUTE_MS);
  const batches = minimum * BATCHES_OF_A_POLLER + minutes * PROVISIONED_MORE_PER_MINUTE;
  return Math.min(batches, maximum * BATCHES_OF_A_POLLER);
}

/**
 * Shares this machine's threads between mappings, in turns. Where there are fewer threads than batches, messages wait
 * in their queues.
 */
export class ThreadShare {
  private starting = 0;
  private isWaiting = false;
  private hasTurn = false;

  /**
   * @param onTurn called when a thread is free for another batch
   * @param onShortage called when none is free
   */
  constructor(
    private readonly threads: Threads,
    private readonly onTurn: () => void,
    private readonly onShortage: () => void,
  ) {}

  /** Whether another batch may be received. If not, waits for a turn. */
  mayReceive(): boolean {
    const isShort = this.starting >= this.threads.free;
    const isNext = this.hasTurn || !this.threads.isAwaited;
    if (isNext && !isShort) return true;
    if (isShort) this.onShortage();
    this.waitForTurn();
    return false;
  }

  /** Reserves a thread for a batch that is received and will soon start. */
  reserve(): void {
    this.hasTurn = false;
    this.starting += 1;
  }

  /** Runs `start`, which takes a thread: at once, or as due work when a thread is free. */
  start(start: Task): void | Promise<void> {
    if (this.threads.free <= 0) {
      this.threads.whenFree(() => this.start(start));
      return undefined;
    }
    this.starting -= 1;
    return start();
  }

  private waitForTurn(): void {
    if (this.isWaiting) return;
    this.isWaiting = true;
    this.threads.whenFree(() => {
      this.isWaiting = false;
      this.hasTurn = true;
      this.onTurn();
      this.hasTurn = false;
    });
  }
}
