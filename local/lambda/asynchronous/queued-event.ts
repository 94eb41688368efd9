import type { AwsError } from '../../kernel/aws-error';
import { recursiveInvocation } from '../errors';
import type { FunctionTarget } from '../function/deployed-function';
import type { FunctionError } from '../world/protocol';

/** An event in Lambda's own queue. */
export interface QueuedEvent {
  /** What is to process it. */
  readonly target: FunctionTarget;
  readonly requestId: string;
  /** A JSON document, exactly as the caller sent it. */
  readonly payload: string;
  /** `X-Amzn-Trace-Id` of every attempt, and of what Lambda sends in the end. */
  readonly traceHeader: string;
  readonly queuedAtMs: number;
  /** Attempts the function has failed at. */
  failures: number;
  /** Throttles and system errors since the last attempt. */
  requeues: number;
  /** The version that ran last. */
  executedVersion?: string;
  /** What the last attempt met with. */
  lastError?: LastError;
}

export interface LastError {
  /**
   * What `ErrorCode` says: 200 when the function ran and failed, 429 when it was throttled, 400 in a loop, 404 when it is
   * gone, 500 and more when Lambda itself failed.
   */
  readonly statusCode: number;
  readonly error: FunctionError;
}

export const THROTTLED: LastError = {
  statusCode: 429,
  error: { errorType: 'TooManyRequestsException', errorMessage: 'Rate Exceeded.' },
};

/** AWS says that such an event is dead-lettered, and not with which code: ours is that of the exception callers get. */
export const STOPPED_LOOP: LastError = { statusCode: 400, error: asFunctionError(recursiveInvocation()) };

/** Lambda did not run the function: it could not, or the version or alias the event was for is gone. */
export function notRun(error: AwsError): LastError {
  return { statusCode: error.httpStatus, error: asFunctionError(error) };
}

function asFunctionError({ code, message }: AwsError): FunctionError {
  return { errorType: code, errorMessage: message };
}

/** The SNS messages an event carries, in order. */
export function snsMessageIds(event: unknown): readonly string[] {
  const records = member(event, 'Records');
  if (!Array.isArray(records)) return [];
  return records.map(record => member(member(record, 'Sns'), 'MessageId')).filter(id => typeof id === 'string');
}

function member(holder: unknown, name: string): unknown {
  return typeof holder === 'object' && holder !== null ? Reflect.get(holder, name) : undefined;
}
