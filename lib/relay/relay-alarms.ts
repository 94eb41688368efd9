import { Duration, Token, Tokenization } from 'aws-cdk-lib';
import { Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { type AlarmRow, RunbookSection } from '../shared/alarms';
import type { HttpRelayOptions } from './http-relay-props';
import {
  dueAndUntaken,
  failureRate,
  functionSum,
  latenessWhileClosed,
  relayMetric,
  undelivered,
  untried,
} from './relay-metrics';
import { relayRetryPolicy } from './relay-plan';
import { milliseconds } from './unknown-durations';

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
