import { formatProblem, type Problem } from '../policy/problem';

/**
 * `invalid`: the input breaks a rule, which the message names. `not-found`: the fleet has no such endpoint or message. `conflict`:
 * another writer changed the endpoint first. `throttled`: AWS refused the call, also after retries: repeat it later.
 */
export type FleetErrorCode = 'invalid' | 'not-found' | 'conflict' | 'throttled';

/** What a fleet refuses. An error of AWS that is none of these, such as a missing permission, is thrown as it is. */
export class FleetError extends Error {
  override readonly name = 'FleetError';

  constructor(
    readonly code: FleetErrorCode,
    message: string,
    options?: { readonly cause?: unknown },
  ) {
    super(message, options);
  }
}

/** The error for input that breaks rules. It names all of them. */
export function invalid(...problems: readonly Problem[]): FleetError {
  return new FleetError('invalid', problems.map(formatProblem).join('; '));
}

const THROTTLES = /Throttl|ThroughputExceeded|RequestLimitExceeded|TooManyRequests/;

/** Whether AWS refused a call for now. */
function isThrottle(thrown: unknown): boolean {
  return THROTTLES.test(errorName(thrown)) || reasonsOf(thrown).some(({ Code = '' }) => THROTTLES.test(Code));
}

/** Whether the condition of a write was false, or another transaction was under way. */
export function isConflict(thrown: unknown): boolean {
  const isOf = (name: string) => name === 'ConditionalCheckFailed' || name === 'TransactionConflict';
  const name = errorName(thrown).replace(/Exception$/, '');
  return isOf(name) || reasonsOf(thrown).some(({ Code = '' }) => isOf(Code));
}

function errorName(thrown: unknown): string {
  return thrown instanceof Error ? thrown.name : '';
}

/** Why a transaction was cancelled, for each of its writes. */
function reasonsOf(thrown: unknown): readonly { readonly Code?: string }[] {
  const { CancellationReasons = [] } = Object(thrown) as { CancellationReasons?: readonly { Code?: string }[] };
  return CancellationReasons;
}

/** Runs a call of the client; a throttle of AWS becomes a `FleetError`. */
export async function withFleetErrors<Answer>(call: () => Promise<Answer>): Promise<Answer> {
  try {
    return await call();
  } catch (error) {
    if (!isThrottle(error)) throw error;
    throw new FleetError('throttled', `AWS refuses requests for now: ${String(error)}`, { cause: error });
  }
}
