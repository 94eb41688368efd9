import { Duration, Lazy } from 'aws-cdk-lib';
import { type Alarm, CfnAlarm, Stats, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { type AlarmRow, RunbookSection } from '../shared/alarms';
import { warn } from '../shared/checks';
import type { DeadLetterArrivals } from './feeder-registry';
import type { IDeadLetterQueue } from './i-dead-letter-queue';
import { LONGEST_RETENTION_SECONDS, retentionSeconds } from './queue-checks';

/**
 * SQS resumes the metrics of an idle queue up to 15 minutes late, and dead-letter queues are usually idle. CloudWatch
 * reads a few minutes more than the evaluation range, and ignores datapoints that arrive later. So the range is 20
 * minutes, of which one datapoint is enough. The alarm fires as soon as the datapoint arrives, and once for a series of
 * dead letters.
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

/** CloudWatch accepts descriptions of 1,024 characters. This leaves room for the rest of the sentence and the link. */
const MAX_CHARACTERS = 600;

/** The sources of one kind of arrival: as many as fit, and the number of the others. */
function feedersText(brought: readonly DeadLetterArrivals[], arrives: DeadLetterArrivals['by']): string {
  const all = [...new Set(brought.filter(it => it.by === arrives).map(({ what }) => what))];
  let length = 0;
  const shown = all.filter(what => {
    length += what.length;
    return length <= MAX_CHARACTERS;
  });
  const rest = all.length - shown.length;
  return [...shown, ...(rest > 0 ? [`${rest} others`] : [])].join(', or ');
}

/**
 * The alarm on arriving dead letters. Its metric depends on whether they are sent or moved. It names all sources that
 * are known at synthesis.
 */
export function arrivalRow(
  queue: IDeadLetterQueue,
  arrives: DeadLetterArrivals['by'],
  brought: readonly DeadLetterArrivals[],
): AlarmRow {
  const feeders = Lazy.string({ produce: () => feedersText(brought, arrives) });
  if (arrives === 'sent') {
    return {
      ...ARRIVALS,
      metric: queue.metricArrivals(),
      meaning: `A dead letter was sent to this queue: ${feeders}.`,
    };
  }
  const meaning = `SQS moved a message to this queue after its last receive from ${feeders}. The alarm stays in ALARM, without further notifications, until the queue is empty.`;
  return { ...WAITING, metric: queue.metricWaiting(), meaning };
}

/** The description of the age alarm. It states the expiry only if all retentions are known. */
function ageMeaning({ isKnown }: Expiry): string {
  return isKnown
    ? 'The oldest dead letter expires soon. It is then lost.'
    : 'There is a dead letter. Its retention was not known before deployment, so it may expire soon. It is then lost.';
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
 * The alarm fires if the minimum number of visible messages was above 0 in each of so many hours. AWS says that SQS
 * sends metrics for up to six hours after the last activity if a queue holds messages, and not what happens after that.
 * So an hour without a datapoint keeps the state of the hours before it: missing data is treated as missing.
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
    meaning: `Dead letters have waited for ${hours} hours without being received or deleted.`,
    runbook: RunbookSection.DEAD_LETTERS_UNATTENDED,
  };
}

/** When the dead letters of a queue expire, and the threshold of the age alarm. */
export class Expiry {
  private longestSourceSeconds = 0;
  private knowsSources = true;

  /** @param keptSeconds how long the queue stores a message; undefined if it is not known before deployment */
  constructor(
    private readonly queue: IDeadLetterQueue,
    private readonly keptSeconds: number | undefined,
    private readonly timeToRespondSeconds: number,
  ) {}

  /**
   * SQS measures the age from the move, but the expiry from the first send. So the longest time that a message may have
   * spent in a source is subtracted. If a retention is not known before deployment, the threshold is 0 and the alarm
   * fires early rather than too late.
   */
  public get thresholdSeconds(): number {
    return Math.max(0, (this.keptSeconds ?? 0) - this.longestSourceSeconds - this.timeToRespondSeconds);
  }

  /** Whether the retentions of the queue and all its sources are known before deployment. */
  public get isKnown(): boolean {
    return this.keptSeconds !== undefined && this.knowsSources;
  }

  /** Subtracts the retention of `source`, and warns if that leaves no time. */
  public subtractSource(source: IQueue, ageAlarm: Alarm): void {
    const sourceSeconds = retentionSeconds(source);
    const { keptSeconds } = this;
    if (sourceSeconds === undefined) this.knowsSources = false;
    if (sourceSeconds !== undefined && keptSeconds !== undefined && keptSeconds <= sourceSeconds) {
      const message = `It keeps messages for ${keptSeconds} s and its source ${source.node.path} for ${sourceSeconds} s, both counted from the first send. A message may expire as soon as it is moved: set a shorter retention on the source.`;
      warn(this.queue, 'dead-letters-expire-early', message);
    }
    this.longestSourceSeconds = Math.max(this.longestSourceSeconds, sourceSeconds ?? LONGEST_RETENTION_SECONDS);
    const resource = ageAlarm.node.defaultChild;
    if (resource instanceof CfnAlarm) resource.threshold = this.thresholdSeconds;
  }
}

const ADVICE =
  'This queue is a quarantine, which no Redrive empties: fix the cause, then move the messages back manually or delete them.';

/** The alarms whose runbook section is different for a quarantine. */
const IN_QUARANTINE: readonly RunbookSection[] = [
  RunbookSection.DEAD_LETTERS_ARRIVED,
  RunbookSection.DEAD_LETTERS_WAITING,
  RunbookSection.DEAD_LETTERS_UNATTENDED,
];

/** Adapts the text of an alarm if the queue is a quarantine, whose messages an operator must handle. */
export function worded(queue: IQueue, row: AlarmRow): AlarmRow {
  if (!isQuarantine(queue)) return row;
  const runbook = IN_QUARANTINE.includes(row.runbook) ? RunbookSection.DEAD_LETTERS_IN_QUARANTINE : row.runbook;
  return { ...row, runbook, meaning: `${row.meaning} ${ADVICE}` };
}

/** A global symbol, because an app may load this library twice. */
const QUARANTINE: unique symbol = Symbol.for('dead-letter-office.Quarantine');

/** Marks all queues of a class as quarantines, already while they are being constructed. */
export function markQuarantines({ prototype }: { readonly prototype: IQueue }): void {
  Object.defineProperty(prototype, QUARANTINE, { value: true });
}

/**
 * Whether a queue is a quarantine. This includes queues imported by a quarantine's ARN. Its messages have had their
 * automatic retry, and no automation removes them.
 */
export function isQuarantine(queue: IQueue): boolean {
  if (QUARANTINE in queue) return true;
  const all = queue.node.root.node.findAll();
  return all.some(it => QUARANTINE in it && 'queueArn' in it && it.queueArn === queue.queueArn);
}
