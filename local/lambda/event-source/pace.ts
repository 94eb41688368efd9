import { isFifo, type MappingConfiguration } from './mapping-configuration';
import { concurrentBatches, MOST_CONCURRENT_BATCHES, provisionedBatches } from './scaling';

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
