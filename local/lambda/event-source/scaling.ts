/** Batches a mapping begins with. */
const FIRST_CONCURRENCY = 5;
/** Batches more each minute while messages wait. */
const MORE_PER_MINUTE = 300;
/** The most a mapping without `MaximumConcurrency` reaches. */
const MOST = 1000;

/**
 * How many batches a mapping of a standard queue may have in the function at once, `busyMs` after messages began to wait.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-scaling.html
 */
export function concurrentBatches(busyMs: number, maximumConcurrency = MOST): number {
  const minutes = Math.floor(busyMs / 60_000);
  return Math.min(FIRST_CONCURRENCY + minutes * MORE_PER_MINUTE, maximumConcurrency);
}
