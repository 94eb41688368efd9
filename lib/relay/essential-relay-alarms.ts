import { Duration, Tokenization } from 'aws-cdk-lib';
import { type Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { IN_FLIGHT_MARKS } from '../../policy/aws-limits';
import { BREAKER_STATES } from '../../policy/relay/breaker';
import { depthMetrics, GROWTH_EXPRESSION } from '../queue/dead-letter-alarms';
import { monitorOf } from '../queue/feeder-registry';
import { AlarmSet } from '../shared/alarm-set';
import { type AlarmRow, RunbookSection } from '../shared/alarms';
import { milliseconds } from '../shared/checks';
import { anyOf, functionSum, relayMetric } from '../shared/own-metrics';
import type { HttpRelayOptions } from './http-relay-props';
import { DEFAULT_LATENESS, DEFAULT_RATE, FAILING_PERIODS, undelivered, undeliveredPeriods } from './relay-alarms';
import type { RelaySizing } from './relay-sizing';

const FIVE_MINUTES = Duration.minutes(5);

interface WatchedRelay {
  readonly handler: IFunction;
  readonly queue: IQueue;
  readonly deadLetters: IQueue;
  readonly plan: RelaySizing;
  readonly options: HttpRelayOptions;
}

/** The state of the breaker, which is checked every five minutes or, with long requests, every ten or fifteen. */
const STATE = 'FILL(FILL(state, REPEAT), 0)';

/** The id of the alarm on messages in danger. */
export const IN_DANGER = 'InDanger';

/**
 * The alarms of `AlarmSet.ESSENTIAL`, which also watch the queue of the relay and its dead-letter queue. Each is one
 * situation: look at the dead letters, at the endpoint, at the relay, or act before messages are lost.
 */
export function essentialRelayRows(relay: WatchedRelay): readonly AlarmRow[] {
  return [deadLetteredRow(relay), endpointFailingRow(relay), stalledRow(relay), inDangerRow(relay)].map(row => ({
    ...row,
    only: AlarmSet.ESSENTIAL,
  }));
}

function all(conditions: readonly string[]): string {
  return conditions.map(it => `(${it})`).join(' AND ');
}

/** The relay and SNS send dead letters; SQS moves some. Sent ones are counted even if others are removed meanwhile. */
function deadLetteredRow({ deadLetters }: WatchedRelay): AlarmRow {
  return {
    id: 'DeadLettered',
    metric: anyOf('a dead letter arrived', ['FILL(sent, 0) > 0', `FILL(${GROWTH_EXPRESSION}, 0) > 0`], {
      sent: deadLetters.metricNumberOfMessagesSent({ statistic: Stats.SUM }),
      ...depthMetrics(deadLetters),
    }),
    threshold: 0,
    evaluationPeriods: 20,
    datapointsToAlarm: 1,
    meaning:
      'A message went to the dead-letter queue: the endpoint refused it, or did not accept it in time, or the relay or SNS failed on it.',
    runbook: RunbookSection.DEAD_LETTERS_ARRIVED,
  };
}

/**
 * Deliveries fail, or are late. With many messages, a failing endpoint shows as a failure rate or an open breaker. With few,
 * it shows as failures without any delivery since, for most of an hour.
 */
function endpointFailingRow({ handler, options }: WatchedRelay): AlarmRow {
  const { failureRateAlarm: rate = {}, latenessAlarmThreshold: lateness = DEFAULT_LATENESS } = options;
  const hasBreaker = options.circuitBreaker?.enabled !== false;
  const { thresholdPercent = DEFAULT_RATE.thresholdPercent, minimumAttempts = DEFAULT_RATE.minimumAttempts } = rate;
  const [percent, fewest, lateMs] = [thresholdPercent, minimumAttempts, milliseconds(lateness)].map(it =>
    Tokenization.stringifyNumber(it),
  );
  const outcome = undelivered(handler);
  const conditions = [
    `${outcome.expression} > 0`,
    `FILL(late, 0) > ${lateMs}`,
    ...(hasBreaker ? [`${STATE} > ${BREAKER_STATES['half-open']}`] : []),
    all([`FILL(attempts, 0) >= ${fewest}`, `100 * FILL(failed, 0) > ${percent} * FILL(attempts, 0)`]),
  ];
  return {
    id: 'EndpointFailing',
    metric: anyOf('failing or late', conditions, {
      ...outcome.usingMetrics,
      late: relayMetric(handler, 'Lateness'),
      ...(hasBreaker && { state: relayMetric(handler, 'BreakerState') }),
      attempts: relayMetric(handler, 'Attempts'),
    }),
    threshold: 0,
    period: FIVE_MINUTES,
    evaluationPeriods: undeliveredPeriods(options),
    datapointsToAlarm: FAILING_PERIODS,
    meaning:
      'Messages are not delivered in time: the endpoint fails, the relay is stopped by its breaker or manually, or more messages are due than it can send.',
    runbook: RunbookSection.RELAY_ENDPOINT_FAILING,
  };
}

/**
 * The relay itself makes no progress. While an endpoint fails and the breaker has stopped the relay, due messages are not
 * received by design. In a FIFO queue, messages that wait behind another of their group count as visible too. For it, the
 * alarm asks only whether the queue is received from.
 */
function stalledRow({ handler, queue, options }: WatchedRelay): AlarmRow {
  const statistic = Stats.SUM;
  const runs: Record<string, Metric> = options.fifo
    ? {
        received: queue.metricNumberOfMessagesReceived({ statistic }),
        empty: queue.metricNumberOfEmptyReceives({ statistic }),
      }
    : { invoked: functionSum(handler, 'Invocations') };
  const hasBreaker = options.circuitBreaker?.enabled !== false;
  const isStalled = [
    'FILL(due, 0) > 0',
    ...Object.keys(runs).map(id => `FILL(${id}, 0) == 0`),
    ...(hasBreaker ? [`${STATE} < ${BREAKER_STATES.open}`] : []),
  ];
  return {
    id: 'Stalled',
    metric: anyOf(
      'no progress',
      [...['errors', 'throttled', 'broken', 'untried', 'unsent'].map(id => `FILL(${id}, 0) > 0`), all(isStalled)],
      {
        errors: functionSum(handler, 'Errors'),
        throttled: functionSum(handler, 'Throttles'),
        broken: relayMetric(handler, 'Broken'),
        untried: relayMetric(handler, 'Untried'),
        unsent: relayMetric(handler, 'DeadLetteringFailed'),
        due: queue.metricApproximateNumberOfMessagesVisible({ statistic: Stats.MINIMUM }),
        ...runs,
        ...(hasBreaker && { state: relayMetric(handler, 'BreakerState') }),
      },
    ),
    threshold: 0,
    period: FIVE_MINUTES,
    evaluationPeriods: 4,
    datapointsToAlarm: 2,
    meaning:
      'The relay itself is broken: its function fails or is throttled, a secret cannot be read, due messages are not received or not tried, or it cannot send to its dead-letter queue.',
    runbook: RunbookSection.RELAY_STALLED,
  };
}

function inDangerRow({ queue, deadLetters, plan }: WatchedRelay): AlarmRow {
  const expiresSoonSeconds = monitorOf(deadLetters)?.expiresSoonSeconds ?? 0;
  const conditions = [
    `FILL(age, 0) > ${plan.ageAlarmSeconds}`,
    `FILL(hidden, 0) > ${IN_FLIGHT_MARKS.alarm}`,
    `FILL(dead, 0) > ${expiresSoonSeconds}`,
  ];
  return {
    id: IN_DANGER,
    metric: anyOf('messages in danger', conditions, {
      age: queue.metricApproximateAgeOfOldestMessage({ statistic: Stats.MAXIMUM }),
      hidden: queue.metricApproximateNumberOfMessagesNotVisible({ statistic: Stats.MAXIMUM }),
      dead: deadLetters.metricApproximateAgeOfOldestMessage({ statistic: Stats.MAXIMUM }),
    }),
    threshold: 0,
    period: FIVE_MINUTES,
    evaluationPeriods: 3,
    datapointsToAlarm: 1,
    meaning:
      'Messages of the relay will be lost or stopped soon: one waits for too long, a dead letter expires, or the queue is near its limit of messages in flight.',
    runbook: RunbookSection.RELAY_MESSAGES_IN_DANGER,
  };
}
