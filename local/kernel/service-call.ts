import { AwsError } from './aws-error';
import { afterLatency, type Latency } from './caller';
import type { Scheduler } from './timeline';

/** What becomes of a call. One of the two happens, once. */
export interface Answered {
  answered(value: unknown): void;
  refused(error: AwsError): void;
}

/**
 * The way one service calls another: `answered` or `refused` is called when the answer is there, which is at once unless
 * the service takes its time or a fault has made it slow.
 *
 * @param call calls the service, with `latency` in the caller; what it throws, or rejects with, and is no error of AWS's,
 * is thrown on
 */
export function callService(
  timeline: Pick<Scheduler, 'after' | 'whenSettled'>,
  call: (latency: Latency) => unknown,
  { answered, refused }: Answered,
): void {
  const latency: Latency = { ms: 0 };
  const refuse = (error: unknown): void => {
    if (!(error instanceof AwsError)) throw error;
    afterLatency(timeline, latency, () => refused(error));
  };
  let answer: unknown;
  try {
    answer = call(latency);
  } catch (error) {
    refuse(error);
    return;
  }
  if (!(answer instanceof Promise)) {
    afterLatency(timeline, latency, () => answered(answer));
    return;
  }
  timeline.whenSettled(answer, result => {
    if (result.status === 'rejected') refuse(result.reason);
    else afterLatency(timeline, latency, () => answered(result.value));
  });
}

const THROTTLING = /Throttl|TooManyRequests|RequestLimitExceeded|OverLimit/;

/** Whether a service asks its caller to come back later. */
export function isThrottling({ code, httpStatus }: AwsError): boolean {
  return httpStatus === 429 || THROTTLING.test(code);
}

/** Whether the same call may go well later: the service was out of order, or throttled. What nobody implements never will. */
export function isTransient(error: AwsError): boolean {
  return isThrottling(error) || (error.fault === 'server' && error.code !== 'NotImplemented');
}

/** An invocation that Lambda queues and answers at once. */
export interface EventInvocation {
  /** The ARN of a function, a version or an alias. */
  readonly FunctionName: string;
  readonly InvocationType: 'Event';
  /** A JSON document. */
  readonly Payload: string;
}
