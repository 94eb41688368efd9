import { Duration, Lazy } from 'aws-cdk-lib';
import { type Alarm, CfnAlarm, MathExpression, type Metric, Stats, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { AlarmSet } from '../shared/alarm-set';
import { type AlarmRow, RunbookSection, shortList } from '../shared/alarms';
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
  only: AlarmSet.ALL,
  // The growth alarm has reported the same messages.
  hasActions: false,
  threshold: 0,
  runbook: RunbookSection.DEAD_LETTERS_WAITING,
};

const GROWTH = { ...ARRIVALS, id: 'Growth' };

/**
 * How many messages more a dead-letter queue holds than a minute before, whether they were sent or moved. A message that
 * somebody receives stays in the count. SQS sends the metrics of a queue until six hours after the last activity, and
 * then none. So a missing number repeats the one before, and one without any before counts as 0: the first message of an
 * idle queue counts. The price is that a queue with messages counts as growing if somebody looks at it after six idle hours.
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/monitoring-using-cloudwatch.html
 */
export const GROWTH_EXPRESSION = 'DIFF(FILL(FILL(visible + hidden, REPEAT), 0))';

/** The metrics of `GROWTH_EXPRESSION`. */
export function depthMetrics(queue: IQueue): Record<'visible' | 'hidden', Metric> {
  return {
    visible: queue.metricApproximateNumberOfMessagesVisible({ statistic: Stats.MAXIMUM }),
    hidden: queue.metricApproximateNumberOfMessagesNotVisible({ statistic: Stats.MAXIMUM }),
  };
}

function growth(queue: IQueue): MathExpression {
  return new MathExpression({
    label: 'dead letters more than a minute before',
    expression: GROWTH_EXPRESSION,
    usingMetrics: depthMetrics(queue),
  });
}

function feedersText(brought: readonly DeadLetterArrivals[], arrives: DeadLetterArrivals['by']): string {
  return shortList(
    brought.filter(it => it.by === arrives).map(({ what }) => what),
    ', or ',
  );
}

/**
 * The alarms on arriving dead letters. Their metrics depend on whether the dead letters are sent or moved. They name all
 * sources that are known at synthesis.
 */
export function arrivalRows(
  queue: IDeadLetterQueue,
  arrives: DeadLetterArrivals['by'],
  brought: readonly DeadLetterArrivals[],
): readonly AlarmRow[] {
  const feeders = Lazy.string({ produce: () => feedersText(brought, arrives) });
  if (arrives === 'sent') {
    const meaning = `A dead letter was sent to this queue: ${feeders}.`;
    return [{ ...ARRIVALS, metric: queue.metricArrivals(), meaning }];
  }
  const moved = `SQS moved a message to this queue after its last receive from ${feeders}.`;
  return [
    { ...GROWTH, metric: growth(queue), meaning: moved },
    {
      ...WAITING,
      metric: queue.metricWaiting(),
      meaning: `${moved} The alarm stays in ALARM until the queue is empty, and has no actions.`,
    },
  ];
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
 * So missing data is treated as missing: CloudWatch decides by the hours that have a datapoint.
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
    meaning: `For ${hours} hours, the queue was never without a waiting dead letter.`,
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
  public subtractSource(source: IQueue, ageAlarm: Alarm | undefined): void {
    const sourceSeconds = retentionSeconds(source);
    const { keptSeconds } = this;
    if (sourceSeconds === undefined) this.knowsSources = false;
    if (sourceSeconds !== undefined && keptSeconds !== undefined && keptSeconds <= sourceSeconds) {
      const message = `It keeps messages for ${keptSeconds} s and its source ${source.node.path} for ${sourceSeconds} s, both counted from the first send. A message may expire as soon as it is moved: set a shorter retention on the source.`;
      warn(this.queue, 'dead-letters-expire-early', message);
    }
    this.longestSourceSeconds = Math.max(this.longestSourceSeconds, sourceSeconds ?? LONGEST_RETENTION_SECONDS);
    const resource = ageAlarm?.node.defaultChild;
    if (resource instanceof CfnAlarm) resource.threshold = this.thresholdSeconds;
  }
}

const ADVICE =
  'This queue is a quarantine, which no Redrive empties: fix the cause, then move the messages back manually or delete them.';

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
