import { Duration, Token, Tokenization } from 'aws-cdk-lib';
import { MathExpression, type MathExpressionProps, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { BREAKER_STATES } from '../../policy/relay/breaker';
import { AlarmSet } from '../shared/alarm-set';
import { type AlarmRow, RunbookSection } from '../shared/alarms';
import { milliseconds } from '../shared/checks';
import { functionSum, relayMetric } from '../shared/own-metrics';
import type { HttpRelayOptions } from './http-relay-props';
import { relayRetryPolicy } from './relay-sizing';

export const DEFAULT_RATE = { thresholdPercent: 50, minimumAttempts: 10 };

export const DEFAULT_LATENESS = Duration.minutes(15);

const FIVE_MINUTES = Duration.minutes(5);

function functionRows(handler: IFunction): readonly AlarmRow[] {
  return [
    {
      id: 'Errors',
      metric: functionSum(handler, 'Errors'),
      threshold: 0,
      meaning:
        'The function itself failed. Its batch returns to the queue after the visibility timeout without any progress.',
      runbook: RunbookSection.RELAY_FUNCTION_FAILING,
    },
    {
      id: 'Throttles',
      metric: functionSum(handler, 'Throttles'),
      threshold: 0,
      period: FIVE_MINUTES,
      evaluationPeriods: 3,
      meaning:
        'Lambda throttles the function: the concurrency of the account, or the reserved concurrency, is too low.',
      runbook: RunbookSection.RELAY_FUNCTION_THROTTLED,
    },
    {
      id: 'LoopStopped',
      metric: functionSum(handler, 'RecursiveInvocationsDropped'),
      threshold: 0,
      meaning: 'Lambda stopped the function because it was invoking itself in a loop.',
      runbook: RunbookSection.FUNCTION_LOOP_STOPPED,
    },
  ];
}

function messageRows(handler: IFunction): readonly AlarmRow[] {
  return [
    {
      id: 'Untried',
      metric: notAttempted(handler),
      threshold: 0,
      period: FIVE_MINUTES,
      evaluationPeriods: 4,
      datapointsToAlarm: 2,
      meaning:
        'Messages are not attempted, because a secret of the relay cannot be read or is invalid, or it gets no access token.',
      runbook: RunbookSection.RELAY_NOT_TRYING,
    },
    {
      id: 'DeadLetteringFailed',
      metric: relayMetric(handler, 'DeadLetteringFailed'),
      threshold: 0,
      period: FIVE_MINUTES,
      meaning: 'The relay cannot send messages to its dead-letter queue. They will be lost when they expire.',
      runbook: RunbookSection.RELAY_NOT_DEAD_LETTERING,
    },
    {
      id: 'Broken',
      metric: relayMetric(handler, 'Broken'),
      threshold: 0,
      period: FIVE_MINUTES,
      meaning:
        'The relay itself fails on a message, which returns to the queue after the visibility timeout without any progress.',
      runbook: RunbookSection.RELAY_FUNCTION_FAILING,
    },
  ];
}

/** The alarms of a relay with `AlarmSet.ALL`, in addition to those of its queue and its dead-letter queue. */
export function relayRows(handler: IFunction, queue: IQueue, options: HttpRelayOptions): readonly AlarmRow[] {
  return rowsOfCauses(handler, queue, options).map(row => ({ ...row, only: AlarmSet.ALL }));
}

function rowsOfCauses(handler: IFunction, queue: IQueue, options: HttpRelayOptions): readonly AlarmRow[] {
  const hasBreaker = options.circuitBreaker?.enabled !== false;
  const { failureRateAlarm: rate = {}, latenessAlarmThreshold: lateness = DEFAULT_LATENESS } = options;
  const { thresholdPercent = DEFAULT_RATE.thresholdPercent, minimumAttempts = DEFAULT_RATE.minimumAttempts } = rate;
  return [
    {
      id: 'FailureRate',
      metric: failureRate(handler, minimumAttempts),
      threshold: thresholdPercent,
      period: FIVE_MINUTES,
      evaluationPeriods: 3,
      meaning: `More than ${Tokenization.stringifyNumber(thresholdPercent)} percent of attempts fail and will be retried.`,
      runbook: RunbookSection.RELAY_ENDPOINT_FAILING,
    },
    {
      id: 'Undelivered',
      metric: new MathExpression({ label: 'fails, and nothing is delivered', ...undelivered(handler) }),
      threshold: 0,
      period: FIVE_MINUTES,
      evaluationPeriods: undeliveredPeriods(options),
      datapointsToAlarm: FAILING_PERIODS,
      meaning: 'The few attempts there were failed, and nothing has been delivered for more than an hour.',
      runbook: RunbookSection.RELAY_ENDPOINT_FAILING,
    },
    {
      id: 'Lateness',
      metric: hasBreaker ? latenessWhileClosed(handler) : relayMetric(handler, 'Lateness'),
      threshold: milliseconds(lateness),
      period: FIVE_MINUTES,
      evaluationPeriods: 3,
      meaning: 'Attempts begin too late: more messages are due than the relay can send.',
      runbook: RunbookSection.RELAY_BEHIND_SCHEDULE,
    },
    {
      id: 'Untaken',
      metric: dueWithoutReceives(queue),
      threshold: 0,
      evaluationPeriods: 15,
      meaning: 'Messages are due, but the relay has not received any for a quarter of an hour.',
      runbook: RunbookSection.RELAY_NOT_RECEIVING,
    },
    ...messageRows(handler),
    ...functionRows(handler),
  ];
}

/**
 * The percentage of attempts with a retriable failure; 0 with fewer than `minimumAttempts`, and no value without any
 * record.
 *
 * One log line has both counts. Missing values are not filled: metrics arrive late, and if the newest datapoint were
 * filled with 0 until then, an alarm that needs all datapoints would never fire.
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/using-metric-math.html
 */
function failureRate(handler: IFunction, minimumAttempts: number): MathExpression {
  const atLeast = Tokenization.stringifyNumber(minimumAttempts);
  return new MathExpression({
    label: 'failed attempts, %',
    expression: `IF(attempts >= ${atLeast}, 100 * failed / attempts, 0)`,
    usingMetrics: {
      failed: relayMetric(handler, 'FailedAttempts'),
      attempts: relayMetric(handler, 'Attempts'),
    },
  });
}

/**
 * The same percentage for a breaker. It counts redirects and client errors only while nothing is delivered: an endpoint that
 * refuses every message is down, and one that refuses some of them must not keep the others waiting. One log line has
 * all four counts.
 */
export function breakerRate(handler: IFunction, minimumAttempts: number): MathExpression {
  const atLeast = Tokenization.stringifyNumber(minimumAttempts);
  return new MathExpression({
    label: 'failed attempts, %',
    expression: `IF(attempts >= ${atLeast}, 100 * (failed - IF(delivered > 0, refused, 0)) / attempts, 0)`,
    usingMetrics: {
      failed: relayMetric(handler, 'FailedAttempts'),
      refused: relayMetric(handler, 'ClientErrors'),
      delivered: relayMetric(handler, 'Delivered'),
      attempts: relayMetric(handler, 'Attempts'),
    },
  });
}

/** How many of the evaluated periods of five minutes must show a failing endpoint. Fewer are a deployment of it. */
export const FAILING_PERIODS = 5;

/** The failing periods without a delivery that an alarm lets pass before it counts them. */
const SILENT_PERIODS = 7;

const PERIODS_OF_TWO_HOURS = 24;

/** An alarm on periods of five minutes can evaluate a day. */
const PERIODS_OF_A_DAY = 288;

/**
 * The number of periods to evaluate, so that they contain two attempts of a message that always fails: twice the longest
 * delay, and at least two hours.
 */
export function undeliveredPeriods(options: HttpRelayOptions): number {
  const { maxDelayTarget } = relayRetryPolicy(options);
  if (Token.isUnresolved(maxDelayTarget)) return PERIODS_OF_A_DAY;
  const periods = Math.ceil((2 * maxDelayTarget) / FIVE_MINUTES.toSeconds());
  return Math.min(PERIODS_OF_A_DAY, Math.max(PERIODS_OF_TWO_HOURS, periods));
}

/**
 * An expression that is 1 for a period of five minutes if attempts have failed for most of an hour and nothing was delivered
 * since. A rate needs many attempts to be meaningful: an endpoint that gets one order a day may be down for days before
 * its rate shows it. A period without attempts repeats the result of the last one that had some, because retries become
 * rare. One log line has both counts, so both are missing at the same time.
 */
export function undelivered(handler: IFunction): Pick<MathExpressionProps, 'expression' | 'usingMetrics'> {
  const failing = 'FILL(FILL(IF(delivered > 0, 0, failed), REPEAT), 0)';
  return {
    expression: `IF((${failing} > 0) AND (RUNNING_SUM(IF(${failing} > 0, 1, 0)) > ${SILENT_PERIODS}), 1, 0)`,
    usingMetrics: {
      failed: relayMetric(handler, 'FailedAttempts'),
      delivered: relayMetric(handler, 'Delivered'),
    },
  };
}

/** 1 for a period in which a breaker was half open and never closed. */
export function neverClosed(handler: IFunction): MathExpression {
  return new MathExpression({
    label: 'half open',
    expression: `IF(state == ${BREAKER_STATES['half-open']}, 1, 0)`,
    usingMetrics: { state: relayMetric(handler, 'BreakerState', { statistic: Stats.MINIMUM }) },
  });
}

/**
 * Messages that were not attempted. A sparse schedule has them only now and then. Five minutes without any are filled
 * with 0. Otherwise the alarm would look for older datapoints where there are none, and find a failure of long ago. It
 * needs some of several datapoints, so a newest datapoint that is filled too early does no harm.
 */
function notAttempted(handler: IFunction): MathExpression {
  return new MathExpression({
    label: 'messages not tried',
    expression: 'FILL(untried, 0)',
    usingMetrics: { untried: relayMetric(handler, 'Untried') },
  });
}

/**
 * Messages that are due in a minute without any receive call. A message that waits for a retry is in flight, so a
 * visible message is due. The exception is a FIFO queue, in which messages behind one in flight of the same group count
 * as visible, but cannot be received. A call that returns none of them still counts as a receive call.
 *
 * The number of due messages is not filled while it is missing: see `failureRate`.
 */
function dueWithoutReceives(queue: IQueue): MathExpression {
  return new MathExpression({
    label: 'due, but not received',
    expression: 'IF(FILL(received, 0) + FILL(empty, 0) > 0, 0, due)',
    usingMetrics: {
      received: queue.metricNumberOfMessagesReceived({ statistic: Stats.SUM }),
      empty: queue.metricNumberOfEmptyReceives({ statistic: Stats.SUM }),
      due: queue.metricApproximateNumberOfMessagesVisible({ statistic: Stats.MINIMUM }),
    },
  });
}

/**
 * The delay of attempts while the breaker is closed. Messages that a breaker held back are late by design, and a
 * stopped relay has its own alarm. A breaker reports its state once per check, and a missing value counts as closed. So
 * the alarm needs several datapoints.
 */
function latenessWhileClosed(handler: IFunction): MathExpression {
  return new MathExpression({
    label: 'late by, ms',
    expression: 'IF(FILL(state, 0) > 0, 0, late)',
    usingMetrics: {
      state: relayMetric(handler, 'BreakerState'),
      late: relayMetric(handler, 'Lateness'),
    },
  });
}
