import { Duration, Token, Tokenization } from 'aws-cdk-lib';
import { MathExpression, Metric, type MetricOptions, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { RELAY_METRICS, type RelayMetricName } from '../../policy/metric-names';
import { BREAKER_STATES } from '../../policy/relay/breaker';
import { type AlarmRow, RunbookSection } from '../shared/alarms';
import { milliseconds } from '../shared/checks';
import type { HttpRelayOptions } from './http-relay-props';
import { relayRetryPolicy } from './relay-plan';

const DEFAULT_RATE = { thresholdPercent: 50, minimumAttempts: 10 };

const DEFAULT_LATENESS = Duration.minutes(15);

const FIVE_MINUTES = Duration.minutes(5);

/** Whether the function runs at all, as Lambda tells. */
function functionRows(handler: IFunction): readonly AlarmRow[] {
  return [
    {
      id: 'Errors',
      metric: functionSum(handler, 'Errors'),
      threshold: 0,
      meaning: 'The function itself failed: its batch comes back after the visibility timeout, for nothing.',
      runbook: RunbookSection.RELAY_FUNCTION_FAILING,
    },
    {
      id: 'Throttles',
      metric: functionSum(handler, 'Throttles'),
      threshold: 0,
      period: FIVE_MINUTES,
      evaluationPeriods: 3,
      meaning:
        'Lambda throttles the function: the concurrency of the account, or one reserved for it, does not suffice.',
      runbook: RunbookSection.RELAY_FUNCTION_THROTTLED,
    },
    {
      id: 'LoopStopped',
      metric: functionSum(handler, 'RecursiveInvocationsDropped'),
      threshold: 0,
      meaning: 'Lambda stopped the function, which had been invoking itself in a loop.',
      runbook: RunbookSection.FUNCTION_LOOP_STOPPED,
    },
  ];
}

const HOUR_SECONDS = 3_600;

/**
 * The hours in which a message that fails is tried at least once, as a rule. An hour is more than twice as long as an
 * endpoint's usual deployment takes with the retries that follow it: a window has its failures and its first delivery then.
 */
function patience(options: HttpRelayOptions): Duration {
  const { maxDelayTarget } = relayRetryPolicy(options);
  if (Token.isUnresolved(maxDelayTarget)) return Duration.seconds(HOUR_SECONDS);
  return Duration.seconds(Math.max(1, Math.ceil(maxDelayTarget / HOUR_SECONDS)) * HOUR_SECONDS);
}

/** What is done with a message, or not done. */
function messageRows(handler: IFunction): readonly AlarmRow[] {
  return [
    {
      id: 'Untried',
      metric: untried(handler),
      threshold: 0,
      period: FIVE_MINUTES,
      evaluationPeriods: 4,
      datapointsToAlarm: 2,
      meaning: 'Messages are not even tried: a secret of the relay cannot be read, or is no use.',
      runbook: RunbookSection.RELAY_NOT_TRYING,
    },
    {
      id: 'Unburied',
      metric: relayMetric(handler, 'Unburied', { statistic: Stats.SUM }),
      threshold: 0,
      period: FIVE_MINUTES,
      meaning: 'Messages are to be given up, and the dead-letter queue does not take them: they will be lost.',
      runbook: RunbookSection.RELAY_NOT_DEAD_LETTERING,
    },
    {
      id: 'Broken',
      metric: relayMetric(handler, 'Broken', { statistic: Stats.SUM }),
      threshold: 0,
      period: FIVE_MINUTES,
      meaning: 'The relay itself fails at a message, which comes back after the visibility timeout, for nothing.',
      runbook: RunbookSection.RELAY_FUNCTION_FAILING,
    },
  ];
}

/** What a relay is watched by, beside the alarms of its queue and its dead-letter queue. */
export function relayRows(handler: IFunction, queue: IQueue, options: HttpRelayOptions): readonly AlarmRow[] {
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
      meaning: `More than ${Tokenization.stringifyNumber(thresholdPercent)} of a hundred attempts fail, and are tried again.`,
      runbook: RunbookSection.RELAY_ENDPOINT_FAILING,
    },
    {
      id: 'Undelivered',
      metric: undelivered(handler),
      threshold: 0,
      period: patience(options),
      evaluationPeriods: 3,
      datapointsToAlarm: 2,
      meaning: 'Attempts fail, few as they are, and for more than an hour nothing has been delivered.',
      runbook: RunbookSection.RELAY_ENDPOINT_FAILING,
    },
    {
      id: 'Lateness',
      metric: hasBreaker
        ? latenessWhileClosed(handler)
        : relayMetric(handler, 'Lateness', { statistic: Stats.MAXIMUM }),
      threshold: milliseconds(lateness),
      period: FIVE_MINUTES,
      evaluationPeriods: 3,
      meaning: 'Attempts begin too long after they were due: more is due than the relay can send.',
      runbook: RunbookSection.RELAY_BEHIND_SCHEDULE,
    },
    {
      id: 'Untaken',
      metric: dueAndUntaken(queue),
      threshold: 0,
      evaluationPeriods: 15,
      meaning: 'Messages are due, and for a quarter of an hour nobody has asked for one.',
      runbook: RunbookSection.RELAY_NOT_RECEIVING,
    },
    ...messageRows(handler),
    ...functionRows(handler),
  ];
}

/** One of the metrics the function of a relay writes into its log. */
export function relayMetric(
  handler: IFunction,
  metricName: RelayMetricName | 'BreakerState',
  options?: MetricOptions,
): Metric {
  const { namespace, dimension } = RELAY_METRICS;
  return new Metric({ namespace, metricName, dimensionsMap: { [dimension]: handler.functionName }, ...options });
}

/** The same of the function, as Lambda counts it. */
export function functionSum(handler: IFunction, metricName: string): Metric {
  return handler.metric(metricName, { statistic: Stats.SUM });
}

/**
 * How many of a hundred attempts failed in a way that is tried again; 0 where there were fewer than `minimumAttempts`, and
 * nothing where nothing was written.
 *
 * One line of the log has both counts. What is not there yet is not filled: metrics come late, a newest datapoint that is
 * filled with 0 stands for each minute that is still to come, and an alarm on all datapoints would never fire.
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/using-metric-math.html
 */
export function failureRate(handler: IFunction, minimumAttempts: number): MathExpression {
  const atLeast = Tokenization.stringifyNumber(minimumAttempts);
  const statistic = Stats.SUM;
  return new MathExpression({
    label: 'failed attempts, %',
    expression: `IF(attempts >= ${atLeast}, 100 * failed / attempts, 0)`,
    usingMetrics: {
      failed: relayMetric(handler, 'FailedAttempts', { statistic }),
      attempts: relayMetric(handler, 'Attempts', { statistic }),
    },
  });
}

/**
 * 1 for a time in which attempts failed and nothing was delivered, however few they were: a rate needs many to mean
 * anything, and an endpoint that gets an order a day may be down for days before its rate says so.
 *
 * A time without attempts is filled with none, as in `untried`: the alarm asks for two of three.
 */
export function undelivered(handler: IFunction): MathExpression {
  const statistic = Stats.SUM;
  return new MathExpression({
    label: 'fails, and nothing is delivered',
    expression: 'IF(FILL(failed, 0) > 0 AND FILL(delivered, 0) == 0, 1, 0)',
    usingMetrics: {
      failed: relayMetric(handler, 'FailedAttempts', { statistic }),
      delivered: relayMetric(handler, 'Delivered', { statistic }),
    },
  });
}

/** 1 for a time in which a breaker was half open, and never closed. */
export function neverClosed(handler: IFunction): MathExpression {
  return new MathExpression({
    label: 'half open',
    expression: `IF(state == ${BREAKER_STATES['half-open']}, 1, 0)`,
    usingMetrics: { state: relayMetric(handler, 'BreakerState', { statistic: Stats.MINIMUM }) },
  });
}

/**
 * Messages for which there was nothing to send. Those of a sparse schedule come up now and then: five minutes without any
 * are filled with none, lest the alarm look for more where there is nothing, and find what was long ago. It asks for some of
 * several datapoints, for which a newest one that is filled too early does no harm.
 */
export function untried(handler: IFunction): MathExpression {
  return new MathExpression({
    label: 'messages not tried',
    expression: 'FILL(untried, 0)',
    usingMetrics: { untried: relayMetric(handler, 'Untried', { statistic: Stats.SUM }) },
  });
}

/**
 * Messages that are due, in a minute in which nobody asked for any. A message that waits to be tried again is in flight, so
 * what can be received is due; but for what waits behind such a one in its group, which SQS counts as visible and gives
 * nobody. Who asks for that gets nothing, and that is asking too.
 *
 * What is due is not filled where it is not there yet: see `failureRate`.
 */
export function dueAndUntaken(queue: IQueue): MathExpression {
  return new MathExpression({
    label: 'due, and nobody asks',
    expression: 'IF(FILL(received, 0) + FILL(empty, 0) > 0, 0, due)',
    usingMetrics: {
      received: queue.metricNumberOfMessagesReceived({ statistic: Stats.SUM }),
      empty: queue.metricNumberOfEmptyReceives({ statistic: Stats.SUM }),
      due: queue.metricApproximateNumberOfMessagesVisible({ statistic: Stats.MINIMUM }),
    },
  });
}

/**
 * How late attempts begin while all messages are let through. What a breaker stopped, and lets through one by one, is late
 * as a matter of course, and a stopped relay has an alarm of its own. A breaker says its state once in each of its looks, and
 * a look of which nothing is known yet is taken for one of a closed breaker: so it needs several to be sure.
 */
export function latenessWhileClosed(handler: IFunction): MathExpression {
  return new MathExpression({
    label: 'late by, ms',
    expression: 'IF(FILL(state, 0) > 0, 0, late)',
    usingMetrics: {
      state: relayMetric(handler, 'BreakerState', { statistic: Stats.MAXIMUM }),
      late: relayMetric(handler, 'Lateness', { statistic: Stats.MAXIMUM }),
    },
  });
}
