import { Duration, Token } from 'aws-cdk-lib';
import { QUEUE_LIMITS } from '../../policy/aws-limits';
import { DEFAULT_CONTENT_TYPE, type RetryPolicy, withDefaults } from '../../policy/delivery-policy/delivery-policy';
import { totalDelaySeconds } from '../../policy/delivery-policy/retry-schedule';
import { batchSizeOf, type RunFacts, runSeconds, visibilitySeconds } from '../../policy/relay/relay-invocation';
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
import { retrySettings } from '../topic/delivery-policy-settings';
import type { HttpRelayOptions } from './http-relay-props';

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

/** What follows from a relay's properties for its queue, its function and the mapping. */
export interface RelaySizing {
  /** With defaults. */
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
  /** An age that no message reaches while it is still being retried. */
  readonly ageAlarmSeconds: number;
}

/**
 * The retry policy with its defaults: those of the relay without a policy, and those of SNS for what a policy omits.
 */
export function relayRetryPolicy({ retryPolicy }: Pick<HttpRelayOptions, 'retryPolicy'>): RetryPolicy {
  if (!retryPolicy) return DEFAULT_RELAY_POLICY;
  return withDefaults({ healthyRetryPolicy: retrySettings(retryPolicy) }).healthyRetryPolicy;
}

/**
 * The rate ceiling of all invocations together. Without a stated value, each invocation gets at least one request per
 * second.
 */
export function requestsPerSecond({ maxReceivesPerSecond, maximumConcurrency = 0 }: HttpRelayOptions): number {
  if (maxReceivesPerSecond !== undefined) return maxReceivesPerSecond;
  const { maxReceivesPerSecond: usual } = RELAY_DEFAULTS;
  return Token.isUnresolved(maximumConcurrency) ? usual : Math.max(usual, maximumConcurrency);
}

/** What determines the duration of an invocation, as far as it is known before deployment. */
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
    hasAccessToken: options.authorization !== undefined,
    paceSeconds: invocations && perSecond && pace(perSecond, invocations),
  };
}

/**
 * The longest time from the start of the first attempt to the end of the last, in seconds; undefined if it is not
 * known.
 */
function longestSeconds(options: HttpRelayOptions): number | undefined {
  const policy = relayRetryPolicy(options);
  const { jitterPercent = RELAY_DEFAULTS.jitterPercent, totalTimeout = RELAY_DEFAULTS.totalTimeout } = options;
  const timeoutSeconds = knownSeconds(totalTimeout);
  const unknown = [...Object.values(policy), jitterPercent].some(Token.isUnresolved);
  if (unknown || timeoutSeconds === undefined) return undefined;
  return totalDelaySeconds(policy) * (1 + jitterPercent / 100) + (policy.numRetries + 1) * timeoutSeconds;
}

/**
 * The minimum age for the alarm on old messages of a relay with a short schedule, in addition to the time that a
 * breaker and an invocation need. The other alarms of a relay are as slow.
 */
const MIN_AGE_SECONDS = 900;

/**
 * A message that is older than its whole schedule is not being retried, and the alarm must fire before it expires. A
 * short schedule needs a minimum age: a breaker that lets one message through at a time makes messages wait longer than
 * that.
 */
function ageAlarmSeconds(options: HttpRelayOptions, retentionPeriod: Duration, timeoutSeconds: number): number {
  const { enabled = true, probeInterval = RELAY_DEFAULTS.probeInterval } = options.circuitBreaker ?? {};
  const restSeconds = enabled ? (knownSeconds(probeInterval) ?? RELAY_DEFAULTS.probeInterval.toSeconds()) : 0;
  const keptSeconds = knownSeconds(retentionPeriod) ?? RELAY_DEFAULTS.retentionPeriod.toSeconds();
  const usualSeconds = Math.max(longestSeconds(options) ?? keptSeconds, restSeconds + timeoutSeconds + MIN_AGE_SECONDS);
  const mostSeconds = Math.max(keptSeconds / 2, keptSeconds - 2 * RETENTION_MARGIN_SECONDS);
  return Math.floor(Math.min(usualSeconds, mostSeconds));
}

/** The number of receives that a breaker may use to look for expiring messages; the maximum if it is not known. */
function sweepReceives(
  { circuitBreaker: { enabled = true } = {} }: HttpRelayOptions,
  retentionPeriod: Duration,
): number {
  if (!enabled) return 0;
  return sweepsWithin(1_000 * (knownSeconds(retentionPeriod) ?? QUEUE_LIMITS.retentionSeconds.max));
}

/** Derives the plan from checked properties. A value that depends on something unknown is as large as it can be. */
export function relaySizingOf(options: HttpRelayOptions): RelaySizing {
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
