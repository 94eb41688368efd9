import { AdaptiveRetryStrategy, type AdaptiveRetryStrategyOptions, DEFAULT_MAX_ATTEMPTS } from '@smithy/core/retry';
import type { RetryErrorInfo, RetryToken, StandardRetryToken } from '@smithy/types';

/** Our choice: about a minute of asking again, ever later, before a call that is throttled fails. */
export const MOST_THROTTLED_ATTEMPTS = 10;

/**
 * Asks again, ever later, when AWS throttles, and sends more slowly for a while: an account is read by thousands of calls,
 * and others want their share. What fails for another reason fails as soon as it does by the SDK's own rules.
 */
export class ThrottleRetries extends AdaptiveRetryStrategy {
  /** @param options for tests, which do not wait @default - the SDK's own, by the clock on the wall */
  constructor(options: AdaptiveRetryStrategyOptions = {}) {
    super(MOST_THROTTLED_ATTEMPTS, { maxAttempts: MOST_THROTTLED_ATTEMPTS, ...options });
  }

  override refreshRetryTokenForRetry(token: StandardRetryToken, error: RetryErrorInfo): Promise<RetryToken> {
    const attempts = token.getRetryCount() + 1;
    if (error.errorType !== 'THROTTLING' && attempts >= DEFAULT_MAX_ATTEMPTS) {
      return Promise.reject(new Error('it has been tried often enough'));
    }
    return super.refreshRetryTokenForRetry(token, error);
  }
}
