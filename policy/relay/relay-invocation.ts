import { BATCH_SIZE_WITHOUT_WINDOW, MAX_FUNCTION_TIMEOUT_SECONDS, VISIBILITY_PER_TIMEOUT } from '../aws-limits';
import type { PolicyLimits } from '../delivery-policy/policy-rules';
import { type RelayTerms, relayLimits } from './relay-limits';

/** What determines the duration of an invocation; undefined values are not known before deployment. */
export interface RunFacts {
  readonly fifo: boolean;
  /** Retries that follow the first attempt in the same invocation. */
  readonly immediateRetries: number | undefined;
  readonly totalTimeoutSeconds: number | undefined;
  /** The minimum time between two requests of an invocation. */
  readonly paceSeconds: number | undefined;
  /** Whether requests carry an access token. @default false */
  readonly hasAccessToken?: boolean;
}

/** A cold start, reading secrets, and calls to SQS. */
const RESERVE_SECONDS = 15;

/** What access tokens add to that: a token before the first attempt, and one that replaces a refused one. */
const ACCESS_TOKEN_SECONDS = 30;

/** What an invocation needs in addition to its requests. */
export function reserveSeconds({ hasAccessToken = false }: Pick<RunFacts, 'hasAccessToken'>): number {
  return RESERVE_SECONDS + (hasAccessToken ? ACCESS_TOKEN_SECONDS : 0);
}

/**
 * The time for the first attempts of so many messages and their immediate retries. Messages are sent concurrently, but
 * requests wait for the rate ceiling. Undefined if it is not known.
 */
export function neededSeconds(facts: RunFacts, messages: number): number | undefined {
  const { immediateRetries, totalTimeoutSeconds, paceSeconds } = facts;
  if (immediateRetries === undefined || totalTimeoutSeconds === undefined || paceSeconds === undefined)
    return undefined;
  const attempts = 1 + immediateRetries;
  return Math.ceil(attempts * (totalTimeoutSeconds + messages * paceSeconds) + reserveSeconds(facts));
}

/**
 * The number of messages that an invocation has time for. It is one for a FIFO queue, where the messages after a
 * failing one would be returned without an attempt.
 */
export function batchSizeOf(facts: RunFacts): number {
  if (facts.fifo) return 1;
  let messages = BATCH_SIZE_WITHOUT_WINDOW;
  while (messages > 1 && (neededSeconds(facts, messages) ?? 0) > MAX_FUNCTION_TIMEOUT_SECONDS) messages -= 1;
  return messages;
}

/** The function's timeout: the time for one batch, or Lambda's maximum if that is not known. */
export function runSeconds(facts: RunFacts): number {
  return Math.min(
    MAX_FUNCTION_TIMEOUT_SECONDS,
    neededSeconds(facts, batchSizeOf(facts)) ?? MAX_FUNCTION_TIMEOUT_SECONDS,
  );
}

/** The visibility timeout of the queue, at most 5,400 seconds. */
export function visibilitySeconds(facts: RunFacts): number {
  return VISIBILITY_PER_TIMEOUT * runSeconds(facts);
}

/** The limits of a retry policy for such invocations. Unknown values set no limit. */
export function policyLimits(
  facts: RunFacts,
  terms: Pick<RelayTerms, 'jitterPercent' | 'retentionSeconds'>,
): PolicyLimits {
  const { totalTimeoutSeconds = 0 } = facts;
  const [visible, functionTimeoutSeconds] = [visibilitySeconds(facts), runSeconds(facts)];
  return {
    ...relayLimits({ ...terms, visibilitySeconds: visible, functionTimeoutSeconds, totalTimeoutSeconds }),
    maxNoDelayRetries: Math.max(
      0,
      Math.floor((MAX_FUNCTION_TIMEOUT_SECONDS - reserveSeconds(facts)) / totalTimeoutSeconds) - 1,
    ),
  };
}
