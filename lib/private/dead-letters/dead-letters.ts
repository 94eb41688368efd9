import type { Alarm } from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct, IDependable } from 'constructs';
import type { DeadLetterWatchOptions } from '../../dead-letter-queue-props';
import type { IDeadLetterQueue } from '../../i-dead-letter-queue';
import type { Problem } from '../../policy/problem';
import { Alarms } from '../alarms';
import { integerProblems, knownSeconds, secondsProblems, throwProblems } from '../checks';
import type { Feeder } from '../feeders/feeder';
import { KnownFeeders } from '../feeders/unknown-feeders';
import { LONGEST_RETENTION_SECONDS } from '../queues/queue-checks';
import { ownName } from '../queues/queue-facts';
import { warnOfShortKeeping } from '../queues/queue-warnings';
import { ageRow, arrivalRow, unattendedRow } from './dead-letter-alarms';
import { Expiry } from './expiry';

const DEFAULT_TIME_TO_RESPOND_SECONDS = 3 * 86_400;

const DEFAULT_UNATTENDED_HOURS = 24;

/** An alarm looks at seven days at most. @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_PutMetricAlarm.html */
const UNATTENDED_HOURS = { min: 1, max: 168, unit: 'hours' };

function hoursOf(options: DeadLetterWatchOptions): number | undefined {
  const seconds = knownSeconds(options.unattendedAfter);
  return seconds === undefined ? undefined : seconds / 3_600;
}

/** Everything CloudWatch would reject of how a dead-letter queue is watched. */
export function watchProblems(options: DeadLetterWatchOptions): Problem[] {
  return [
    ...secondsProblems('timeToRespond', options.timeToRespond, { min: 60, max: LONGEST_RETENTION_SECONDS }),
    ...integerProblems('unattendedAfter', hoursOf(options), UNATTENDED_HOURS),
  ];
}

/** What only the queue itself knows. */
export interface DeadLettersProps extends DeadLetterWatchOptions {
  /** How long it keeps a message, or undefined where that is not known before deployment. */
  readonly keptSeconds: number | undefined;
  /** Whether somebody else has let in the services that come as themselves. @default false */
  readonly grantedElsewhere?: boolean;
}

/** How a dead-letter queue looks after itself: who feeds it, and which alarms follow from that. */
export class DeadLetters {
  public readonly alarms: Alarms;
  public readonly ageAlarm: Alarm;
  private readonly expiry: Expiry;
  private readonly feeders = new KnownFeeders();

  constructor(
    private readonly queue: IDeadLetterQueue & Construct,
    private readonly props: DeadLettersProps,
  ) {
    const { alarmActions, keptSeconds, timeToRespond, watchUnattended = true } = props;
    this.alarms = new Alarms(queue, {
      name: ownName(queue),
      actions: alarmActions,
      unheard: 'A dead letter arrives',
    });
    const timeToRespondSeconds = knownSeconds(timeToRespond) ?? DEFAULT_TIME_TO_RESPOND_SECONDS;
    this.expiry = new Expiry(queue, keptSeconds, timeToRespondSeconds);
    this.ageAlarm = this.alarms.watch(ageRow(queue, this.expiry.thresholdSeconds));
    const unattendedHours = hoursOf(props) ?? DEFAULT_UNATTENDED_HOURS;
    if (watchUnattended) this.alarms.watch(unattendedRow(queue, unattendedHours));
    const unattendedSeconds = watchUnattended ? unattendedHours * 3_600 : undefined;
    warnOfShortKeeping(queue, { keptSeconds, timeToRespondSeconds, unattendedSeconds });
    this.feeders.warnOfUnknown(queue, queue.queueArn);
  }

  /**
   * Takes note of who feeds the queue, lets it in, and watches what it brings.
   * @returns what must be there before it may
   * @throws one error with everything AWS would reject of the queue as its dead-letter queue
   */
  public feed(feeder: Feeder): IDependable {
    const { queue } = this;
    this.expect(feeder);
    feeder.grant?.(queue, queue);
    const [access] = this.props.grantedElsewhere ? [] : (feeder.admit?.(queue, queue) ?? []);
    return access ?? queue;
  }

  /**
   * Takes note of who feeds the queue, and watches what it brings.
   * @throws as `feed` does
   */
  public expect(feeder: Feeder): void {
    const { queue } = this;
    throwProblems(queue.node.path, feeder.problems?.(queue) ?? []);
    this.feeders.know(feeder);
    this.alarms.watch(arrivalRow(queue, feeder.arrives));
    if (feeder.source && !queue.fifo) this.expiry.allowFor(feeder.source, this.ageAlarm);
  }
}
