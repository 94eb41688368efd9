import { isClockSkewCorrectedError, isClockSkewError, isTransientError } from '@smithy/core/retry';
import type { RetryErrorInfo, RetryStrategyV2, RetryToken, SdkError } from '@smithy/types';

/** The time that retries go by. A test brings its own, which does not wait. */
export interface RetryClock {
  readonly nowMs: () => number;
  readonly wait: (milliseconds: number) => Promise<void>;
  /** From 0 to 1. */
  readonly random: () => number;
  /** Receives the time in each answer of AWS. @default - it is ignored */
  readonly answered?: (serverMs: number) => void;
}

/** How long a call is repeated that AWS throttles, or that fails on the side of AWS. */
export const RETRIED_FOR_MS = 30_000;

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;

/** While nothing has ever answered, the endpoint is probably wrong, and the user should know soon. */
const UNANSWERED_ATTEMPTS = 3;

/** The SDK adds this to the message when it cannot parse a response: a page of another server, or of one that lacks the operation. */
export const UNREADABLE = 'Deserialization error';

/** A host name without an address: the service has no endpoint in this Region, or the machine is offline. */
const NO_HOST = 'ENOTFOUND';

/** A status of operations that the endpoint does not have. */
const NOT_IMPLEMENTED = 501;

class Attempts implements RetryToken {
  constructor(
    readonly failed: number,
    readonly firstFailedAtMs: number | undefined,
  ) {}

  getRetryCount(): number {
    return this.failed;
  }

  /** The pause has passed when the token is handed out. */
  getRetryDelay(): number {
    return 0;
  }
}

/**
 * Whether only the clocks make the SDK repeat the call. While they differ by more than four minutes, it marks every error, and each time
 * again: its estimate of the difference changes by a millisecond.
 */
function isAboutClocks(error: SdkError): boolean {
  if (!isClockSkewCorrectedError(error)) return false;
  const $metadata = { ...error.$metadata, clockSkewCorrected: false };
  return !isTransientError(Object.assign(new Error(), error, { name: error.name, message: error.message, $metadata }));
}

/** @param failed how many attempts have failed */
function isRetried({ error, errorType }: RetryErrorInfo, failed: number): boolean {
  // The SDK signs the second attempt with the right time.
  if (errorType === 'TRANSIENT' && error instanceof Error && isAboutClocks(error))
    return failed === 1 && isClockSkewError(error);
  const status = Object(error).$metadata?.httpStatusCode;
  return errorType !== 'CLIENT_ERROR' && status !== NOT_IMPLEMENTED;
}

/**
 * Repeats calls for a time instead of a number of attempts: with throttling and errors together, any small number is used up soon, and
 * reading an account takes thousands of calls. The pauses grow, and are drawn at random up to their length.
 */
export class TimedRetries implements RetryStrategyV2 {
  private hasAnswered = false;

  /** @param maxAttempts a limit that the user has set. @default - the time alone */
  constructor(
    private readonly clock: RetryClock,
    private readonly maxAttempts = Number.POSITIVE_INFINITY,
  ) {}

  async acquireInitialRetryToken(): Promise<RetryToken> {
    return new Attempts(0, undefined);
  }

  async refreshRetryTokenForRetry(token: RetryToken, error: RetryErrorInfo): Promise<RetryToken> {
    const nowMs = this.clock.nowMs();
    const failed = token.getRetryCount() + 1;
    const firstFailedAtMs = (token instanceof Attempts ? token.firstFailedAtMs : undefined) ?? nowMs;
    const hasResponse = Object(error.error).$metadata?.httpStatusCode !== undefined;
    if (hasResponse) this.hasAnswered = true;
    const { code, message = '' } = Object(error.error);
    const isPatient = this.hasAnswered && code !== NO_HOST && !String(message).includes(UNREADABLE);
    const most = isPatient ? this.maxAttempts : Math.min(this.maxAttempts, UNANSWERED_ATTEMPTS);
    const pauseMs = this.clock.random() * Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (failed - 1));
    const isOver = nowMs + pauseMs - firstFailedAtMs > RETRIED_FOR_MS;
    if (!isRetried(error, failed) || failed >= most || isOver) throw new Error('the call is not repeated');
    await this.clock.wait(pauseMs);
    return new Attempts(failed, firstFailedAtMs);
  }

  recordSuccess(): void {
    this.hasAnswered = true;
  }
}
