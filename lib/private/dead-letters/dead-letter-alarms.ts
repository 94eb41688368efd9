import { Duration } from 'aws-cdk-lib';
import { Stats, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import type { IDeadLetterQueue } from '../../i-dead-letter-queue';
import { type AlarmRow, RunbookSection } from '../alarms';
import type { Feeder } from '../feeders/feeder';

/**
 * A queue that was idle is measured again up to 15 minutes late, and idle is what a dead-letter queue is. CloudWatch looks
 * at a few minutes more than an alarm states, and never at a datapoint that comes after those: so this one states twenty,
 * of which one is enough. It fires as soon as the datapoint is there, and once for dead letters that trickle in.
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/monitoring-using-cloudwatch.html
 */
const ARRIVALS = {
  id: 'Arrivals',
  threshold: 0,
  evaluationPeriods: 20,
  datapointsToAlarm: 1,
  meaning: 'Somebody gave up on a message and sent it to this dead-letter queue.',
  runbook: RunbookSection.DEAD_LETTERS_ARRIVED,
};

const WAITING = {
  id: 'Waiting',
  threshold: 0,
  meaning:
    'SQS moved a message here after its last receive. The alarm stays, and tells nobody again, until the queue is empty.',
  runbook: RunbookSection.DEAD_LETTERS_WAITING,
};

/** The alarm that cannot miss, by how dead letters arrive. */
export function arrivalRow(queue: IDeadLetterQueue, arrives: Feeder['arrives']): AlarmRow {
  if (arrives === 'sent') return { ...ARRIVALS, metric: queue.metricArrivals() };
  return { ...WAITING, metric: queue.metricWaiting() };
}

export function ageRow(queue: IDeadLetterQueue, thresholdSeconds: number): AlarmRow {
  return {
    id: 'Age',
    metric: queue.metricApproximateAgeOfOldestMessage({ statistic: Stats.MAXIMUM }),
    threshold: thresholdSeconds,
    meaning: 'The oldest dead letter expires soon, and is then gone for good.',
    runbook: RunbookSection.DEAD_LETTERS_AGEING,
  };
}

/**
 * The least there was to see in each hour, for so many hours. AWS says that a queue is measured for up to six hours if it
 * holds messages, which leaves open whether a forgotten one is measured on: an hour without a datapoint is therefore held
 * to be as the hours before it, by CloudWatch's rule for missing data, and neither empty nor full.
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarms-and-missing-data.html
 */
export function unattendedRow(queue: IDeadLetterQueue, hours: number): AlarmRow {
  return {
    id: 'Unattended',
    metric: queue.metricWaiting({ statistic: Stats.MINIMUM }),
    threshold: 0,
    period: Duration.hours(1),
    evaluationPeriods: hours,
    missingData: TreatMissingData.MISSING,
    meaning: `Dead letters have waited for ${hours} hours, and nobody has taken them out.`,
    runbook: RunbookSection.DEAD_LETTERS_UNATTENDED,
  };
}
