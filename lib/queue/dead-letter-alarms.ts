import { Duration, Lazy } from 'aws-cdk-lib';
import { type Alarm, CfnAlarm, Stats, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { type AlarmRow, RunbookSection } from '../shared/alarms';
import { warn } from '../shared/checks';
import type { DeadLetterArrivals } from './feed';
import type { IDeadLetterQueue } from './i-dead-letter-queue';
import { LONGEST_RETENTION_SECONDS, retentionSeconds } from './queue-checks';

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

/** When the dead letters of a queue expire, and how old the oldest may be until then. */
export class Expiry {
  private longestSourceSeconds = 0;
  private knowsSources = true;

  /** @param keptSeconds how long the queue keeps a message, or undefined where that is not known before deployment */
  constructor(
    private readonly queue: IDeadLetterQueue,
    private readonly keptSeconds: number | undefined,
    private readonly timeToRespondSeconds: number,
  ) {}

  /**
   * The age counts from the move, the expiry from the first send: what the source may have used up is taken off. With a
   * retention not known before deployment, ours or a source's, the alarm fires at once rather than too late.
   */
  public get thresholdSeconds(): number {
    return Math.max(0, (this.keptSeconds ?? 0) - this.longestSourceSeconds - this.timeToRespondSeconds);
  }

  /** Whether the retentions it reckons with are known before deployment: ours, and that of each source. */
  public get isKnown(): boolean {
    return this.keptSeconds !== undefined && this.knowsSources;
  }

  /** Counts what `source` may have used up of a message's life, and warns where that may be all of it. */
  public allowFor(source: IQueue, ageAlarm: Alarm): void {
    const sourceSeconds = retentionSeconds(source);
    const { keptSeconds } = this;
    if (sourceSeconds === undefined) this.knowsSources = false;
    if (sourceSeconds !== undefined && keptSeconds !== undefined && keptSeconds <= sourceSeconds) {
      const message = `It keeps messages for ${keptSeconds} s and its source ${source.node.path} for ${sourceSeconds} s, counted from the same first send: a message may expire as soon as it is moved. Keep the source's for less.`;
      warn(this.queue, 'dead-letters-expire-early', message);
    }
    this.longestSourceSeconds = Math.max(this.longestSourceSeconds, sourceSeconds ?? LONGEST_RETENTION_SECONDS);
    const resource = ageAlarm.node.defaultChild;
    if (resource instanceof CfnAlarm) resource.threshold = this.thresholdSeconds;
  }
}

const ADVICE =
  'It is a quarantine, and no Redrive takes anything out: mend what fails and move it home by hand, or delete it.';

/** What of a quarantine has a section of the runbook to itself. */
const IN_QUARANTINE: readonly RunbookSection[] = [
  RunbookSection.DEAD_LETTERS_ARRIVED,
  RunbookSection.DEAD_LETTERS_WAITING,
  RunbookSection.DEAD_LETTERS_UNATTENDED,
];

/** An alarm of a dead-letter queue, in the words of a quarantine where it is one: what is in there is for a human to see to. */
export function worded(queue: IQueue, row: AlarmRow): AlarmRow {
  if (!isQuarantine(queue)) return row;
  const runbook = IN_QUARANTINE.includes(row.runbook) ? RunbookSection.DEAD_LETTERS_IN_QUARANTINE : row.runbook;
  return { ...row, runbook, meaning: `${row.meaning} ${ADVICE}` };
}

/** The same in every copy of this library: an app may hold it twice. */
const QUARANTINE: unique symbol = Symbol.for('dead-letter-office.Quarantine');

/** Makes quarantines of all queues of a class: it is known of them while they are still being made. */
export function markQuarantines({ prototype }: { readonly prototype: IQueue }): void {
  Object.defineProperty(prototype, QUARANTINE, { value: true });
}

/**
 * Whether a queue is a quarantine, by whatever construct it goes: one that was imported by a quarantine's own ARN is. What is
 * in there has had its automatic pass, and no automation takes it out.
 */
export function isQuarantine(queue: IQueue): boolean {
  if (QUARANTINE in queue) return true;
  const all = queue.node.root.node.findAll();
  return all.some(it => QUARANTINE in it && 'queueArn' in it && it.queueArn === queue.queueArn);
}
