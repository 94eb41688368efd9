import { AwsError } from './aws-error';
import { afterLatency, type Latency } from './caller';
import type { Scheduler } from './timeline';

/** The result of a call. Exactly one of the two is called, once. */
interface Answered {
  answered(value: unknown): void;
  refused(error: AwsError): void;
}

/**
 * Calls one service from another. `answered` or `refused` is called when the answer has arrived: immediately, unless
 * the service is asynchronous or a fault makes it slow.
 *
 * @param call calls the service with `latency` in the caller. An error that is not an `AwsError` is rethrown.
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

/** Whether an error is throttling, so that the caller should retry later. */
export function isThrottling({ code, httpStatus }: AwsError): boolean {
  return httpStatus === 429 || THROTTLING.test(code);
}

/**
 * Whether the same call may succeed later: the service failed or throttled. An action that is not implemented never
 * succeeds.
 */
export function isTransient(error: AwsError): boolean {
  return isThrottling(error) || (error.fault === 'server' && error.code !== 'NotImplemented');
}

/** An asynchronous invocation: Lambda queues it and answers immediately. */
export interface EventInvocation {
  /** The ARN of a function, a version or an alias. */
  readonly FunctionName: string;
  readonly InvocationType: 'Event';
  /** A JSON document. */
  readonly Payload: string;
}
