import { Aws, Duration, Token } from 'aws-cdk-lib';
import { type Alarm, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import type { EventSourceMapping, IFunction, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { MAX_FUNCTION_TIMEOUT_SECONDS } from '../../policy/aws-limits';
import { BREAKER_STATES, OPEN_CONCURRENCY } from '../../policy/relay/breaker';
import { BREAKER_ALARM_PREFIX, BREAKER_SCHEDULE_MS, type BreakerSettings } from '../../policy/relay/breaker-event';
import { MINUTE_MS } from '../../policy/time-units';
import type { ProcessingQueue } from '../queue/processing-queue';
import { AlarmSet } from '../shared/alarm-set';
import { type AlarmRow, RunbookSection } from '../shared/alarms';
import { milliseconds } from '../shared/checks';
import { relayMetric } from '../shared/own-metrics';
import type { HttpRelayOptions } from './http-relay-props';
import { breakerRate, neverClosed } from './relay-alarms';
import type { RelaySizing } from './relay-sizing';

/**
 * The time until a change of the mapping shows in the alarm, after the running invocations have ended. The alarm
 * evaluates two minutes or more, metrics may be a minute late, and the rest is a margin.
 */
const SETTLE_SECONDS = 300;

const DEFAULTS = { thresholdPercent: 50, minimumAttempts: 10, probeInterval: Duration.minutes(5) };

/** The time the breaker's function needs in addition to the probe request: a long poll of SQS and its calls to AWS. */
const PROBE_OVERHEAD_SECONDS = 60;

/** The minimum timeout, which leaves time to handle thousands of expiring messages. */
export const MIN_RUN_SECONDS = 300;

export function runTime({ timeoutSeconds }: RelaySizing): Duration {
  const neededSeconds = Math.max(MIN_RUN_SECONDS, timeoutSeconds + PROBE_OVERHEAD_SECONDS);
  return Duration.seconds(Math.min(MAX_FUNCTION_TIMEOUT_SECONDS, neededSeconds));
}

/**
 * The period of the alarm. An invocation writes its metrics when it ends, and each of two periods must contain some.
 */
function alarmPeriod({ timeoutSeconds }: RelaySizing): Duration {
  return Duration.minutes(Math.ceil(timeoutSeconds / 60));
}

/**
 * How often the breaker checks its relay: every five minutes, or every ten or fifteen if one check may take longer. A
 * probe must end before the next check begins.
 */
function tick(plan: RelaySizing): Duration {
  const ticks = Math.ceil(runTime(plan).toMilliseconds() / BREAKER_SCHEDULE_MS);
  return Duration.minutes((ticks * BREAKER_SCHEDULE_MS) / MINUTE_MS);
}

export const STACK_ALARM_PREFIX = `${BREAKER_ALARM_PREFIX}${Aws.STACK_NAME}-`;

/** The characters that an alarm name and a URL can have without encoding. */
const OTHER_CHARACTERS = /[^A-Za-z0-9-]/g;

/**
 * The name of the alarm that opens a relay's breaker. One rule must recognize the alarms of all relays of the stack, and
 * an event pattern has not enough characters for a list of them. A stack name has at most 128 characters, an alarm name
 * 255.
 */
function breakerAlarmName({ node: { id, addr } }: Construct): string {
  return `${STACK_ALARM_PREFIX}${id.replaceAll(OTHER_CHARACTERS, '').slice(0, 40)}-${addr.slice(-8)}`;
}

/**
 * The alarm that opens the breaker. It evaluates two minutes, or two of the longest invocations. It has no actions: the
 * alarm on a stopped relay notifies operators.
 */
export function breakerRow(
  scope: Construct,
  handler: IFunction,
  { circuitBreaker: options = {} }: HttpRelayOptions,
  plan: RelaySizing,
): AlarmRow {
  const { thresholdPercent = DEFAULTS.thresholdPercent, minimumAttempts = DEFAULTS.minimumAttempts } = options;
  return {
    id: 'Breaker',
    alarmName: breakerAlarmName(scope),
    metric: breakerRate(handler, minimumAttempts),
    threshold: thresholdPercent,
    period: alarmPeriod(plan),
    evaluationPeriods: 2,
    meaning: 'Many attempts fail. The breaker stops the relay until its endpoint answers again.',
    runbook: RunbookSection.RELAY_ENDPOINT_FAILING,
    hasActions: false,
  };
}

/** The hours that a half-open breaker takes to close, plus two: each doubling of the concurrency takes two checks. */
function hoursToClose(plan: RelaySizing): number {
  const { maximumConcurrency } = plan;
  const steps = Math.ceil(
    Math.log2((Token.isUnresolved(maximumConcurrency) ? 1 : maximumConcurrency) / OPEN_CONCURRENCY),
  );
  return 2 + Math.max(1, Math.ceil((2 * steps * tick(plan).toMinutes()) / 60));
}

/**
 * The alarms on a breaker. While a relay is stopped it makes no attempts, so the failure-rate alarm returns to OK.
 * These alarms keep reporting that the endpoint is down. Three of six checks are enough, so that a relay that stops
 * again and again counts too. Missing data keeps the state of the alarm.
 */
export function breakerWatch(handler: IFunction, plan: RelaySizing): readonly AlarmRow[] {
  const period = tick(plan);
  return [
    {
      id: 'Stopped',
      only: AlarmSet.ALL,
      metric: relayMetric(handler, 'BreakerState'),
      threshold: BREAKER_STATES['half-open'],
      period,
      evaluationPeriods: 6,
      datapointsToAlarm: 3,
      missingData: TreatMissingData.IGNORE,
      meaning: 'The relay is stopped, either by its breaker because the endpoint fails, or manually. Messages wait.',
      runbook: RunbookSection.RELAY_STOPPED,
    },
    {
      id: 'HalfOpen',
      only: AlarmSet.ALL,
      metric: neverClosed(handler),
      threshold: 0,
      period: Duration.hours(1),
      evaluationPeriods: hoursToClose(plan),
      missingData: TreatMissingData.IGNORE,
      meaning: 'The breaker is half open and has not let more messages through for hours.',
      runbook: RunbookSection.RELAY_STOPPED,
    },
  ];
}

/** What a breaker needs of its relay. */
export interface BreakerTargets {
  readonly queue: ProcessingQueue;
  readonly handler: LambdaFunction;
  readonly mapping: EventSourceMapping;
  readonly alarm: Alarm;
  readonly plan: RelaySizing;
}

export function breakerSettings(
  { queue, handler, mapping, alarm, plan }: BreakerTargets,
  options: HttpRelayOptions,
): BreakerSettings {
  return {
    mappingId: mapping.eventSourceMappingId,
    configuredConcurrency: plan.maximumConcurrency,
    alarmName: alarm.alarmName,
    queueUrl: queue.queueUrl,
    functionName: handler.functionName,
    settleMs: (SETTLE_SECONDS + plan.timeoutSeconds) * 1_000,
    probeIntervalMs: probeIntervalMs(options),
    tickMs: tick(plan).toMilliseconds(),
    functionTimeoutMs: plan.timeoutSeconds * 1_000,
    retentionMs: milliseconds(plan.retentionPeriod),
  };
}

/** How long the breaker of a relay waits before its first probe, and between probes. */
export function probeIntervalMs({ circuitBreaker = {} }: HttpRelayOptions): number {
  return milliseconds(circuitBreaker.probeInterval ?? DEFAULTS.probeInterval);
}
