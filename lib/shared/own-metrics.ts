import { Duration } from 'aws-cdk-lib';
import { MathExpression, Metric, type MetricOptions, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import {
  FLEET_METRICS,
  type FleetMetricName,
  REDRIVE_METRICS,
  RELAY_METRICS,
  type RedriveMetricName,
  type RelayMetricName,
} from '../../policy/metric-names';

/** The metrics of an `HttpRelay`. Times are in milliseconds. */
export enum RelayMetric {
  /** Counts requests to the endpoint, including immediate retries. */
  ATTEMPTS = 'Attempts',
  /** Counts messages that the endpoint accepted. */
  DELIVERED = 'Delivered',
  /** Counts messages that will be retried later. */
  RETRIED = 'Retried',
  /** Counts messages that the function sent to the dead-letter queue, without those that SQS moved. */
  DEAD = 'Dead',
  /** Counts messages that the function could not send to the dead-letter queue; they stay in the queue. */
  DEAD_LETTERING_FAILED = 'DeadLetteringFailed',
  /** Counts attempts that failed and can be retried. */
  FAILED_ATTEMPTS = 'FailedAttempts',
  /**
   * Counts those of the failed attempts that the endpoint answered with a redirect or a client error other than 408, 425
   * and 429.
   */
  CLIENT_ERRORS = 'ClientErrors',
  /** Counts messages that were returned without an attempt, because the invocation had no time left. */
  HANDED_BACK = 'HandedBack',
  /**
   * Counts messages that were not attempted, because a secret could not be read or is invalid, or there is no access
   * token.
   */
  UNTRIED = 'Untried',
  /** Counts messages on which the relay itself failed; they return to the queue. */
  BROKEN = 'Broken',
  /** The duration of requests. */
  LATENCY = 'Latency',
  /** The delay of attempts beyond their schedule. */
  LATENESS = 'Lateness',
  /**
   * The state of the breaker: 0 closed, 1 half open, 2 open, 3 stopped manually. No value if `circuitBreaker.enabled` is
   * false.
   */
  BREAKER_STATE = 'BreakerState',
}

/** The metrics of a `RelayFleet`, for all endpoints together. Times are in milliseconds. */
export enum FleetMetric {
  /** Counts requests to endpoints. */
  ATTEMPTS = 'Attempts',
  /** Counts messages that an endpoint accepted. */
  DELIVERED = 'Delivered',
  /** Counts attempts that failed. */
  FAILED_ATTEMPTS = 'FailedAttempts',
  /** Counts messages that were put into the table to wait there. */
  PARKED = 'Parked',
  /**
   * The number of messages in the table, counted within ten minutes, or later if they take more than some megabytes. No
   * value while there are none.
   */
  PARKED_MESSAGES = 'ParkedMessages',
  /** Counts messages that left the table again. */
  RETURNED = 'Returned',
  /** Counts messages that the fleet sent to the dead-letter queue. */
  DEAD = 'Dead',
  /** Counts endpoints that the fleet disabled. */
  DISABLED = 'Disabled',
  /** The number of endpoints that are down, or whose parked messages come back. */
  OPEN_ENDPOINTS = 'OpenEndpoints',
  /** Counts messages on which the fleet itself failed; they are tried again. */
  BROKEN = 'Broken',
  /** The duration of requests. */
  LATENCY = 'Latency',
  /** How long parked messages wait that could be sent. */
  OLDEST_DUE = 'OldestDue',
}

/** The metrics of a `Redrive`. */
export enum RedriveMetric {
  /** The state: 0 idle, 1 moving, 2 settling, 3 stopped for a cause. */
  STATE = 'RedriveState',
  /** Counts runs that started. */
  RUNS_STARTED = 'RunsStarted',
  /** Counts requests by a schedule or an operator that started no run although there were messages. */
  RUNS_REFUSED = 'RunsRefused',
  /** Counts runs that ended successfully. */
  RUNS_FINISHED = 'RunsFinished',
  /** Counts runs that stopped for a cause. */
  RUNS_STOPPED = 'RunsStopped',
  /** Counts messages moved by runs that have ended. */
  MOVED = 'Moved',
  /** Counts moved messages that returned. */
  RETURNED = 'Returned',
}

/** The metrics that are no counts. */
const STATISTICS: Readonly<Record<string, string>> = {
  Latency: Stats.AVERAGE,
  Lateness: Stats.MAXIMUM,
  BreakerState: Stats.MAXIMUM,
  OpenEndpoints: Stats.MAXIMUM,
  ParkedMessages: Stats.MAXIMUM,
  OldestDue: Stats.MAXIMUM,
  RedriveState: Stats.MAXIMUM,
};

function ownMetric(
  metricName: string,
  { namespace, dimension }: { readonly namespace: string; readonly dimension: string },
  value: string,
  options?: MetricOptions,
): Metric {
  const statistic = STATISTICS[metricName] ?? Stats.SUM;
  const dimensionsMap = { [dimension]: value };
  return new Metric({ namespace, metricName, dimensionsMap, statistic, period: Duration.minutes(5), ...options });
}

export function relayMetric(handler: IFunction, name: `${RelayMetric}`, options?: MetricOptions): Metric {
  const metricName: RelayMetricName | 'BreakerState' = name;
  return ownMetric(metricName, RELAY_METRICS, handler.functionName, options);
}

export function fleetMetric(fleetName: string, name: `${FleetMetric}`, options?: MetricOptions): Metric {
  const metricName: FleetMetricName = name;
  return ownMetric(metricName, FLEET_METRICS, fleetName, options);
}

export function redriveMetric(handler: IFunction, name: `${RedriveMetric}`, options?: MetricOptions): Metric {
  const metricName: RedriveMetricName = name;
  return ownMetric(metricName, REDRIVE_METRICS, handler.functionName, options);
}

/** A metric of the function from Lambda, as a sum. */
export function functionSum(handler: IFunction, metricName: string): Metric {
  return handler.metric(metricName, { statistic: Stats.SUM });
}

/** 1 where one of the conditions holds, otherwise 0. */
export function anyOf(
  label: string,
  conditions: readonly string[],
  usingMetrics: Record<string, Metric>,
): MathExpression {
  const expression = `IF(${conditions.map(it => `(${it})`).join(' OR ')}, 1, 0)`;
  return new MathExpression({ label, expression, usingMetrics });
}
