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
import { formatNumber } from '../../policy/format-text';
import type { Problem } from '../../policy/problem';
import { queueSection } from '../operations/dashboard-sections';
import type { DashboardSection, IWatched } from '../operations/i-watched';
import { queueDestination } from '../redrive/i-redrive-destination';
import { Redrive } from '../redrive/redrive';
import type { RedriveOptions } from '../redrive/redrive-props';
import { REDRIVE_OPTIONS } from '../redrive/redrive-shapes';
import { grantPeek, grantRedrive } from '../shared/access/grants';
import { joinSourcesOf } from '../shared/access/policy-limits';
import { ALARM_SET, AlarmSet, ownersAgeAlarm, useAlarms } from '../shared/alarm-set';
import { type AlarmRow, Alarms, RunbookSection } from '../shared/alarms';
import { ALARM_ACTIONS, DURATION, FUNCTION, GRANTEE } from '../shared/cdk-shapes';
import {
  absentProblems,
  integerProblems,
  knownSeconds,
  pathOf,
  problemsWithin,
  secondsProblems,
  throwProblems,
} from '../shared/checks';
import {
  checkArguments,
  checkNew,
  metricOptions,
  NUMBER,
  OBJECT,
  optional,
  STRING,
  struct,
  TEXT,
} from '../shared/shapes';
import { DeadLetterQueue } from './dead-letter-queue';
import { queueFeeder, sourceProblems, sourceToBe } from './feeder-kinds';
import { asDeadLetterQueue, feed } from './feeder-registry';
import { addConsumer, checkConsumers, type FunctionConsumer } from './function-consumers';
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
   * How often a message is received before SQS moves it to the dead-letter queue: 1 to 1,000. A function consumer needs
   * 5 or more, because a throttled batch counts as received. Not together with `deadLetterQueue`, which has its own.
   *
   * This number times the visibility timeout must be less than the retention. Otherwise a message that always fails
   * expires before it is moved, and there is the warning `dead-letter-office:expires-before-last-receive`.
   *
   * @default 5
   */
  readonly maxReceiveCount?: number;

  /**
   * The name of the dead-letter queue created for this queue. Not together with `deadLetterQueue`.
   *
   * @default - CloudFormation generates one
   */
  readonly deadLetterQueueName?: string;

  /**
   * How long a consumer may take for one receive. The visibility timeout must be longer. Otherwise a second consumer
   * receives a message that the first is still processing.
   *
   * @default - not checked
   */
  readonly consumerTimeout?: Duration;

  /**
   * The alarm threshold for the age of the oldest message, in whole seconds. Above it, the consumer is considered down
   * or too slow. If messages expire before they reach this age, there is the warning
   * `dead-letter-office:age-alarm-never-fires`.
   *
   * @default Duration.hours(1)
   */
  readonly ageAlarmThreshold?: Duration;

  /**
   * Which alarms are created for this queue and its own dead-letter queue.
   *
   * @default - that of the construct around it or of `AlarmDefaults`, and otherwise `AlarmSet.ESSENTIAL`
   */
  readonly alarms?: AlarmSet;

  /**
   * The actions of the alarms of this queue and of its own dead-letter queue, for example an `OpsTopic`. At most 5, in
   * the Region of the alarm. One in another account gets the warning
   * `dead-letter-office:alarm-action-of-another-account`.
   *
   * @default - none, and the warning `dead-letter-office:alarm-tells-nobody` says so
   */
  readonly alarmActions?: IAlarmAction[];
}

const DEFAULT_MAX_RECEIVE_COUNT = 5;

const DEFAULT_AGE_ALARM_THRESHOLD = Duration.hours(1);

const PROPS = struct<Omit<ProcessingQueueProps, keyof QueueProps>>({
  maxReceiveCount: optional(NUMBER),
  deadLetterQueueName: optional(STRING),
  consumerTimeout: optional(DURATION),
  ageAlarmThreshold: optional(DURATION),
  alarms: optional(ALARM_SET),
  alarmActions: optional(ALARM_ACTIONS),
});

function visibilityProblems(props: ProcessingQueueProps): Problem[] {
  const needed = knownSeconds(props.consumerTimeout);
  if (needed === undefined || props.visibilityTimeout?.isUnresolved()) return [];
  const visible = knownSeconds(props.visibilityTimeout) ?? QUEUE_DEFAULTS.visibilityTimeoutSeconds;
  const rule = `must be longer than consumerTimeout, ${needed} seconds`;
  return visible > needed ? [] : [{ property: 'visibilityTimeout', rule, value: visible }];
}

/** Validates the properties and adds the defaults. */
function checked(scope: Construct, id: string, props: ProcessingQueueProps): QueueProps {
  checkNew(scope, id, props, PROPS);
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
 * A queue with a dead-letter queue for messages that always fail, and with alarms on a consumer that does not keep up.
 *
 * It is a `Queue`. A live `Queue` in your stack can become a `ProcessingQueue` without being replaced.
 *
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-dead-letter-queues.html
 */
export class ProcessingQueue extends Queue implements IWatched {
  /**
   * The queue to which SQS moves messages that were received `maxReceiveCount` times; a `DeadLetterQueue` unless you
   * passed another kind.
   */
  public readonly deadLetters: IQueue;
  /** The redrive settings, as on a `Queue`. `deadLetters` is the queue alone, which always exists. */
  public override readonly deadLetterQueue?: RedriveTarget;
  private readonly watching: Alarms;
  private readonly added: FunctionConsumer[] = [];

  /** @throws one error that names each property AWS would reject, the rule and the value */
  constructor(scope: Construct, id: string, props: ProcessingQueueProps = {}) {
    super(scope, id, checked(scope, id, props));
    useAlarms(this, props.alarms);
    const target = props.deadLetterQueue ?? this.addDeadLetterQueue(props);
    this.deadLetterQueue = target;
    this.deadLetters = target.queue;
    feed(this, target.queue, queueFeeder(this));
    joinSourcesOf(this);
    this.watching = new Alarms(this, {
      name: ownName(this),
      actions: props.alarmActions,
      withoutActions: 'The consumer is down',
    });
    this.watching.watchAll([ageRow(this, props), inFlightRow(this)]);
    warnOfUnreachableAge(this, knownSeconds(props.ageAlarmThreshold ?? DEFAULT_AGE_ALARM_THRESHOLD));
    warnOfExpiryBeforeMove(this, target.maxReceiveCount);
    checkConsumers(this, target.maxReceiveCount);
  }

  /** Its alarms, without those of its dead-letter queues. */
  public get alarms(): IAlarm[] {
    return this.watching.all;
  }

  /**
   * Fires when the oldest message is older than `ageAlarmThreshold`. For the queue of a relay with `AlarmSet.ESSENTIAL`, it
   * is the relay's alarm on messages that may expire.
   */
  public get ageAlarm(): Alarm {
    return this.watching.get('Age') ?? ownersAgeAlarm(this);
  }

  /**
   * Fires while more than 80,000 messages are in flight, of the 120,000 that a queue can have; undefined without
   * `AlarmSet.ALL`: a queue at that limit stops, and `ageAlarm` fires.
   */
  public get inFlightAlarm(): Alarm | undefined {
    return this.watching.get('InFlight');
  }

  /** The dead-letter queue with its alarms and grants; undefined if you passed a queue without them. */
  public get watchedDeadLetters(): IDeadLetterQueue | undefined {
    return asDeadLetterQueue(this.deadLetters);
  }

  /** The queue of its dead letters: `deadLetters`. */
  public get deadLetterQueues(): IQueue[] {
    return [this.deadLetters];
  }

  /** The functions added with `addFunctionConsumer`. */
  public get consumers(): FunctionConsumer[] {
    return [...this.added];
  }

  /**
   * Lets a function, version or alias consume the queue. Creates the event source mapping, with partial batch responses
   * by default, and grants its role access to the queue and its key. Import a function with its role.
   *
   * A visibility timeout below six times the function's timeout plus the batching window gets the warning
   * `dead-letter-office:visibility-too-short`. Fewer than 5 receives get `dead-letter-office:too-few-receives`. The
   * timeout of an imported function is unknown and not checked. These checks run at synthesis, and also apply to
   * functions that consume the queue through `addEventSource`.
   *
   * With `filters`, Lambda deletes messages that match none of them: the warning
   * `dead-letter-office:filters-delete-messages` says so. Filter in the subscription or in the function instead.
   *
   * In a batch of a FIFO queue, the messages after a failed message return with it, count as received as often, and are
   * moved with it. With a `batchSize` of 1, only the failing message is moved.
   *
   * @returns the mapping, with which the consumer can be stopped and started
   * @throws one error that names each option Lambda would reject, the rule and the value, including a visibility
   * timeout below the function's timeout and a function of another Region
   * @see https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html
   */
  public addFunctionConsumer(handler: IFunction, options: SqsEventSourceProps = {}): FunctionConsumer {
    checkArguments(this, { handler, options }, { handler: FUNCTION, options: OBJECT });
    const consumer = addConsumer(this, handler, options);
    this.added.push(consumer);
    return consumer;
  }

  /**
   * Creates a `Redrive` that moves its dead letters back into it. It has the same alarm actions unless you pass others.
   */
  public redriveDeadLetters(id: string, options?: RedriveOptions): Redrive {
    checkArguments(this, { id, options }, { id: TEXT, options: optional(REDRIVE_OPTIONS) });
    const from = { deadLetterQueue: this.deadLetters, destination: queueDestination(this) };
    return new Redrive(this, id, { alarmActions: this.watching.actions, ...options, ...from });
  }

  /** Lets a principal move its dead letters back into it with an SQS move task, and list and cancel such tasks. */
  public grantRedrive(grantee: IGrantable): Grant {
    checkArguments(this, { grantee }, { grantee: GRANTEE });
    return grantRedrive(this.deadLetters, grantee, this);
  }

  /** Lets a principal read its dead letters and return them, but not delete them. */
  public grantPeekDeadLetters(grantee: IGrantable): Grant {
    checkArguments(this, { grantee }, { grantee: GRANTEE });
    return grantPeek(this.deadLetters, grantee);
  }

  /** The number of visible messages in the dead-letter queue. Maximum over 5 minutes by default. */
  public metricDeadLetters(options?: MetricOptions): Metric {
    return this.deadLetters.metricApproximateNumberOfMessagesVisible({
      statistic: Stats.MAXIMUM,
      ...metricOptions(this, options),
    });
  }

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
}

function ageRow(queue: IQueue, props: ProcessingQueueProps): AlarmRow {
  const threshold = props.ageAlarmThreshold ?? DEFAULT_AGE_ALARM_THRESHOLD;
  return {
    id: 'Age',
    metric: queue.metricApproximateAgeOfOldestMessage({ statistic: Stats.MAXIMUM }),
    threshold: threshold.toSeconds(),
    meaning: 'The oldest message has waited too long. Its consumer is down or too slow.',
    runbook: RunbookSection.QUEUE_NOT_KEEPING_UP,
  };
}

function inFlightRow(queue: IQueue): AlarmRow {
  return {
    id: 'InFlight',
    only: AlarmSet.ALL,
    metric: queue.metricApproximateNumberOfMessagesNotVisible({ statistic: Stats.MAXIMUM }),
    threshold: IN_FLIGHT_MARKS.alarm,
    meaning: `The queue is near its limit of ${formatNumber(IN_FLIGHT_MARKS.limit)} messages in flight, at which it delivers no more messages.`,
    runbook: RunbookSection.QUEUE_IN_FLIGHT_LIMIT,
  };
}
