import type { Task } from '../../kernel/timeline';
import type { Threads } from '../environment/concurrency';
import { isFifo, type MappingConfiguration, type ProvisionedPollers } from './mapping-configuration';

/**
 * How long a mapping receives nothing after its function had no concurrency for a batch: a second, and twice as long each
 * time in a row, up to a minute. AWS says that it backs off, and not how: our choice. What it receives afterwards uses up a
 * receive count, so that a function that is throttled for long sends healthy messages to the dead-letter queue.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-scaling.html
 */
const FIRST_THROTTLED_PAUSE_MS = 1000;
const LONGEST_THROTTLED_PAUSE_MS = 60_000;

const MINUTE_MS = 60_000;

/** How many batches a mapping may have in its function, and how it slows down: it decides, and the poller acts. */
export class BatchConcurrency {
  private batches = 0;
  private throttles = 0;
  private busySinceMs: number | undefined;

  constructor(
    private readonly configuration: Pick<
      MappingConfiguration,
      'queueArn' | 'maximumConcurrency' | 'provisionedPollers'
    >,
    /** Batches of the mapping that set off before it was changed, and are still in the function. */
    private readonly before: () => number,
  ) {}

  /** Batches that are in the function, or about to be. */
  get running(): number {
    return this.batches;
  }

  /** A batch sets off. */
  begin(nowMs: number): void {
    this.batches += 1;
    this.busySinceMs ??= nowMs;
  }

  /** A batch has come back, whatever became of it. */
  end(): void {
    this.batches -= 1;
  }

  /** The queue is empty. */
  queueEmpty(): void {
    if (this.batches === 0) this.busySinceMs = undefined;
  }

  /** The function has run. */
  functionRan(): void {
    this.throttles = 0;
  }

  /** The function did not run. @returns how long to receive nothing, in milliseconds */
  pauseAfterFailureMs(): number {
    const pauseMs = Math.min(FIRST_THROTTLED_PAUSE_MS * 2 ** this.throttles, LONGEST_THROTTLED_PAUSE_MS);
    this.throttles += 1;
    return pauseMs;
  }

  /** Whether there is room for another batch. */
  hasRoom(nowMs: number): boolean {
    return this.batches + this.before() < this.limit(this.busyMs(nowMs));
  }

  /** In how many milliseconds scaling allows more batches; undefined when it does not, however long one waits. */
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

/** Batches a mapping begins with. */
const FIRST_CONCURRENCY = 5;
/** Batches more each minute while messages wait. */
const MORE_PER_MINUTE = 300;
/** The most a mapping without `MaximumConcurrency` reaches. */
export const MOST_CONCURRENT_BATCHES = 1000;

/**
 * How many batches a mapping of a standard queue may have in the function at once, `busyMs` after messages began to wait.
 * Of a FIFO queue it is as many as there are groups of messages, which the queue itself sees to.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-scaling.html
 */
export function concurrentBatches(busyMs: number, maximumConcurrency = MOST_CONCURRENT_BATCHES): number {
  const minutes = Math.floor(busyMs / 60_000);
  return Math.min(FIRST_CONCURRENCY + minutes * MORE_PER_MINUTE, maximumConcurrency);
}

/** Batches one provisioned event poller has in the function. */
const BATCHES_OF_A_POLLER = 10;
/** Batches more each minute with provisioned event pollers. */
const PROVISIONED_MORE_PER_MINUTE = 1000;

/**
 * The same with provisioned event pollers, of which the least are always there. That each takes no more than 1 MB a second is
 * not part of it.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-scaling.html
 */
export function provisionedBatches(busyMs: number, { minimum, maximum }: ProvisionedPollers): number {
  const minutes = Math.floor(busyMs / 60_000);
  const batches = minimum * BATCHES_OF_A_POLLER + minutes * PROVISIONED_MORE_PER_MINUTE;
  return Math.min(batches, maximum * BATCHES_OF_A_POLLER);
}

/**
 * Sees to it that a mapping receives no more than this machine has threads for, and that several mappings get their turns:
 * where there are fewer threads than batches, messages wait in their queues.
 */
export class ThreadShare {
  private starting = 0;
  private isWaiting = false;
  private isCalled = false;

  /**
   * @param onTurn called when there is a thread for another batch
   * @param onShortage called when there is none
   */
  constructor(
    private readonly threads: Threads,
    private readonly onTurn: () => void,
    private readonly onShortage: () => void,
  ) {}

  /** Whether another batch may be received; if not, it gets in line. */
  mayReceive(): boolean {
    const isShort = this.starting >= this.threads.free;
    const isNext = this.isCalled || !this.threads.isAwaited;
    if (isNext && !isShort) return true;
    if (isShort) this.onShortage();
    this.waitForTurn();
    return false;
  }

  /** A batch is about to need a thread. */
  expect(): void {
    this.isCalled = false;
    this.starting += 1;
  }

  /** Has due work do `start`, which takes a thread, at once or as soon as there is one. */
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
      this.isCalled = true;
      this.onTurn();
      this.isCalled = false;
    });
  }
}
