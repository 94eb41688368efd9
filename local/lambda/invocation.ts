import type { InterruptedRun } from './environment/interruptions';
import type { FunctionError } from './world/protocol';

/** One run of a handler. */
export interface Invocation {
  readonly requestId: string;
  readonly trigger: 'Event' | 'RequestResponse' | 'EventSourceMapping';
  /** The event, a JSON document. */
  readonly payload: string;
  /** `X-Amzn-Trace-Id`, which the function sees and hands on. */
  readonly traceHeader: string;
  /** 1 for the first attempt; the retries of an event have the same request id. */
  readonly attempt: number;
  /** What a caller who waits tells the handler beside the event: JSON. */
  readonly clientContext?: string;
  /** Gets each line that the run leaves in the log. */
  readonly onLog?: (line: string) => void;
}

/** An invocation on its way into an execution environment. */
export interface PlacedInvocation extends Invocation {
  /** Whether it ends before it is done. */
  readonly interruption?: InterruptedRun | undefined;
  /** The ARN it was invoked by, with its version or alias. */
  readonly functionArn: string;
}

/** What became of a run. */
export type Outcome =
  | { readonly kind: 'success'; readonly payload: string; readonly durationMs: number }
  | { readonly kind: 'error'; readonly error: FunctionError; readonly durationMs: number }
  | {
      readonly kind: 'timeout';
      readonly error: FunctionError;
      readonly durationMs: number;
      /** Code that computes takes no virtual time: the watchdog, by the wall clock, found that it never comes to rest. */
      readonly decidedBy?: 'watchdog';
    };

/** `3.00 seconds`, as Lambda writes how long a function had. */
function seconds(timeoutSeconds: number): string {
  return `${timeoutSeconds.toFixed(2)} seconds`;
}

/** The line a timeout leaves in the log. */
export function timeoutText(timeoutSeconds: number): string {
  return `Task timed out after ${seconds(timeoutSeconds)}`;
}

export function timeoutError(requestId: string, timeoutSeconds: number): FunctionError {
  return {
    errorType: 'Sandbox.Timedout',
    errorMessage: `RequestId: ${requestId} Error: ${timeoutText(timeoutSeconds)}`,
  };
}

/** Signals by the exit status a shell gives them. */
const SIGNALS: Readonly<Record<number, string>> = { 134: 'signal: aborted', 137: 'signal: killed' };

/** The error of a process that ended before it answered. */
export function exitError(requestId: string, exitStatus: number): FunctionError {
  const how = SIGNALS[exitStatus] ?? `exit status ${exitStatus}`;
  const text = exitStatus === 0 ? 'Runtime exited without providing a reason' : `Runtime exited with error: ${how}`;
  return { errorType: 'Runtime.ExitError', errorMessage: `RequestId: ${requestId} Error: ${text}` };
}

/** Bytes an answer may have: 6 MB and 100 bytes, as the text of the error says. */
const MOST_ANSWER_BYTES = 6_291_556;

/** The error of a handler whose answer is too large; undefined for any other. */
export function answerTooLarge(payload: string): FunctionError | undefined {
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
