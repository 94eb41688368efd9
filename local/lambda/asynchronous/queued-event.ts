import type { AwsError } from '../../kernel/aws-error';
import type { FunctionError } from '../environment/protocol';
import { recursiveInvocation } from '../errors';
import type { FunctionTarget } from '../function/deployed-function';

export interface QueuedEvent {
  /** The function, version or alias to invoke. */
  readonly target: FunctionTarget;
  readonly requestId: string;
  /** A JSON document, exactly as the caller sent it. */
  readonly payload: string;
  /** The `X-Amzn-Trace-Id` of every attempt and of everything Lambda sends for the event. */
  readonly traceHeader: string;
  readonly queuedAtMs: number;
  /** Attempts that ended in a function error. */
  failures: number;
  /** Throttles and system errors since the last attempt. */
  requeues: number;
  /** The version that ran last. */
  executedVersion?: string;
  lastError?: LastError;
}

export interface LastError {
  /**
   * The value of `ErrorCode`: 200 for a function error, 429 when throttled, 400 in a loop, 404 when the function does
   * not exist, 500 or more when Lambda itself failed.
   */
  readonly statusCode: number;
  readonly error: FunctionError;
}

export const THROTTLED: LastError = {
  statusCode: 429,
  error: { errorType: 'TooManyRequestsException', errorMessage: 'Rate Exceeded.' },
};

/**
 * **Assumption LAMBDA-6:** AWS documents that such an event is dead-lettered, but not its error code. This is the code
 * of the exception that synchronous callers receive.
 */
export const STOPPED_LOOP: LastError = { statusCode: 400, error: asFunctionError(recursiveInvocation()) };

/**
 * The error of an attempt in which Lambda did not run the function: it could not, or the version or alias has been
 * deleted.
 */
export function notRun(error: AwsError): LastError {
  return { statusCode: error.httpStatus, error: asFunctionError(error) };
}

function asFunctionError({ code, message }: AwsError): FunctionError {
  return { errorType: code, errorMessage: message };
}

export function snsMessageIds(event: unknown): readonly string[] {
  const records = member(event, 'Records');
  if (!Array.isArray(records)) return [];
  return records.map(record => member(member(record, 'Sns'), 'MessageId')).filter(id => typeof id === 'string');
}

function member(holder: unknown, name: string): unknown {
  return typeof holder === 'object' && holder !== null ? Reflect.get(holder, name) : undefined;
}
