import type { ProvisionedPollers } from './mapping-configuration';

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
