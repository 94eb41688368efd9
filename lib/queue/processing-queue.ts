import { Duration } from 'aws-cdk-lib';
import {
  type Alarm,
  type IAlarm,
  type IAlarmAction,
  type Metric,
  type MetricOptions,
  Stats,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { Grant, IGrantable } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { SqsEventSourceProps } from 'aws-cdk-lib/aws-lambda-event-sources';
import {
  type CfnQueue,
  type IQueue,
  Queue,
  type QueueProps,
  type DeadLetterQueue as RedriveTarget,
} from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { IN_FLIGHT_MARKS, QUEUE_LIMITS } from '../../policy/aws-limits';
import type { Problem } from '../../policy/problem';
import { queueSection } from '../operations/dashboard-sections';
import type { DashboardSection, IWatched } from '../operations/i-watched';
import { queueDestination } from '../redrive/i-redrive-destination';
import { Redrive } from '../redrive/redrive';
import type { RedriveOptions } from '../redrive/redrive-props';
import { grantPeek, grantRedrive } from '../shared/access/grants';
import { Alarms, RunbookSection } from '../shared/alarms';
import {
  absentProblems,
  integerProblems,
  knownSeconds,
  pathOf,
  problemsWithin,
  secondsProblems,
  throwProblems,
} from '../shared/checks';
import { DeadLetterQueue } from './dead-letter-queue';
import { asDeadLetterQueue, feed } from './feed';
import { queueFeeder, sourceProblems, sourceToBe } from './feeders';
import { addConsumer, type FunctionConsumer, judgeConsumers } from './function-consumers';
import type { IDeadLetterQueue } from './i-dead-letter-queue';
import {
  deadLetterNameProblems,
  encryptionFor,
  keyPlaceProblems,
  ownedQueue,
  ownName,
  QUEUE_DEFAULTS,
  queuePropsProblems,
  RECEIVE_COUNT,
  warnOfExpiryBeforeMove,
  warnOfUnreachableAge,
} from './queue-checks';

/** Properties of a `ProcessingQueue`. */
export interface ProcessingQueueProps extends QueueProps {
  /**
   * How often a message is received before it counts as poison and is moved: 1 to 1,000. A function asks for 5 or more,
   * because a throttled batch counts as received. Not together with `deadLetterQueue`, which has its
   * own.
   *
   * So many times the visibility timeout must be less than the retention: otherwise what always fails expires before it is
   * moved, and the warning is `dead-letter-office:expires-before-last-receive`.
   *
   * @default 5
   */
  readonly maxReceiveCount?: number;

  /**
   * The name of the dead-letter queue made for this queue. Not together with `deadLetterQueue`.
   *
   * @default - CloudFormation makes one up
   */
  readonly deadLetterQueueName?: string;

  /**
   * How long a consumer may take over one receive. The visibility timeout must be longer, or a second consumer gets
   * what the first still works on.
   *
   * @default - not checked
   */
  readonly consumerTimeout?: Duration;

  /**
   * The age of the oldest message, in whole seconds, above which the consumer counts as down or too slow. Where messages
   * expire before they are as old, the warning is `dead-letter-office:age-alarm-never-fires`.
   *
   * @default Duration.hours(1)
   */
  readonly ageAlarmThreshold?: Duration;

  /**
   * Who is told when an alarm of this queue, or of its own dead-letter queue, fires. An `OpsTopic` is such an action.
   * At most 5, in the Region of the alarm; one in another account gets the warning
   * `dead-letter-office:alarm-action-of-another-account`.
   *
   * @default - nobody, and the warning `dead-letter-office:alarm-tells-nobody` says so
   */
  readonly alarmActions?: IAlarmAction[];
}

const DEFAULT_MAX_RECEIVE_COUNT = 5;

const DEFAULT_AGE_ALARM_THRESHOLD = Duration.hours(1);

function visibilityProblems(props: ProcessingQueueProps): Problem[] {
  const needed = knownSeconds(props.consumerTimeout);
  if (needed === undefined || props.visibilityTimeout?.isUnresolved()) return [];
  const visible = knownSeconds(props.visibilityTimeout) ?? QUEUE_DEFAULTS.visibilityTimeoutSeconds;
  const rule = `must be longer than consumerTimeout, ${needed} seconds`;
  return visible > needed ? [] : [{ property: 'visibilityTimeout', rule, value: visible }];
}

/** The properties, once every one of them has been judged. */
function checked(scope: Construct, id: string, props: ProcessingQueueProps): QueueProps {
  const { deadLetterQueue, deadLetterQueueName, maxReceiveCount } = props;
  const path = pathOf(scope, id);
  throwProblems(path, [
    ...queuePropsProblems(props),
    ...keyPlaceProblems(scope, props),
    ...deadLetterNameProblems(props, deadLetterQueueName),
    ...integerProblems('maxReceiveCount', maxReceiveCount, RECEIVE_COUNT),
    ...secondsProblems('consumerTimeout', props.consumerTimeout, {
      min: 0,
      max: QUEUE_LIMITS.visibilityTimeoutSeconds.max,
    }),
    ...secondsProblems('ageAlarmThreshold', props.ageAlarmThreshold, {
      min: 1,
      max: QUEUE_LIMITS.retentionSeconds.max,
    }),
    ...visibilityProblems(props),
    ...(deadLetterQueue
      ? [
          ...absentProblems('deadLetterQueueName', deadLetterQueueName, 'where deadLetterQueue is present'),
          ...absentProblems('maxReceiveCount', maxReceiveCount, 'where deadLetterQueue is present, which has its own'),
          ...problemsWithin('deadLetterQueue', sourceProblems(deadLetterQueue.queue, sourceToBe(scope, path, props))),
        ]
      : []),
  ]);
  return {
    ...props,
    enforceSSL: props.enforceSSL ?? true,
    encryption: props.encryption ?? encryptionFor(props.encryptionMasterKey),
  };
}

/**
 * A queue whose poison ends in a dead-letter queue, with alarms on a consumer that does not keep up.
 *
 * It is a `Queue`: a `Queue` in your stack can become a `ProcessingQueue` and stay the live queue it is.
 *
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-dead-letter-queues.html
 */
export class ProcessingQueue extends Queue implements IWatched {
  /** Where SQS moves what was received `maxReceiveCount` times; a `DeadLetterQueue` unless you passed another kind. */
  public readonly deadLetters: IQueue;
  /** Fires when the oldest message is older than `ageAlarmThreshold`. */
  public readonly ageAlarm: Alarm;
  /** Fires while more than 80,000 of the 120,000 messages a queue can hold in flight are. */
  public readonly inFlightAlarm: Alarm;
  /** The redrive settings, as on a `Queue`; the queue alone, which is always there, is `deadLetters`. */
  public override readonly deadLetterQueue?: RedriveTarget;
  private readonly watching: Alarms;
  private readonly added: FunctionConsumer[] = [];

  /** @throws one error that names each property AWS would reject, the rule and the value */
  constructor(scope: Construct, id: string, props: ProcessingQueueProps = {}) {
    super(scope, id, checked(scope, id, props));
    const target = props.deadLetterQueue ?? this.addDeadLetterQueue(props);
    this.deadLetterQueue = target;
    this.deadLetters = target.queue;
    feed(this, target.queue, queueFeeder(this));
    this.watching = new Alarms(this, {
      name: ownName(this),
      actions: props.alarmActions,
      unheard: 'The consumer is down',
    });
    this.ageAlarm = this.addAgeAlarm(props);
    this.inFlightAlarm = this.addInFlightAlarm();
    warnOfUnreachableAge(this, knownSeconds(props.ageAlarmThreshold ?? DEFAULT_AGE_ALARM_THRESHOLD));
    warnOfExpiryBeforeMove(this, target.maxReceiveCount);
    judgeConsumers(this, target.maxReceiveCount);
  }

  /** Its alarms; not those of its dead-letter queue, which has them itself. */
  public get alarms(): IAlarm[] {
    return this.watching.all;
  }

  /** The dead-letter queue with its alarms and grants; undefined where you passed one that has none. */
  public get watchedDeadLetters(): IDeadLetterQueue | undefined {
    return asDeadLetterQueue(this.deadLetters);
  }

  /** Where its dead letters end: `deadLetters`, and no other. */
  public get deadLetterQueues(): IQueue[] {
    return [this.deadLetters];
  }

  /** The functions that consume it, as far as `addFunctionConsumer` was told of them. */
  public get consumers(): FunctionConsumer[] {
    return [...this.added];
  }

  /**
   * Lets a function, or a version or alias of one, consume the queue: the event source mapping, with partial batch
   * responses unless you say otherwise, and the permissions of its role on the queue and its key. A function that was made
   * elsewhere must be imported with its role.
   *
   * A visibility timeout below six times the function's timeout plus the batching window gets the warning
   * `dead-letter-office:visibility-too-short`; fewer than 5 receives get `dead-letter-office:too-few-receives`. The timeout
   * of a function that was made elsewhere is not known, and not checked. All that is said at synthesis, and of a function
   * that consumes the queue by `addEventSource` too.
   *
   * With `filters`, Lambda deletes what matches none of them, and nobody gets it: the warning
   * `dead-letter-office:filters-delete-messages` says so. Filter in the subscription, or in the function.
   *
   * In a batch of a FIFO queue, what stands behind a message the function fails on goes back with it, counts as received as
   * often, and is moved with it: a `batchSize` of 1 moves the poison alone.
   *
   * @returns the mapping, by which the consumer can be stopped and started
   * @throws one error that names each option Lambda would reject, the rule and the value; a visibility timeout below the
   * function's timeout, and a function of another Region, among them
   * @see https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html
   */
  public addFunctionConsumer(handler: IFunction, options: SqsEventSourceProps = {}): FunctionConsumer {
    const consumer = addConsumer(this, handler, options);
    this.added.push(consumer);
    return consumer;
  }

  /** Has its dead letters sent back into it: a `Redrive`, of which the same are told unless you say otherwise. */
  public redriveDeadLetters(id: string, options?: RedriveOptions): Redrive {
    const from = { deadLetterQueue: this.deadLetters, destination: queueDestination(this) };
    return new Redrive(this, id, { alarmActions: this.watching.actions, ...options, ...from });
  }

  /** Lets somebody move its dead letters back into it by a move task of SQS, watch that, and cancel it. */
  public grantRedrive(grantee: IGrantable): Grant {
    return grantRedrive(this.deadLetters, grantee, this);
  }

  /** Lets somebody look at its dead letters, and put them back, but not take them out. */
  public grantPeekDeadLetters(grantee: IGrantable): Grant {
    return grantPeek(this.deadLetters, grantee);
  }

  /** Its dead letters that wait to be seen to. Maximum over 5 minutes by default. */
  public metricDeadLetters(options?: MetricOptions): Metric {
    return this.deadLetters.metricApproximateNumberOfMessagesVisible({ statistic: Stats.MAXIMUM, ...options });
  }

  /** What an `OpsDashboard` shows of it. */
  public dashboardSection(): DashboardSection {
    return queueSection(this);
  }

  private addDeadLetterQueue(props: ProcessingQueueProps): RedriveTarget {
    const queue = new DeadLetterQueue(this, 'DeadLetterQueue', {
      queueName: props.deadLetterQueueName,
      encryptionMasterKey: props.encryptionMasterKey,
      removalPolicy: props.removalPolicy,
      alarmActions: props.alarmActions,
      ...(this.fifo && { fifo: true }),
    });
    const maxReceiveCount = props.maxReceiveCount ?? DEFAULT_MAX_RECEIVE_COUNT;
    this.resource().redrivePolicy = { deadLetterTargetArn: queue.queueArn, maxReceiveCount };
    return { queue, maxReceiveCount };
  }

  private resource(): CfnQueue {
    const resource = ownedQueue(this);
    if (!resource) throw new Error(`${this.node.path} has no AWS::SQS::Queue`);
    return resource;
  }

  private addAgeAlarm(props: ProcessingQueueProps): Alarm {
    const threshold = props.ageAlarmThreshold ?? DEFAULT_AGE_ALARM_THRESHOLD;
    return this.watching.watch({
      id: 'Age',
      metric: this.metricApproximateAgeOfOldestMessage({ statistic: Stats.MAXIMUM }),
      threshold: threshold.toSeconds(),
      meaning: 'The oldest message has waited too long: its consumer is down, or too slow.',
      runbook: RunbookSection.QUEUE_NOT_KEEPING_UP,
    });
  }

  private addInFlightAlarm(): Alarm {
    return this.watching.watch({
      id: 'InFlight',
      metric: this.metricApproximateNumberOfMessagesNotVisible({ statistic: Stats.MAXIMUM }),
      threshold: IN_FLIGHT_MARKS.alarm,
      meaning: 'The queue nears the 120,000 messages it can hold in flight, and then gives out no more.',
      runbook: RunbookSection.QUEUE_IN_FLIGHT_LIMIT,
    });
  }
}
