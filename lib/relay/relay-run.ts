import type { PolicyLimits } from '../../policy/delivery-policy/policy-rules';
import { type RelayTerms, relayLimits } from '../../policy/relay/relay-limits';

/** What the length of an invocation hangs on; undefined what is not known before deployment. */
export interface RunFacts {
  readonly fifo: boolean;
  /** Retries that follow the first attempt in the same invocation. */
  readonly immediateRetries: number | undefined;
  readonly totalTimeoutSeconds: number | undefined;
  /** The least between two requests of an invocation. */
  readonly paceSeconds: number | undefined;
}

/** The longest a function of Lambda's may run. @see https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html */
export const LONGEST_RUN_SECONDS = 900;

/**
 * What an invocation needs beside its requests: a cold start, secrets to be read, and what is said to SQS. Our choice.
 */
export const RESERVE_SECONDS = 15;

/** The most messages of a batch without a window. */
const LARGEST_BATCH = 10;

/** AWS asks for a visibility timeout of so many times the function's own. @see https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html */
const VISIBILITY_PER_TIMEOUT = 6;

/**
 * How long it takes to make the first attempts of so many messages, and the immediate retries: messages are sent side by
 * side, but each request waits its turn. Undefined where that is not known.
 */
export function neededSeconds(facts: RunFacts, messages: number): number | undefined {
  const { immediateRetries, totalTimeoutSeconds, paceSeconds } = facts;
  if (immediateRetries === undefined || totalTimeoutSeconds === undefined || paceSeconds === undefined)
    return undefined;
  const attempts = 1 + immediateRetries;
  return Math.ceil(attempts * (totalTimeoutSeconds + messages * paceSeconds) + RESERVE_SECONDS);
}

/** As many messages as an invocation can try in time; one of a FIFO queue, for those behind a failing one would go back untried. */
export function batchSizeOf(facts: RunFacts): number {
  if (facts.fifo) return 1;
  let messages = LARGEST_BATCH;
  while (messages > 1 && (neededSeconds(facts, messages) ?? 0) > LONGEST_RUN_SECONDS) messages -= 1;
  return messages;
}

/** The function's timeout: what a batch needs, or all Lambda gives where that is not known. */
export function runSeconds(facts: RunFacts): number {
  return Math.min(LONGEST_RUN_SECONDS, neededSeconds(facts, batchSizeOf(facts)) ?? LONGEST_RUN_SECONDS);
}

/** The visibility timeout of the queue; at most 5,400. */
export function visibilitySeconds(facts: RunFacts): number {
  return VISIBILITY_PER_TIMEOUT * runSeconds(facts);
}

/** How far the policy may go of a relay whose invocations are such. What is not known limits nothing. */
export function policyLimits(
  facts: RunFacts,
  terms: Pick<RelayTerms, 'jitterPercent' | 'retentionSeconds'>,
): PolicyLimits {
  const { totalTimeoutSeconds = 0 } = facts;
  const [visible, functionTimeoutSeconds] = [visibilitySeconds(facts), runSeconds(facts)];
  return {
    ...relayLimits({ ...terms, visibilitySeconds: visible, functionTimeoutSeconds, totalTimeoutSeconds }),
    maxNoDelayRetries: Math.max(0, Math.floor((LONGEST_RUN_SECONDS - RESERVE_SECONDS) / totalTimeoutSeconds) - 1),
  };
}
