import { knownValue } from '../../template/told';
import { functionOf, qualifierOf } from '../inventory/look-ups';
import type { ManualRedriveFacts, RedriveQueue } from './hand-facts';
import type { OriginalDestination } from './home';

/**
 * How late SQS's counts of a queue may be.
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_GetQueueAttributes.html
 */
export const COUNTS_LATE_MS = 60_000;

/** Our choice: CloudWatch has a figure of a queue every minute, and has it some minutes later. */
export const FIGURES_LATE_MS = 5 * 60_000;

/** Our choice: who has typed a command waits no longer. No function takes as long, with all its tries. */
const LONGEST_MS = 60 * 60_000;

/** Our choice: for what the calls take, and the queue of Lambda's own. */
const MARGIN_MS = 30_000;

/**
 * What Lambda waits before it tries an event again: a minute, and then two.
 * @see https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-error-handling.html
 */
const RETRY_WAITS_MS = [60_000, 120_000] as const;

/** What Lambda's own defaults are. */
const DEFAULT_RETRIES = 2;
const DEFAULT_TIMEOUT_SECONDS = 3;

function functionFailsWithinMs({ inventory }: ManualRedriveFacts, arn: string): number {
  const reported = functionOf(arn, inventory);
  const invoke = knownValue(reported?.eventInvokes ?? [])?.find(it => it.qualifier === (qualifierOf(arn) ?? '$LATEST'));
  const retries = knownValue(invoke?.maximumRetryAttempts ?? DEFAULT_RETRIES) ?? DEFAULT_RETRIES;
  const timeoutSeconds = knownValue(reported?.timeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS) ?? DEFAULT_TIMEOUT_SECONDS;
  const waitsMs = RETRY_WAITS_MS.slice(0, retries).reduce((sum, waitMs) => sum + waitMs, 0);
  return waitsMs + (retries + 1) * timeoutSeconds * 1_000;
}

/** How long what the destination fails at may take to be where failures end, as it is configured. */
export function settleMsOf(facts: ManualRedriveFacts, home: OriginalDestination, to: RedriveQueue | undefined): number {
  const { visibilityTimeoutSeconds = 0, maxReceiveCount = 1 } = to ?? {};
  const failsWithinMs =
    home.kind === 'function'
      ? functionFailsWithinMs(facts, home.arn)
      : visibilityTimeoutSeconds * maxReceiveCount * 1_000;
  return Math.max(failsWithinMs + MARGIN_MS, COUNTS_LATE_MS);
}

/** Of that, for how long it is watched. */
export function watchMsOf(settleMs: number): number {
  return Math.min(settleMs, LONGEST_MS);
}
