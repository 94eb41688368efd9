import { Annotations, Duration, RemovalPolicy, Token } from 'aws-cdk-lib';
import type { IAlarm, IAlarmAction } from 'aws-cdk-lib/aws-cloudwatch';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { EventSourceMapping, IFunction } from 'aws-cdk-lib/aws-lambda';
import type { IQueue, QueueProps } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import {
  BATCH_SIZE_WITHOUT_WINDOW,
  MAX_FUNCTION_TIMEOUT_SECONDS,
  VISIBILITY_PER_TIMEOUT,
} from '../../policy/aws-limits';
import type { Problem } from '../../policy/problem';
import { laneSection } from '../operations/dashboard-sections';
import type { DashboardSection, IWatched } from '../operations/i-watched';
import { sourceProblems, sourceToBe } from '../queue/feeder-kinds';
import { timeoutSeconds, visibleSeconds } from '../queue/function-consumers';
import { ProcessingQueue } from '../queue/processing-queue';
import { keyPlaceProblems, queuePropsProblems, RECEIVE_COUNT } from '../queue/queue-checks';
import { ALARM_SET, type AlarmSet, useAlarms } from '../shared/alarm-set';
import { ALARM_ACTIONS, DURATION, FUNCTION, KEY, REMOVAL_POLICY } from '../shared/cdk-shapes';
import { absentProblems, integerProblems, pathOf, problemsWithin, throwProblems } from '../shared/checks';
import { BOOLEAN, checkNew, having, NUMBER, optional, struct } from '../shared/shapes';
import { Quarantine } from './quarantine';
import { QUARANTINE } from './redrive-shapes';

/** Properties of a `RedriveLane`. Set `laneOf`, `handler` or both. */
export interface RedriveLaneProps {
  /**
   * The queue for which the lane retries messages. The lane takes its type (standard or FIFO), its KMS key and, unless
   * `handler` is set, the function that consumes it.
   *
   * @default - none: `handler` is the function, and `fifo` and `encryptionMasterKey` set type and key
   */
  readonly laneOf?: ProcessingQueue;

  /**
   * The function that processes the lane, or a version or alias: the same function that failed on the messages, because
   * it gets the same event with another queue name. Import a function with its role.
   *
   * @default - the one function that consumes `laneOf`
   */
  readonly handler?: IFunction;

  /**
   * How often a message is received before it goes to the quarantine: 1 to 1,000. One receive would be enough for a
   * message that always fails. The others are for throttles, which count as receives and are likely for a function that
   * has just recovered. With more receives, the result of a redrive is known later, by one visibility timeout each.
   * With 1, a throttled message goes to the quarantine without an attempt, and there is the warning
   * `dead-letter-office:too-few-receives`.
   *
   * @default 3
   */
  readonly maxReceiveCount?: number;

  /**
   * The maximum number of concurrent invocations for the lane: 2 to 1,000. The default is Lambda's minimum, so that new
   * messages in the queue have priority.
   *
   * @default 2
   * @see https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-scaling.html
   */
  readonly maximumConcurrency?: number;

  /**
   * The maximum number of messages per invocation: 1 to 10. With more than one, messages that share a batch with a
   * failing message are received as often and go to the quarantine with it, unless the function reports which message
   * failed. In a FIFO queue, the messages after the failing one always do.
   *
   * @default 1
   */
  readonly batchSize?: number;

  /**
   * How long a message is invisible after a receive, which is the delay before its next attempt: 0 seconds to 12 hours,
   * and not less than the function's timeout.
   *
   * @default - six times the function's timeout. If that is not known, the visibility timeout of `laneOf`, and without
   * one 90 minutes, which is six times Lambda's maximum timeout
   */
  readonly visibilityTimeout?: Duration;

  /**
   * How long the lane stores a message: 60 seconds to 14 days. The quarantine must store messages for longer; otherwise
   * there is the warning `dead-letter-office:dead-letters-expire-early`.
   *
   * @default Duration.days(4)
   */
  readonly retentionPeriod?: Duration;

  /**
   * Whether the lane is FIFO. Not together with `laneOf`, which determines the type.
   *
   * @default false
   */
  readonly fifo?: boolean;

  /**
   * The key that encrypts the lane and the quarantine created for it.
   *
   * @default - that of `laneOf`; without one, SQS encrypts with a key of its own
   */
  readonly encryptionMasterKey?: IKey;

  /**
   * The queue for messages that fail again, of the same type as the lane.
   *
   * @default - a `Quarantine` of its own, with `alarmActions`, which stores messages for 14 days
   */
  readonly quarantine?: Quarantine;

  /**
   * What happens to the lane and its messages when it is removed from the app. Its quarantine is always retained. By
   * default the lane is retained too, because its messages come from a dead-letter queue, which is retained.
   *
   * @default RemovalPolicy.RETAIN
   */
  readonly removalPolicy?: RemovalPolicy;

  /**
   * Which alarms are created for its queue and its own quarantine.
   *
   * @default - that of the construct around it or of `AlarmDefaults`, and otherwise `AlarmSet.ESSENTIAL`
   */
  readonly alarms?: AlarmSet;

  /**
   * The actions of the alarms of the lane and of its own quarantine, for example an `OpsTopic`. At most 5, in the
   * Region of the alarm. One in another account gets the warning `dead-letter-office:alarm-action-of-another-account`.
   *
   * @default - none, and the warning `dead-letter-office:alarm-tells-nobody` says so
   */
  readonly alarmActions?: IAlarmAction[];
}

/** The minimum number of receives for one attempt after one throttle. */
const LEAST_RECEIVES = 2;

/**
 * A separate queue for retrying dead letters. The same function consumes it at a low concurrency. Messages that fail
 * again go to a quarantine.
 *
 * If dead letters are moved back to their own queue, they compete with new messages, and a message that always fails
 * returns to the dead-letter queue, where the next redrive takes it again. In a lane each message has exactly one
 * automatic retry: it succeeds, or it goes to the quarantine, where an operator handles it. Pass the lane as the
 * destination of a `Redrive`.
 *
 * The function gets the same event as from its own queue except for `eventSourceARN`, so it must not depend on that.
 * Its reserved concurrency, if any, must leave room for the lane.
 *
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-configure-dead-letter-queue-redrive.html
 */
export class RedriveLane extends Construct implements IWatched {
  /** The queue that messages are moved to. Its dead-letter queue is the quarantine. */
  public readonly queue: ProcessingQueue;
  /** The queue of messages on which the function failed again. */
  public readonly quarantine: Quarantine;
  /** The function, which also consumes another queue. */
  public readonly handler: IFunction;
  /** The event source mapping of the lane. Disable it to stop the lane; a stopped lane uses no receives. */
  public readonly mapping: EventSourceMapping;

  /** @throws one error that names each property AWS would reject, the rule and the value */
  constructor(scope: Construct, id: string, props: RedriveLaneProps) {
    const plan = planOf(scope, id, props);
    super(scope, id);
    const { handler, maxReceiveCount, maximumConcurrency: maxConcurrency, batchSize } = plan;
    const { alarmActions } = props;
    useAlarms(this, props.alarms);
    this.quarantine = props.quarantine ?? this.addQuarantine(props, plan);
    const deadLetterQueue = { queue: this.quarantine, maxReceiveCount };
    this.queue = new ProcessingQueue(this, 'Queue', { ...plan.queue, alarmActions, deadLetterQueue });
    this.acceptFewReceives(plan);
    this.handler = handler;
    this.mapping = this.queue.addFunctionConsumer(handler, { batchSize, maxConcurrency }).mapping;
  }

  /** None: its queue and its quarantine have alarms of their own. */
  public get alarms(): IAlarm[] {
    return [];
  }

  /** The queue of messages that fail again: `quarantine`. */
  public get deadLetterQueues(): IQueue[] {
    return [this.quarantine];
  }

  /** The parts that an `OpsDashboard` also shows: its queue. */
  public get watchedParts(): IWatched[] | undefined {
    return [this.queue];
  }

  public dashboardSection(): DashboardSection {
    return laneSection(this);
  }

  private addQuarantine({ alarmActions }: RedriveLaneProps, { queue }: LanePlan): Quarantine {
    const { fifo, encryptionMasterKey } = queue;
    return new Quarantine(this, 'Quarantine', { encryptionMasterKey, alarmActions, ...(fifo && { fifo }) });
  }

  /** With few receives, a message is neither lost nor in a loop: it goes to the quarantine sooner. */
  private acceptFewReceives({ maxReceiveCount }: LanePlan): void {
    if (!Token.isUnresolved(maxReceiveCount) && maxReceiveCount < LEAST_RECEIVES) return;
    const reason = 'A lane uses few receives by design, so that a failing message reaches the quarantine soon.';
    Annotations.of(this.queue).acknowledgeWarning('dead-letter-office:too-few-receives', reason);
  }
}

const DEFAULTS = { maxReceiveCount: 3, maximumConcurrency: 2, batchSize: 1 };

/** What Lambda accepts. @see https://docs.aws.amazon.com/lambda/latest/api/API_ScalingConfig.html */
const CONCURRENCY = { min: 2, max: 1_000 };

/** Without a batching window, which a lane does not need. */
const BATCH_SIZE = { min: 1, max: BATCH_SIZE_WITHOUT_WINDOW };

interface LanePlan {
  readonly handler: IFunction;
  readonly queue: QueueProps;
  readonly maxReceiveCount: number;
  readonly maximumConcurrency: number;
  readonly batchSize: number;
}

const PROPS = struct<RedriveLaneProps>({
  laneOf: optional(having<ProcessingQueue>('a ProcessingQueue', 'queueArn', 'consumers')),
  handler: optional(FUNCTION),
  maxReceiveCount: optional(NUMBER),
  maximumConcurrency: optional(NUMBER),
  batchSize: optional(NUMBER),
  visibilityTimeout: optional(DURATION),
  retentionPeriod: optional(DURATION),
  fifo: optional(BOOLEAN),
  encryptionMasterKey: optional(KEY),
  quarantine: optional(QUARANTINE),
  removalPolicy: optional(REMOVAL_POLICY),
  alarms: optional(ALARM_SET),
  alarmActions: optional(ALARM_ACTIONS),
});

/** The functions the lane may be for. There must be exactly one. */
function handlersOf({ handler, laneOf }: RedriveLaneProps): readonly IFunction[] {
  return handler ? [handler] : (laneOf?.consumers ?? []).map(consumer => consumer.handler);
}

function handlerProblems(props: RedriveLaneProps): Problem[] {
  const { length: value } = handlersOf(props);
  if (value === 1) return [];
  const rule = 'must be present, or laneOf must have exactly one function consumer when the lane is created';
  return [{ property: 'handler', rule, value: `${value} functions` }];
}

/** AWS recommends six times the function's timeout, as for every queue that a function consumes. */
function visibilityTimeout({ visibilityTimeout: stated, laneOf }: RedriveLaneProps, handler: IFunction): Duration {
  if (stated) return stated;
  const timeout = timeoutSeconds(handler);
  const asBeside = timeout === undefined && laneOf ? visibleSeconds(laneOf) : undefined;
  return Duration.seconds(asBeside ?? VISIBILITY_PER_TIMEOUT * (timeout ?? MAX_FUNCTION_TIMEOUT_SECONDS));
}

function queueProps(props: RedriveLaneProps): QueueProps {
  const { laneOf, fifo = laneOf?.fifo, retentionPeriod } = props;
  const encryptionMasterKey = props.encryptionMasterKey ?? laneOf?.encryptionMasterKey;
  return {
    ...(fifo && { fifo }),
    ...(encryptionMasterKey && { encryptionMasterKey }),
    ...(retentionPeriod && { retentionPeriod }),
    removalPolicy: props.removalPolicy ?? RemovalPolicy.RETAIN,
  };
}

/**
 * Validates the properties and derives the plan.
 */
function planOf(scope: Construct, id: string, props: RedriveLaneProps): LanePlan {
  checkNew(scope, id, props, PROPS);
  const path = pathOf(scope, id);
  const queue = queueProps(props);
  const { quarantine, laneOf, fifo, maxReceiveCount, maximumConcurrency, batchSize } = props;
  const [handler] = handlersOf(props);
  const problems = [
    ...handlerProblems(props),
    ...queuePropsProblems({ ...queue, visibilityTimeout: props.visibilityTimeout }),
    ...keyPlaceProblems(scope, queue),
    ...integerProblems('maxReceiveCount', maxReceiveCount, RECEIVE_COUNT),
    ...integerProblems('maximumConcurrency', maximumConcurrency, CONCURRENCY),
    ...integerProblems('batchSize', batchSize, BATCH_SIZE),
    ...(laneOf ? absentProblems('fifo', fifo, 'where laneOf is present, which determines the type of the lane') : []),
    ...(quarantine ? problemsWithin('quarantine', sourceProblems(quarantine, sourceToBe(scope, path, queue))) : []),
  ];
  throwProblems(path, problems);
  if (!handler) throw new Error(`${path} has no function`);
  return {
    handler,
    queue: { ...queue, visibilityTimeout: visibilityTimeout(props, handler) },
    maxReceiveCount: maxReceiveCount ?? DEFAULTS.maxReceiveCount,
    maximumConcurrency: maximumConcurrency ?? DEFAULTS.maximumConcurrency,
    batchSize: batchSize ?? DEFAULTS.batchSize,
  };
}
