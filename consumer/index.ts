import { type Clock, type Heartbeat, heartbeats } from './heartbeat';
import type { HeartbeatOptions } from './heartbeat-options';

export { type Heartbeat, LeaseLostError, type LeaseLostReason } from './heartbeat';
export type { HeartbeatOptions, VisibilityClient } from './heartbeat-options';

const clock: Clock = {
  nowMs: () => Date.now(),
  after: (milliseconds, then) => {
    const timeout = setTimeout(then, milliseconds).unref();
    return () => clearTimeout(timeout);
  },
};

const real = heartbeats(clock);

/**
 * Keeps a message hidden from other consumers while it is worked on, for 43,195 seconds in all: SQS allows 12 hours from the
 * receive on, however often the timeout is extended. An extension that fails is tried again for as long as the message is
 * still hidden.
 *
 * ```ts
 * const heartbeat = startHeartbeat({ client: new SQS(), queueUrl, receiptHandle, visibilitySeconds: 60 });
 * try {
 *   await work(message, heartbeat.signal);
 * } finally {
 *   await heartbeat.stop();
 * }
 * ```
 *
 * @throws RangeError that names each option at fault, the rule and the value
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-visibility-timeout.html
 */
export function startHeartbeat(options: HeartbeatOptions): Heartbeat {
  return real.startHeartbeat(options);
}

/**
 * Does `work` with a heartbeat, which ends when the work does.
 *
 * @param work gets the signal that says when the message is no longer this consumer's
 * @returns what `work` returned, or rejects as it did
 * @throws RangeError that names each option at fault, the rule and the value
 */
export function withHeartbeat<Result>(
  options: HeartbeatOptions,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  return real.withHeartbeat(options, work);
}
