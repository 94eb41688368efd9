import { awsFailureOf } from '../lambda/redrive/refusal';
import type { Wait } from '../lambda/shared/clock';

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
