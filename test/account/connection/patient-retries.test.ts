import type { RetryErrorType } from '@smithy/types';
import { MOST_THROTTLED_ATTEMPTS, ThrottleRetries } from '../../../account/connection/patient-retries';

/** Retries that wait for nothing, and what slows them down. */
function retries() {
  const reported: unknown[] = [];
  const rateLimiter = {
    getSendToken: () => Promise.resolve(),
    updateClientSendingRate: (response: unknown) => void reported.push(response),
  };
  const backoff = { setDelayBase: () => {}, computeNextBackoffDelay: () => 0 };
  return { reported, strategy: new ThrottleRetries({ rateLimiter, backoff }) };
}

/** How often a call is tried that always fails so. */
async function attemptsAt(errorType: RetryErrorType): Promise<number> {
  const { strategy } = retries();
  let token = await strategy.acquireInitialRetryToken('sns');
  for (;;) {
    const attempts = token.getRetryCount() + 1;
    try {
      token = await strategy.refreshRetryTokenForRetry({ ...token, ...standard(token) }, { errorType });
    } catch {
      return attempts;
    }
  }
}

function standard(token: { getRetryCount(): number; getRetryDelay(): number }) {
  return {
    getRetryCount: () => token.getRetryCount(),
    getRetryDelay: () => token.getRetryDelay(),
    getRetryCost: () => undefined,
  };
}

test('asks ten times where AWS throttles, and no more than the SDK does for anything else', async () => {
  expect(await attemptsAt('THROTTLING')).toBe(MOST_THROTTLED_ATTEMPTS);
  expect(await attemptsAt('TRANSIENT')).toBe(3);
  expect(await attemptsAt('CLIENT_ERROR')).toBe(1);
});

test('sends more slowly once it is throttled', async () => {
  const { strategy, reported } = retries();
  const token = await strategy.acquireInitialRetryToken('sns');
  await strategy.refreshRetryTokenForRetry({ ...token, ...standard(token) }, { errorType: 'THROTTLING' });
  expect(reported).toEqual([{ errorType: 'THROTTLING' }]);
});
