import type { InterruptedRun } from './environment/interruptions';
import type { FunctionError } from './environment/protocol';

export interface Invocation {
  readonly requestId: string;
  readonly trigger: 'Event' | 'RequestResponse' | 'EventSourceMapping';
  /** The event, a JSON document. */
  readonly payload: string;
  /** The `X-Amzn-Trace-Id` that the function receives and passes on. */
  readonly traceHeader: string;
  /** Starts at 1. The retries of an event have the same request id. */
  readonly attempt: number;
  /** The `ClientContext` of a synchronous caller: a JSON document. */
  readonly clientContext?: string;
  readonly onLog?: (line: string) => void;
}

/** An invocation that has been assigned to an execution environment. */
export interface PlacedInvocation extends Invocation {
  /** The interruption that ends it early, if any. */
  readonly interruption?: InterruptedRun | undefined;
  /** The ARN that was invoked, with its version or alias. */
  readonly functionArn: string;
}

/** The result of a run. */
export type Outcome =
  | { readonly kind: 'success'; readonly payload: string; readonly durationMs: number }
  | { readonly kind: 'error'; readonly error: FunctionError; readonly durationMs: number }
  | {
      readonly kind: 'timeout';
      readonly error: FunctionError;
      readonly durationMs: number;
      /**
       * The watchdog ended an endless loop. Computing takes no virtual time, so the watchdog measures wall-clock time.
       */
      readonly decidedBy?: 'watchdog';
    };

/** Formats a timeout as Lambda does: `3.00 seconds`. */
function seconds(timeoutSeconds: number): string {
  return `${timeoutSeconds.toFixed(2)} seconds`;
}

export function timeoutText(timeoutSeconds: number): string {
  return `Task timed out after ${seconds(timeoutSeconds)}`;
}

export function timeoutError(requestId: string, timeoutSeconds: number): FunctionError {
  return {
    errorType: 'Sandbox.Timedout',
    errorMessage: `RequestId: ${requestId} Error: ${timeoutText(timeoutSeconds)}`,
  };
}

/** Signals by a process's exit status. */
const SIGNALS: Readonly<Record<number, string>> = { 134: 'signal: aborted', 137: 'signal: killed' };

/** The error of a process that exited before it responded. */
export function exitError(requestId: string, exitStatus: number): FunctionError {
  const how = SIGNALS[exitStatus] ?? `exit status ${exitStatus}`;
  const text = exitStatus === 0 ? 'Runtime exited without providing a reason' : `Runtime exited with error: ${how}`;
  return { errorType: 'Runtime.ExitError', errorMessage: `RequestId: ${requestId} Error: ${text}` };
}

/** The maximum response size: 6 MB and 100 bytes, as AWS's error message says. */
const MOST_ANSWER_BYTES = 6_291_556;

/** Returns the error of a response that is too large; undefined for any other response. */
function answerTooLarge(payload: string): FunctionError | undefined {
  if (payload.length <= MOST_ANSWER_BYTES && Buffer.byteLength(payload) <= MOST_ANSWER_BYTES) return undefined;
  const errorMessage = `Response payload size exceeded maximum allowed payload size (${MOST_ANSWER_BYTES} bytes).`;
  return { errorType: 'Function.ResponseSizeTooLarge', errorMessage };
}

export function outOfMemoryError(requestId: string): FunctionError {
  return {
    errorType: 'Runtime.OutOfMemory',
    errorMessage: `RequestId: ${requestId} Error: Runtime exited with error: signal: killed`,
  };
}

type DistributiveOmit<Union, Key extends PropertyKey> = Union extends unknown ? Omit<Union, Key> : never;

export type Settled = DistributiveOmit<Outcome, 'durationMs'>;

/** The outcome of a handler that has responded. */
export function answered(payload: string): Settled {
  const error = answerTooLarge(payload);
  return error ? { kind: 'error', error } : { kind: 'success', payload };
}
