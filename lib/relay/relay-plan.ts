import { Duration, Token } from 'aws-cdk-lib';
import { QUEUE_LIMITS } from '../../policy/aws-limits';
import { DEFAULT_CONTENT_TYPE, type RetryPolicy, withDefaults } from '../../policy/delivery-policy/delivery-policy';
import { totalDelaySeconds } from '../../policy/delivery-policy/retry-schedule';
import {
  DEFAULT_RELAY_POLICY,
  DEFAULT_RELAY_TERMS,
  longestDelaySeconds,
  maxReceiveCount,
  RETENTION_MARGIN_SECONDS,
} from '../../policy/relay/relay-limits';
import { sweepsWithin } from '../../policy/relay/relay-schedule';
import { paceMs } from '../../policy/relay/relay-settings';
import { knownSeconds } from '../shared/checks';
import { retrySettings } from '../topic/endpoint-policy';
import type { HttpRelayOptions } from './http-relay-props';
import { batchSizeOf, type RunFacts, runSeconds, visibilitySeconds } from './relay-run';

/** What a relay has that nobody has said anything of. */
export const RELAY_DEFAULTS = {
  jitterPercent: DEFAULT_RELAY_TERMS.jitterPercent,
  maximumConcurrency: DEFAULT_RELAY_TERMS.maximumConcurrency,
  maxReceivesPerSecond: DEFAULT_RELAY_TERMS.maxReceivesPerSecond,
  connectTimeout: Duration.seconds(5),
  totalTimeout: Duration.seconds(DEFAULT_RELAY_TERMS.totalTimeoutSeconds),
  contentType: DEFAULT_CONTENT_TYPE,
  retryAfterCap: Duration.hours(1),
  probeInterval: Duration.minutes(5),
  retentionPeriod: Duration.seconds(DEFAULT_RELAY_TERMS.retentionSeconds),
} as const;

/** What follows from the properties of a relay for its queue, its function and the mapping between them. */
export interface RelayPlan {
  /** With its defaults filled in. */
  readonly retryPolicy: RetryPolicy;
  readonly jitterPercent: number;
  readonly maximumConcurrency: number;
  readonly maxReceivesPerSecond: number;
  readonly batchSize: number;
  readonly timeoutSeconds: number;
  readonly visibilitySeconds: number;
  readonly maxReceiveCount: number;
  readonly maxDelaySeconds: number;
  readonly retentionPeriod: Duration;
  /** How old a message is not that is still being tried. */
  readonly ageAlarmSeconds: number;
}

/** The retry policy with its defaults: our own where there is none, and SNS's for what one leaves out. */
export function relayRetryPolicy({ retryPolicy }: HttpRelayOptions): RetryPolicy {
  if (!retryPolicy) return DEFAULT_RELAY_POLICY;
  return withDefaults({ healthyRetryPolicy: retrySettings(retryPolicy) }).healthyRetryPolicy;
}

/**
 * The ceiling of all invocations together. Where nobody states one, it leaves each invocation a request a second: who asks
 * for more invocations than the default has requests means it.
 */
export function requestsPerSecond({ maxReceivesPerSecond, maximumConcurrency = 0 }: HttpRelayOptions): number {
  if (maxReceivesPerSecond !== undefined) return maxReceivesPerSecond;
  const { maxReceivesPerSecond: usual } = RELAY_DEFAULTS;
  return Token.isUnresolved(maximumConcurrency) ? usual : Math.max(usual, maximumConcurrency);
}

/** What is known before deployment of how long an invocation takes. */
export function runFactsOf(options: HttpRelayOptions): RunFacts {
  const known = (value: number | undefined) => (Token.isUnresolved(value) ? undefined : value);
  const { maximumConcurrency = RELAY_DEFAULTS.maximumConcurrency } = options;
  const [invocations, perSecond] = [known(maximumConcurrency), known(requestsPerSecond(options))];
  const pace = (perSecond: number, invocations: number) =>
    paceMs({ maxReceivesPerSecond: perSecond, maximumConcurrency: invocations }) / 1_000;
  return {
    fifo: options.fifo ?? false,
    immediateRetries: known(relayRetryPolicy(options).numNoDelayRetries),
    totalTimeoutSeconds: knownSeconds(options.totalTimeout ?? RELAY_DEFAULTS.totalTimeout),
    paceSeconds: invocations && perSecond && pace(perSecond, invocations),
  };
}

/** Seconds from the start of the first attempt to the end of the last, at the longest; undefined where that is not known. */
export function longestSeconds(options: HttpRelayOptions): number | undefined {
  const policy = relayRetryPolicy(options);
  const { jitterPercent = RELAY_DEFAULTS.jitterPercent, totalTimeout = RELAY_DEFAULTS.totalTimeout } = options;
  const timeoutSeconds = knownSeconds(totalTimeout);
  const unknown = [...Object.values(policy), jitterPercent].some(Token.isUnresolved);
  if (unknown || timeoutSeconds === undefined) return undefined;
  return totalDelaySeconds(policy) * (1 + jitterPercent / 100) + (policy.numRetries + 1) * timeoutSeconds;
}

/**
 * How old a message of a short schedule may be before anybody is told, beside what a breaker and an invocation take: as late
 * as the other alarms of a relay ring. Our choice.
 */
const LEAST_AGE_SECONDS = 900;

/**
 * A message that is older than its schedule is long is not being tried; it must not expire before somebody is told. One of a
 * schedule of minutes is soon as old by what is no news: its breaker lets one message through at a time, and rests.
 */
function ageAlarmSeconds(options: HttpRelayOptions, retentionPeriod: Duration, timeoutSeconds: number): number {
  const { enabled = true, probeInterval = RELAY_DEFAULTS.probeInterval } = options.circuitBreaker ?? {};
  const restSeconds = enabled ? (knownSeconds(probeInterval) ?? RELAY_DEFAULTS.probeInterval.toSeconds()) : 0;
  const keptSeconds = knownSeconds(retentionPeriod) ?? RELAY_DEFAULTS.retentionPeriod.toSeconds();
  const usualSeconds = Math.max(
    longestSeconds(options) ?? keptSeconds,
    restSeconds + timeoutSeconds + LEAST_AGE_SECONDS,
  );
  const mostSeconds = Math.max(keptSeconds / 2, keptSeconds - 2 * RETENTION_MARGIN_SECONDS);
  return Math.floor(Math.min(usualSeconds, mostSeconds));
}

/** Receives by which a breaker looks for what expires, as many as can be where that is not known. */
function sweepReceives(
  { circuitBreaker: { enabled = true } = {} }: HttpRelayOptions,
  retentionPeriod: Duration,
): number {
  if (!enabled) return 0;
  return sweepsWithin(1_000 * (knownSeconds(retentionPeriod) ?? QUEUE_LIMITS.retentionSeconds.max));
}

/** What follows from properties that have been judged. What hangs on something not known is as large as can be. */
export function planOf(options: HttpRelayOptions): RelayPlan {
  const retryPolicy = relayRetryPolicy(options);
  const { retentionPeriod = RELAY_DEFAULTS.retentionPeriod } = options;
  const facts = runFactsOf(options);
  const timeoutSeconds = runSeconds(facts);
  const hasUnknownCounts = [retryPolicy.numRetries, retryPolicy.numNoDelayRetries].some(Token.isUnresolved);
  return {
    retryPolicy,
    jitterPercent: options.jitterPercent ?? RELAY_DEFAULTS.jitterPercent,
    maximumConcurrency: options.maximumConcurrency ?? RELAY_DEFAULTS.maximumConcurrency,
    maxReceivesPerSecond: requestsPerSecond(options),
    batchSize: batchSizeOf(facts),
    timeoutSeconds,
    visibilitySeconds: visibilitySeconds(facts),
    maxReceiveCount: hasUnknownCounts
      ? QUEUE_LIMITS.receiveCount.max
      : maxReceiveCount(retryPolicy, sweepReceives(options, retentionPeriod)),
    maxDelaySeconds: longestDelaySeconds(visibilitySeconds(facts)),
    retentionPeriod,
    ageAlarmSeconds: ageAlarmSeconds(options, retentionPeriod, timeoutSeconds),
  };
}
