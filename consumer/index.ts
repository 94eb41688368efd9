import { type Heartbeat, heartbeats } from './heartbeat';
import type { Clock, HeartbeatOptions } from './heartbeat-options';

export { type Heartbeat, LeaseLostError, type LeaseLostReason } from './heartbeat';
export type { Clock, HeartbeatOptions, VisibilityClient } from './heartbeat-options';

const machine: Clock = {
  get nowMs() {
    return Date.now();
  },
  after: (milliseconds, then) => {
    const timeout = setTimeout(then, milliseconds).unref();
    return { cancel: () => clearTimeout(timeout) };
  },
};

const real = heartbeats(machine);

/**
 * Keeps a message hidden from other consumers while it is processed. It does so for up to 43,195 seconds: SQS hides a message for
 * at most 12 hours from the receive on. A failed extension is tried again for as long as the message is still hidden.
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
 * @throws RangeError that names each invalid option, the rule and the value
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-visibility-timeout.html
 */
export function startHeartbeat(options: HeartbeatOptions): Heartbeat {
  return real.startHeartbeat(options);
}

/**
 * Runs `work` with a heartbeat that stops when the work ends.
 *
 * @param work gets the signal that is aborted when this consumer loses the message
 * @returns the result of `work`; rejects if `work` does
 * @throws RangeError that names each invalid option, the rule and the value
 */
export function withHeartbeat<Result>(
  options: HeartbeatOptions,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  return real.withHeartbeat(options, work);
}
