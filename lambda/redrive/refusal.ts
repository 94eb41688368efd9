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
