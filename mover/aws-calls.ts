import type { Wait } from './clock';

/** What kept AWS from doing what it was asked. */
export interface AwsFailure {
  readonly outcome: 'permissions-missing' | 'throttled' | 'unavailable' | 'refused';
  /** AWS's, or Node's where there was no answer. */
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

/** What kind of refusal an error code of AWS is, or a text that has one. */
export function failureKindOf(code: string): AwsFailure['outcome'] {
  const [, kind = 'refused'] = KINDS.find(([pattern]) => pattern.test(code)) ?? [];
  return kind;
}

/** What the SDK's clients throw: each error of theirs tells of its request, one that had no answer as well. */
interface SdkError extends Error {
  readonly $metadata: object;
  readonly $fault?: 'client' | 'server';
}

function isSdkError(thrown: unknown): thrown is SdkError {
  return thrown instanceof Error && '$metadata' in thrown;
}

/**
 * @param asked AWS's name of the action
 * @returns undefined for what AWS has no part in: a mistake of ours must show as what it is
 */
export function awsFailureOf(thrown: unknown, asked: string): AwsFailure | undefined {
  if (!isSdkError(thrown)) return undefined;
  const { name, message, $fault } = thrown;
  const kind = failureKindOf(name);
  const outcome = kind === 'refused' && $fault !== 'client' ? 'unavailable' : kind;
  return { outcome, code: name, reason: `${asked}: ${name}: ${message}` };
}

/** Whether AWS says of something that there is none. */
export function isNotFound(thrown: unknown): boolean {
  return isSdkError(thrown) && /NotFound|NonExistent|DoesNotExist/.test(thrown.name);
}

/** Reads what AWS may refuse to tell, and remembers what it did. */
export class TolerantReader {
  private readonly failures: AwsFailure[] = [];
  private readonly failedActions = new Set<string>();

  /** What could not be read, in AWS's words. */
  get unread(): readonly string[] {
    return this.failures.map(({ reason }) => reason);
  }

  /** @param asked AWS's name of the action */
  hasFailed(asked: string): boolean {
    return this.failedActions.has(asked);
  }

  /** @param otherwise what is taken for read where AWS refuses: whatever speaks least for going on */
  async readOr<T>(asked: string, read: () => Promise<T>, otherwise: T): Promise<T> {
    try {
      return await read();
    } catch (error) {
      const refusal = awsFailureOf(error, asked);
      if (!refusal) throw error;
      this.failures.push(refusal);
      this.failedActions.add(asked);
      return otherwise;
    }
  }
}

/** Our choice: how often a call is made that fails for a reason that may pass. */
export const MAX_CALLS = 4;

/** Our choice: what is waited after the first of them, and twice as long after each that follows. */
const FIRST_BACKOFF_MS = 500;

/** What is waited after an attempt failed. @param attempt the first is 1 */
export function backoffMs(attempt: number): number {
  return FIRST_BACKOFF_MS * 2 ** (attempt - 1);
}

/** Whether AWS may answer otherwise in a moment. */
export function isTransient(thrown: unknown): boolean {
  const outcome = awsFailureOf(thrown, '')?.outcome;
  return outcome === 'throttled' || outcome === 'unavailable';
}

/** Whether AWS has answered at all: if it has not, nobody knows whether it did what it was asked. */
export function hasResponse(thrown: unknown): boolean {
  const { $metadata } = Object(thrown) as { readonly $metadata?: { readonly httpStatusCode?: number } };
  return $metadata?.httpStatusCode !== undefined;
}

/** Makes a call that does no harm twice, until it comes about. @throws what the last of them failed with */
export async function retryTransient<Answer>(wait: Wait, call: () => Promise<Answer>): Promise<Answer> {
  for (let calls = 1; ; calls += 1) {
    try {
      return await call();
    } catch (error) {
      if (calls === MAX_CALLS || !isTransient(error)) throw error;
      await wait(backoffMs(calls));
    }
  }
}

const CONNECTION_TIMEOUT_MS = 3_000;

/** Beside the second a long poll of the dead-letter queue waits. */
const REQUEST_TIMEOUT_MS = 8_000;

/**
 * How clients ask whose calls a stint makes. None is made twice but by the stint itself: an attempt has its turn by the pace,
 * and one without an answer may have moved its messages, which counts.
 */
export const MOVE_CLIENT_CONFIG = {
  maxAttempts: 1,
  requestHandler: {
    connectionTimeout: CONNECTION_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    throwOnRequestTimeout: true,
  },
} as const;
