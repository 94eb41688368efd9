import { MINUTE_MS } from '../../policy/time-units';
import type { Wait } from './clock';

export interface AwsFailure {
  readonly outcome: 'permissions-missing' | 'throttled' | 'unavailable' | 'refused';
  /** The error's name: AWS's, or Node's if no response came. */
  readonly code: string;
  readonly reason: string;
}

const KINDS: readonly (readonly [RegExp, AwsFailure['outcome']])[] = [
  [
    /AccessDenied|AuthorizationError|NotAuthorized|UnrecognizedClient|InvalidClientTokenId|ExpiredToken/i,
    'permissions-missing',
  ],
  [/Throttl|TooManyRequests|LimitExceeded/i, 'throttled'],
];

/** The lowest HTTP status of an error on the side of AWS. */
const FIRST_SERVER_ERROR = 500;

export function failureKindOf(code: string): AwsFailure['outcome'] {
  const [, kind = 'refused'] = KINDS.find(([pattern]) => pattern.test(code)) ?? [];
  return kind;
}

/** An error thrown by an SDK client. It has `$metadata` even if no response came. */
interface SdkError extends Error {
  readonly $metadata: object;
  readonly $fault?: 'client' | 'server';
}

function isSdkError(thrown: unknown): thrown is SdkError {
  return thrown instanceof Error && '$metadata' in thrown;
}

/**
 * Classifies what an SDK client threw.
 * @param action AWS's name of the action that was called
 * @returns undefined for any other error: a bug in our own code must not look like an AWS failure
 */
export function awsFailureOf(thrown: unknown, action: string): AwsFailure | undefined {
  if (!isSdkError(thrown)) return undefined;
  const { name, message, $fault } = thrown;
  const kind = failureKindOf(name);
  const isOfServer = $fault !== 'client' || (statusOf(thrown) ?? 0) >= FIRST_SERVER_ERROR;
  const outcome = kind === 'refused' && isOfServer ? 'unavailable' : kind;
  return { outcome, code: name, reason: `${action}: ${name}: ${message}` };
}

/** Whether AWS answered that the resource does not exist. */
export function isNotFound(thrown: unknown): boolean {
  return isSdkError(thrown) && /NotFound|NonExistent|DoesNotExist/.test(thrown.name);
}

/** Runs AWS reads that may fail, and remembers which actions failed. */
export class TolerantReader {
  private readonly failures: AwsFailure[] = [];
  private readonly failedActions = new Set<string>();

  /** The reasons of the failed reads, in AWS's words. */
  get unread(): readonly string[] {
    return this.failures.map(({ reason }) => reason);
  }

  /** @param action AWS's name of the action */
  hasFailed(action: string): boolean {
    return this.failedActions.has(action);
  }

  /** @param fallback the value if the read fails: choose the one that makes continuing least likely */
  async readOr<T>(action: string, read: () => Promise<T>, fallback: T): Promise<T> {
    try {
      return await read();
    } catch (error) {
      const failure = awsFailureOf(error, action);
      if (!failure) throw error;
      this.failures.push(failure);
      this.failedActions.add(action);
      return fallback;
    }
  }
}

/** How often a call is made whose failure is transient. A caller gives up after about 4 seconds. */
export const MAX_CALLS = 4;

/** Wait after the first failed call. It doubles after each further one. */
const FIRST_BACKOFF_MS = 500;

/** Returns how long to wait after a failed attempt. @param attempt the first is 1 */
export function backoffMs(attempt: number): number {
  return FIRST_BACKOFF_MS * 2 ** (attempt - 1);
}

/** Whether the same call may succeed in a moment. */
export function isTransient(thrown: unknown): boolean {
  const outcome = awsFailureOf(thrown, '')?.outcome;
  return outcome === 'throttled' || outcome === 'unavailable';
}

/** The call did not leave this machine: there are no credentials, or no connection was made. */
const NEVER_SENT = /ProviderError\b|\b(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)\b/;

function statusOf(thrown: unknown): number | undefined {
  const { $metadata } = Object(thrown) as { readonly $metadata?: { readonly httpStatusCode?: number } };
  return $metadata?.httpStatusCode;
}

/**
 * Whether AWS certainly did not carry out a call that failed. Without a response, or after a server error, AWS may have carried it
 * out: a send that is repeated then can send a message twice.
 */
export function isCertainlyRefused(thrown: unknown): boolean {
  const { name = '', code = '' } = Object(thrown) as { readonly name?: string; readonly code?: string };
  if (NEVER_SENT.test(`${name} ${code}`)) return true;
  return statusOf(thrown) !== undefined && awsFailureOf(thrown, '')?.outcome !== 'unavailable';
}

/** Whether a send may be repeated: AWS may accept it in a moment, and certainly has not carried it out. */
export function isSendRepeated(thrown: unknown): boolean {
  return isTransient(thrown) && isCertainlyRefused(thrown);
}

/**
 * Makes a call until it succeeds or `MAX_CALLS` is reached.
 * @param isRepeated after which errors. @default - transient ones: the call is idempotent
 */
export async function retryTransient<Answer>(
  wait: Wait,
  call: () => Promise<Answer>,
  isRepeated = isTransient,
): Promise<Answer> {
  for (let calls = 1; ; calls += 1) {
    try {
      return await call();
    } catch (error) {
      if (calls === MAX_CALLS || !isRepeated(error)) throw error;
      await wait(backoffMs(calls));
    }
  }
}

/** More than a pass has invocations under way at once. */
const MAX_SOCKETS = 256;

/** A NAT gateway drops a connection that is idle for 350 seconds, and one that waits for a result is idle. */
const PROBE_IDLE_CONNECTION_MS = MINUTE_MS;

const CONNECTION_TIMEOUT_MS = 3_000;

/** Longer than the long poll of the dead-letter queue, which takes up to 5 seconds. */
const REQUEST_TIMEOUT_MS = 8_000;

/**
 * Configuration of the clients that a move pass uses. The SDK must not retry: the pass retries at its own pace, and counts a
 * call without a response as moved, because SQS may have carried it out.
 */
export const MOVE_CLIENT_CONFIG = {
  maxAttempts: 1,
  requestHandler: {
    connectionTimeout: CONNECTION_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    throwOnRequestTimeout: true,
  },
} as const;

const WAITING_AGENT = { keepAlive: true, keepAliveMsecs: PROBE_IDLE_CONNECTION_MS, maxSockets: MAX_SOCKETS };

/**
 * Configuration of the Lambda client that invokes functions and waits for their results. The SDK must not retry: a call without
 * a response may have invoked the function. Each call passes its own `requestTimeout`.
 * @see https://docs.aws.amazon.com/lambda/latest/dg/invocation-sync.html
 */
export const INVOKE_CLIENT_CONFIG = {
  ...MOVE_CLIENT_CONFIG,
  requestHandler: { ...MOVE_CLIENT_CONFIG.requestHandler, httpAgent: WAITING_AGENT, httpsAgent: WAITING_AGENT },
} as const;
