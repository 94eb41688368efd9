import { Lazy } from 'aws-cdk-lib';
import type { Alarm } from 'aws-cdk-lib/aws-cloudwatch';
import type { CfnQueue, IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct, IDependable } from 'constructs';
import { QUEUE_LIMITS } from '../../policy/aws-limits';
import type { Problem } from '../../policy/problem';
import { DAY_SECONDS, HOUR_SECONDS } from '../../policy/time-units';
import { declareSource } from '../shared/access/message-keys';
import { joinSourcesOf } from '../shared/access/policy-limits';
import { ALARM_SET, AlarmSet, useAlarms } from '../shared/alarm-set';
import { type AlarmRow, Alarms } from '../shared/alarms';
import { ALARM_ACTIONS, DURATION } from '../shared/cdk-shapes';
import { absentProblems, integerProblems, knownSeconds, secondsProblems, throwProblems } from '../shared/checks';
import { BOOLEAN, optional, struct } from '../shared/shapes';
import { ageRow, arrivalRows, Expiry, unattendedRow, worded } from './dead-letter-alarms';
import { type DeadLetterArrivals, type Feeder, KnownFeeders, registerMonitor } from './feeder-registry';
import type { DeadLetterFeeder, DeadLetterWatchOptions, IDeadLetterQueue } from './i-dead-letter-queue';
import {
  LONGEST_RETENTION_SECONDS,
  namedArn,
  ownName,
  warnOfForeignKey,
  warnOfShortKeeping,
  warnOfUnknownDuration,
} from './queue-checks';

const DEFAULT_TIME_TO_RESPOND_SECONDS = 3 * DAY_SECONDS;

const DEFAULT_UNATTENDED_HOURS = 24;

/**
 * An alarm can evaluate at most seven days.
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_PutMetricAlarm.html
 */
const UNATTENDED_HOURS = { min: 1, max: 168, unit: 'hours' };

function hoursOf(options: DeadLetterWatchOptions): number | undefined {
  const seconds = knownSeconds(options.unattendedAfter);
  return seconds === undefined ? undefined : seconds / HOUR_SECONDS;
}

/** Whether there is an alarm on unattended dead letters: if it is stated, or if its delay is, and otherwise by the set. */
function watchesUnattended(options: DeadLetterWatchOptions, set: AlarmSet | undefined): boolean {
  const { watchUnattended, unattendedAfter } = options;
  return watchUnattended ?? (unattendedAfter !== undefined || set === AlarmSet.ALL);
}

export const WATCH_OPTIONS = struct<DeadLetterWatchOptions>({
  alarms: optional(ALARM_SET),
  alarmActions: optional(ALARM_ACTIONS),
  timeToRespond: optional(DURATION),
  watchUnattended: optional(BOOLEAN),
  unattendedAfter: optional(DURATION),
});

export function watchProblems(options: DeadLetterWatchOptions): Problem[] {
  const { timeToRespond, unattendedAfter, watchUnattended = true } = options;
  return [
    ...secondsProblems('timeToRespond', timeToRespond, { min: 60, max: LONGEST_RETENTION_SECONDS }),
    ...integerProblems('unattendedAfter', hoursOf(options), UNATTENDED_HOURS),
    ...(watchUnattended
      ? []
      : absentProblems('unattendedAfter', unattendedAfter?.toString(), 'where watchUnattended is false')),
  ];
}

interface DeadLetterMonitorProps extends DeadLetterWatchOptions {
  /** How long the queue stores a message; undefined if it is not known before deployment. */
  readonly keptSeconds: number | undefined;
  /** Whether the owner of the queue has already allowed SNS and EventBridge. @default false */
  readonly grantedElsewhere?: boolean;
  /** The redrive-allow policy, if this app may set it. @default - the owner of the queue sets it */
  readonly allowPolicy?: RedriveAllowPolicy | undefined;
}

/** Monitors a dead-letter queue: grants access to the sources of dead letters and creates the alarms they require. */
export class DeadLetterMonitor {
  public readonly alarms: Alarms;
  public readonly ageAlarm: Alarm | undefined;
  private readonly expiry: Expiry;
  private readonly knownFeeders: KnownFeeders;
  private readonly arrivals: DeadLetterArrivals[] = [];

  constructor(
    private readonly queue: IDeadLetterQueue & Construct,
    private readonly props: DeadLetterMonitorProps,
  ) {
    const { alarmActions, keptSeconds, timeToRespond } = props;
    registerMonitor(queue, this);
    joinSourcesOf(queue);
    useAlarms(queue, props.alarms);
    this.alarms = new Alarms(queue, {
      name: ownName(queue),
      actions: alarmActions,
      withoutActions: 'A dead letter arrives',
    });
    const timeToRespondSeconds = knownSeconds(timeToRespond) ?? DEFAULT_TIME_TO_RESPOND_SECONDS;
    this.expiry = new Expiry(queue, keptSeconds, timeToRespondSeconds);
    this.ageAlarm = this.watch(ageRow(queue, this.expiry));
    const unattendedHours = watchesUnattended(props, this.alarms.set)
      ? (hoursOf(props) ?? DEFAULT_UNATTENDED_HOURS)
      : 0;
    if (unattendedHours > 0) this.watch(unattendedRow(queue, unattendedHours));
    const unattendedSeconds = unattendedHours > 0 ? unattendedHours * HOUR_SECONDS : undefined;
    warnOfShortKeeping(queue, { keptSeconds, timeToRespondSeconds, unattendedSeconds });
    warnOfUnknownDuration(queue, { timeToRespond, unattendedAfter: props.unattendedAfter });
    warnOfForeignKey(queue, queue);
    this.knownFeeders = new KnownFeeders(queue);
  }

  /** The sources of dead letters, each once, in the order in which they were declared. */
  public get feeders(): DeadLetterFeeder[] {
    const all = this.arrivals.map(({ feeder: who }) => who);
    const isSame = (one: DeadLetterFeeder, other: DeadLetterFeeder) =>
      one.kind === other.kind && one.construct !== undefined && one.construct === other.construct;
    return all.filter((who, i) => !all.slice(0, i).some(earlier => isSame(earlier, who)));
  }

  /** The names of the declared sources, as templates refer to them. */
  public get names(): ReadonlySet<string> {
    return this.knownFeeders.names;
  }

  /** The ARN of the queue. */
  public get queueArn(): string {
    return this.queue.queueArn;
  }

  /**
   * Declares a source: grants it access and adds the alarms for its dead letters.
   * @returns what must exist before the source may send
   * @throws one error with everything AWS would reject about the queue as its dead-letter queue
   */
  public feed(feeder: Feeder): IDependable {
    const { queue } = this;
    throwProblems(queue.node.path, feeder.problems?.(queue) ?? []);
    this.knownFeeders.know(feeder);
    if (feeder.arrivals) this.watchArrivals(feeder.arrivals);
    if (feeder.namedBy) this.props.allowPolicy?.allow(feeder.namedBy);
    const granted = feeder.grantRole?.(queue, queue) ?? [];
    const [access = queue] = this.props.grantedElsewhere
      ? granted
      : [...granted, ...(feeder.allowService?.(queue, queue) ?? [])];
    return access;
  }

  /** The age of the oldest dead letter above which it expires soon. */
  public get expiresSoonSeconds(): number {
    return this.expiry.thresholdSeconds;
  }

  private watch(row: AlarmRow): Alarm | undefined {
    return this.alarms.watchIfWanted(worded(this.queue, row));
  }

  private watchArrivals(bringing: DeadLetterArrivals): void {
    const { queue, arrivals: brought } = this;
    const { by, source, reportedBySource = false } = bringing;
    brought.push(bringing);
    if (source) declareSource(queue, source);
    const isReported = reportedBySource && this.alarms.set === AlarmSet.ESSENTIAL;
    if (!isReported) for (const row of arrivalRows(queue, by, brought)) this.watch(row);
    if (source && !queue.fifo) this.expiry.subtractSource(source, this.ageAlarm);
  }
}

/** The redrive-allow policy: the queues that may use a queue as their dead-letter queue. */
export class RedriveAllowPolicy {
  private readonly sourceArns = new Set<string | undefined>();

  /** Sets the policy as a token, to distinguish it from a policy that the user set. */
  constructor(resource: CfnQueue) {
    resource.redriveAllowPolicy = Lazy.any({ produce: () => this.written });
  }

  /**
   * Allows the declared sources, and no other queues, to move messages here. Their ARNs are built from their names,
   * because a reference to a source would be a circular dependency: the source already refers to this queue.
   */
  public allow(source: IQueue): void {
    this.sourceArns.add(namedArn(source));
  }

  private get written(): object | undefined {
    const sourceQueueArns = [...this.sourceArns];
    const { min, max } = QUEUE_LIMITS.sourceQueues;
    const allNamed = sourceQueueArns.every(arn => arn !== undefined);
    const isWritten = allNamed && sourceQueueArns.length >= min && sourceQueueArns.length <= max;
    return isWritten ? { redrivePermission: 'byQueue', sourceQueueArns } : undefined;
  }
}
