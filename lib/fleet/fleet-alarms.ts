import { Duration, Tokenization } from 'aws-cdk-lib';
import { MathExpression, type Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { monitorOf } from '../queue/feeder-registry';
import { DEFAULT_RATE } from '../relay/relay-alarms';
import { AlarmSet } from '../shared/alarm-set';
import { type AlarmRow, RunbookSection } from '../shared/alarms';
import { milliseconds } from '../shared/checks';
import { anyOf, fleetMetric, functionSum } from '../shared/own-metrics';
import { FLEET_DEFAULTS } from './fleet-checks';
import type { RelayFleetProps } from './relay-fleet-props';

const FIVE_MINUTES = Duration.minutes(5);

/** The ids of the alarms that also watch the queues. */
export const STALLED = 'Stalled';
export const EXPIRING = 'Expiring';

/** What the alarms of a fleet watch. */
export interface WatchedFleet {
  readonly fleetName: string;
  readonly dispatcher: IFunction;
  readonly deliverer: IFunction;
  readonly prober: IFunction;
  readonly eventsQueue: IQueue;
  readonly deliveriesQueue: IQueue;
  readonly deadLetterQueue: IQueue;
}

/** The alarms of a fleet. Those of `AlarmSet.ESSENTIAL` also watch its queues: AWS bills an alarm for each of its metrics. */
export function fleetRows(fleet: WatchedFleet, props: RelayFleetProps): readonly AlarmRow[] {
  return [
    failingRow(fleet, props),
    ...[deadLetteredRow(fleet), stalledRow(fleet, props), expiringRow(fleet)].map(row => ({
      ...row,
      only: AlarmSet.ESSENTIAL,
    })),
    ...rowsOfCauses(fleet, props).map(row => ({ ...row, only: AlarmSet.ALL })),
  ];
}

/**
 * A message that waits in the table counts like a failed one: once every breaker is open, there are few attempts. After a failed attempt a
 * message may be parked too, so the larger of both numbers counts.
 */
function failingRow(fleet: WatchedFleet, { failureRateAlarm = {} }: RelayFleetProps): AlarmRow {
  const { thresholdPercent = DEFAULT_RATE.thresholdPercent, minimumAttempts = DEFAULT_RATE.minimumAttempts } =
    failureRateAlarm;
  const bad = 'IF(FILL(failed, 0) > FILL(parked, 0), FILL(failed, 0), FILL(parked, 0))';
  const all = `(${bad} + FILL(delivered, 0))`;
  return {
    id: 'EndpointsFailing',
    metric: new MathExpression({
      label: 'failed or waiting, %',
      expression: `IF(${all} >= ${Tokenization.stringifyNumber(minimumAttempts)}, 100 * ${bad} / ${all}, 0)`,
      usingMetrics: {
        failed: fleetMetric(fleet.fleetName, 'FailedAttempts'),
        parked: fleetMetric(fleet.fleetName, 'Parked'),
        delivered: fleetMetric(fleet.fleetName, 'Delivered'),
      },
    }),
    threshold: thresholdPercent,
    period: FIVE_MINUTES,
    evaluationPeriods: 3,
    meaning: `More than ${Tokenization.stringifyNumber(thresholdPercent)} percent of the messages fail, or wait because their endpoint is down or has reached its ceiling.`,
    runbook: RunbookSection.FLEET_ENDPOINTS_FAILING,
  };
}

/**
 * The functions and SNS send dead letters. They count also in a minute in which a replay removes as many. SQS itself moves a message only
 * after 1,000 receives, days after `Stalled` has fired, and `Expiring` sees it too, so a second metric, which AWS bills, would add little.
 */
function deadLetteredRow({ deadLetterQueue }: WatchedFleet): AlarmRow {
  return {
    id: 'DeadLettered',
    metric: deadLetterQueue.metricNumberOfMessagesSent({ statistic: Stats.SUM }),
    threshold: 0,
    evaluationPeriods: 20,
    datapointsToAlarm: 1,
    meaning:
      'A message went to the dead-letter queue: its endpoint refused it, or did not accept it in time or was removed, or the event is not valid.',
    runbook: RunbookSection.DEAD_LETTERS_ARRIVED,
  };
}

function expiringRow({ deadLetterQueue }: WatchedFleet): AlarmRow {
  return {
    id: EXPIRING,
    metric: deadLetterQueue.metricApproximateAgeOfOldestMessage({ statistic: Stats.MAXIMUM }),
    threshold: monitorOf(deadLetterQueue)?.expiresSoonSeconds ?? 0,
    meaning: 'The oldest dead letter expires soon. It is then lost.',
    runbook: RunbookSection.DEAD_LETTERS_AGEING,
  };
}

const oldest = (queue: IQueue) => queue.metricApproximateAgeOfOldestMessage({ statistic: Stats.MAXIMUM });

/**
 * The prober is invoked every minute. A period without a successful invocation has no datapoint of its own, so a metric that is always
 * there is needed: Lambda polls the events queue all the time, and SQS reports the number of visible messages of a queue that is active,
 * while it documents an age only for a queue that has messages.
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-available-cloudwatch-metrics.html
 */
const PROBER_STOPPED = '(FILL(visible, -1) >= 0) AND (FILL(probed, 0) - FILL(probeErrors, 0) < 1)';

function proberMetrics({ prober, eventsQueue }: WatchedFleet): Record<'visible' | 'probed' | 'probeErrors', Metric> {
  return {
    visible: eventsQueue.metricApproximateNumberOfMessagesVisible({ statistic: Stats.MAXIMUM }),
    probed: functionSum(prober, 'Invocations'),
    probeErrors: functionSum(prober, 'Errors'),
  };
}

/** A message that waits for the table or a queue is tried every 15 minutes at last, and meanwhile the alarm must not return to OK. */
const OF_STALLED = { threshold: 0, period: FIVE_MINUTES, evaluationPeriods: 8, datapointsToAlarm: 2 };

function stalledRow(fleet: WatchedFleet, { latenessAlarmThreshold: late }: RelayFleetProps): AlarmRow {
  const { dispatcher, deliverer, eventsQueue, deliveriesQueue } = fleet;
  const lateness = late ?? FLEET_DEFAULTS.latenessAlarmThreshold;
  const [seconds, ms] = [lateness.toSeconds(), milliseconds(lateness)].map(it => Tokenization.stringifyNumber(it));
  const conditions = [
    ...['dispatchErrors', 'deliveryErrors', 'broken'].map(id => `FILL(${id}, 0) > 0`),
    `FILL(events, 0) > ${seconds}`,
    `FILL(deliveries, 0) > ${seconds}`,
    `FILL(due, 0) > ${ms}`,
    PROBER_STOPPED,
  ];
  return {
    ...OF_STALLED,
    id: STALLED,
    metric: anyOf('no progress', conditions, {
      dispatchErrors: functionSum(dispatcher, 'Errors'),
      deliveryErrors: functionSum(deliverer, 'Errors'),
      broken: fleetMetric(fleet.fleetName, 'Broken'),
      events: oldest(eventsQueue),
      deliveries: oldest(deliveriesQueue),
      due: fleetMetric(fleet.fleetName, 'OldestDue'),
      ...proberMetrics(fleet),
    }),
    meaning:
      'The fleet itself makes no progress: a function fails, is throttled or is not invoked, or messages that could be sent wait.',
    runbook: RunbookSection.FLEET_STALLED,
  };
}

/** The alarms of `AlarmSet.ALL`, where the queues have alarms of their own. */
function rowsOfCauses(fleet: WatchedFleet, { latenessAlarmThreshold: late }: RelayFleetProps): readonly AlarmRow[] {
  const { dispatcher, deliverer } = fleet;
  const runbook = RunbookSection.FLEET_STALLED;
  const either = (label: string, name: 'Errors' | 'Throttles') =>
    anyOf(label, ['FILL(dispatch, 0) > 0', 'FILL(delivery, 0) > 0'], {
      dispatch: functionSum(dispatcher, name),
      delivery: functionSum(deliverer, name),
    });
  return [
    {
      id: 'Errors',
      metric: either('errors', 'Errors'),
      threshold: 0,
      meaning:
        'The dispatcher or the deliverer failed. Its messages return to their queue after the visibility timeout.',
      runbook,
    },
    {
      id: 'Throttles',
      metric: either('throttles', 'Throttles'),
      threshold: 0,
      period: FIVE_MINUTES,
      evaluationPeriods: 3,
      meaning: 'Lambda throttles the dispatcher or the deliverer: the concurrency of the account is too low.',
      runbook,
    },
    {
      ...OF_STALLED,
      id: 'Broken',
      metric: fleetMetric(fleet.fleetName, 'Broken'),
      meaning:
        'The table, a queue or a secret could not be used. The messages stay where they are and are tried again.',
      runbook,
    },
    {
      ...OF_STALLED,
      id: 'ProberStopped',
      metric: anyOf('prober stopped', [PROBER_STOPPED], proberMetrics(fleet)),
      meaning:
        'The prober fails or is not invoked. Endpoints that are down are not probed, and parked messages stay parked.',
      runbook,
    },
    {
      id: 'OldestDue',
      metric: fleetMetric(fleet.fleetName, 'OldestDue'),
      threshold: milliseconds(late ?? FLEET_DEFAULTS.latenessAlarmThreshold),
      period: FIVE_MINUTES,
      evaluationPeriods: 3,
      meaning: 'Parked messages that could be sent wait: more come back than the fleet can send.',
      runbook,
    },
  ];
}
