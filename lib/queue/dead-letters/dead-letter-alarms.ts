import { Duration, Lazy } from 'aws-cdk-lib';
import { Stats, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { type AlarmRow, RunbookSection } from '../../shared/alarms';
import type { DeadLetterArrivals } from '../feeders/feeder';
import type { IDeadLetterQueue } from '../i-dead-letter-queue';
import type { Expiry } from './expiry';

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
  runbook: RunbookSection.DEAD_LETTERS_ARRIVED,
};

const WAITING = {
  id: 'Waiting',
  threshold: 0,
  runbook: RunbookSection.DEAD_LETTERS_WAITING,
};

/** CloudWatch takes descriptions of 1,024 characters; this leaves room for the rest of the sentence, and a link. */
const MOST_CHARACTERS = 600;

/** What feeders bring, as many of them as there is room for, and what is said of the others. */
function reported(brought: readonly DeadLetterArrivals[], arrives: DeadLetterArrivals['by']): string {
  const all = [...new Set(brought.filter(it => it.by === arrives).map(({ what }) => what))];
  let length = 0;
  const shown = all.filter(what => {
    length += what.length;
    return length <= MOST_CHARACTERS;
  });
  const rest = all.length - shown.length;
  return [...shown, ...(rest > 0 ? [`what ${rest} others sent`] : [])].join(', or ');
}

/** The alarm that cannot miss, by how dead letters arrive. It names whoever feeds the queue by the time of synthesis. */
export function arrivalRow(
  queue: IDeadLetterQueue,
  arrives: DeadLetterArrivals['by'],
  brought: readonly DeadLetterArrivals[],
): AlarmRow {
  const feeders = Lazy.string({ produce: () => reported(brought, arrives) });
  if (arrives === 'sent') {
    return { ...ARRIVALS, metric: queue.metricArrivals(), meaning: `A dead letter was sent here: ${feeders}.` };
  }
  const meaning = `SQS moved a message here after its last receive from ${feeders}. The alarm stays, and tells nobody again, until the queue is empty.`;
  return { ...WAITING, metric: queue.metricWaiting(), meaning };
}

/** What the age alarm means: sure of it only where all retentions are known. */
function ageMeaning({ isKnown }: Expiry): string {
  return isKnown
    ? 'The oldest dead letter expires soon, and is then gone for good.'
    : 'There is a dead letter, and how long it is kept was not known before deployment: it may expire soon, and is then gone for good.';
}

export function ageRow(queue: IDeadLetterQueue, expiry: Expiry): AlarmRow {
  return {
    id: 'Age',
    metric: queue.metricApproximateAgeOfOldestMessage({ statistic: Stats.MAXIMUM }),
    threshold: expiry.thresholdSeconds,
    meaning: Lazy.string({ produce: () => ageMeaning(expiry) }),
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
