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
