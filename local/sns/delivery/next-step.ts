import type { RetryPolicy } from '../../../policy/delivery-policy/delivery-policy';
import { delayBeforeRetry } from '../../../policy/delivery-policy/retry-schedule';
import type { Verdict } from '../../../policy/outcome/outcome';
import { retryPolicyOf } from '../../../policy/outcome/protocol';

/** What follows an attempt. */
export type Step =
  | { readonly kind: 'delivered'; readonly reason: string }
  /** `delaySeconds` counts from the end of the failed attempt. */
  | { readonly kind: 'retry'; readonly delaySeconds: number; readonly reason: string }
  | { readonly kind: 'dead'; readonly cause: 'client-error' | 'retries-exhausted'; readonly reason: string };

/**
 * What follows after `attempts` attempts, the last of which was judged `verdict`. A policy with `numRetries` N allows the
 * initial attempt and N retries. An endpoint whose errors follow two schedules (Firehose) counts its attempts once.
 *
 * @param governed whose effective policy governs HTTP/S
 */
export function nextStep(
  verdict: Verdict,
  attempts: number,
  governed: { readonly healthyRetryPolicy: RetryPolicy },
): Step {
  if (verdict.kind === 'delivered') return verdict;
  const { reason } = verdict;
  if (verdict.kind === 'dead') return { kind: 'dead', cause: 'client-error', reason };
  const policy = retryPolicyOf(verdict.policy, governed.healthyRetryPolicy);
  if (attempts > policy.numRetries) return { kind: 'dead', cause: 'retries-exhausted', reason };
  return { kind: 'retry', delaySeconds: delayBeforeRetry(policy, attempts), reason };
}
