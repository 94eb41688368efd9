import { Annotations, Duration, RemovalPolicy, Token } from 'aws-cdk-lib';
import type { IAlarm, IAlarmAction } from 'aws-cdk-lib/aws-cloudwatch';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { EventSourceMapping, IFunction } from 'aws-cdk-lib/aws-lambda';
import type { IQueue, QueueProps } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { Problem } from '../../policy/problem';
import { laneSection } from '../operations/dashboard-sections';
import type { DashboardSection, IWatched } from '../operations/i-watched';
import { sourceProblems, sourceToBe } from '../queue/feeders';
import { timeoutSeconds, VISIBILITY_PER_TIMEOUT, visibleSeconds } from '../queue/function-consumers';
import { ProcessingQueue } from '../queue/processing-queue';
import { keyPlaceProblems, queuePropsProblems, RECEIVE_COUNT } from '../queue/queue-checks';
import { absentProblems, integerProblems, pathOf, problemsWithin, throwProblems } from '../shared/checks';
import { Quarantine } from './quarantine';

/** Properties of a `RedriveLane`: `laneOf`, or `handler`, or both. */
export interface RedriveLaneProps {
  /**
   * The queue beside which the lane runs: the lane has its type, its key, and its function.
   *
   * @default - none: the lane has the function of `handler`, and its type and its key are as `fifo` and `encryptionMasterKey` say
   */
  readonly laneOf?: ProcessingQueue;

  /**
   * The function that processes what is in the lane, or a version or alias of one: the same that failed on it, for it gets
   * the same event but for the name of the queue. A function that was made elsewhere must be imported with its role.
   *
   * @default - the one function that consumes `laneOf`
   */
  readonly handler?: IFunction;

  /**
   * How often a message is received in its one pass before it goes to the quarantine: 1 to 1,000. Our choice of 3: one would do for
   * poison, and the others are for throttles, which count as receives and which a function that has just recovered meets.
   * More of them make it later known whether a redrive goes well, by a visibility timeout each. With 1, a message that Lambda was
   * throttled on is in quarantine before it was ever tried, and the warning is `dead-letter-office:too-few-receives`.
   *
   * @default 3
   */
  readonly maxReceiveCount?: number;

  /**
   * How many invocations of the function the lane has at a time: 2 to 1,000. The least Lambda takes is our choice: what comes in
   * beside it by the queue goes first.
   *
   * @default 2
   * @see https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-scaling.html
   */
  readonly maximumConcurrency?: number;

  /**
   * How many messages one invocation gets: 1 to 10. With more than one, what shares a batch with poison is received as often, and
   * ends in quarantine with it, unless the function says which it failed on; of a FIFO queue what stands behind it does in any case.
   *
   * @default 1
   */
  readonly batchSize?: number;

  /**
   * How long a message is invisible once it was received, which is how long it takes to be tried again: 0 seconds to 12 hours,
   * and no less than the function's timeout.
   *
   * @default - six times the function's timeout; where that is not known, as `laneOf` has it, and without one 90 minutes, six times
   * the longest timeout there is
   */
  readonly visibilityTimeout?: Duration;

  /**
   * How long the lane keeps a message: 60 seconds to 14 days. A quarantine must keep messages for longer: otherwise the warning
   * `dead-letter-office:dead-letters-expire-early`.
   *
   * @default Duration.days(4)
   */
  readonly retentionPeriod?: Duration;

  /**
   * Whether the lane is FIFO. Not together with `laneOf`, whose type it has.
   *
   * @default false
   */
  readonly fifo?: boolean;

  /**
   * The key that encrypts the lane, and the quarantine made for it.
   *
   * @default - that of `laneOf`; without one, SQS encrypts with a key of its own
   */
  readonly encryptionMasterKey?: IKey;

  /**
   * Where what fails again ends, of the type of the lane.
   *
   * @default - a `Quarantine` of its own, with `alarmActions`, which keeps messages for 14 days
   */
  readonly quarantine?: Quarantine;

  /**
   * What becomes of the lane, and of its messages, when it is taken out of the app. Its quarantine stays in any case. What is
   * in a lane has left a dead-letter queue, which stays as well: hence our choice.
   *
   * @default RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE
   */
  readonly removalPolicy?: RemovalPolicy;

  /**
   * Who is told when an alarm of the lane, or of its own quarantine, fires. An `OpsTopic` is such an action.
   * At most 5, in the Region of the alarm; one in another account gets the warning
   * `dead-letter-office:alarm-action-of-another-account`.
   *
   * @default - nobody, and the warning `dead-letter-office:alarm-tells-nobody` says so
   */
  readonly alarmActions?: IAlarmAction[];
}

/** What a message needs at least to be tried although Lambda was throttled once. */
const LEAST_RECEIVES = 2;

/**
 * A way home for dead letters beside the queue they came from: a queue of its own, by which the same function gets them, few at
 * a time, and a quarantine for those it fails on again.
 *
 * Sent home to their own queue, dead letters compete with what has just come in, and poison comes back to the dead-letter
 * queue, from where the next redrive takes it again. By a lane each has exactly one automatic pass: it is done, or in quarantine,
 * where a human sees to it. Name the lane as the destination of a `Redrive`.
 *
 * The function gets the event it would have got of its own queue, but for `eventSourceARN`, and so must not depend on that. Its
 * reserved concurrency, where it has any, must have room for the lane.
 *
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-configure-dead-letter-queue-redrive.html
 */
export class RedriveLane extends Construct implements IWatched {
  /** What is redriven: send or move dead letters here. Its dead-letter queue is the quarantine. */
  public readonly queue: ProcessingQueue;
  /** What the function failed on again. */
  public readonly quarantine: Quarantine;
  /** The function, which consumes another queue beside. */
  public readonly handler: IFunction;
  /** What lets the function have the lane's messages; disabled, it stops the lane, and no pass is spent meanwhile. */
  public readonly mapping: EventSourceMapping;

  /** @throws one error that names each property AWS would reject, the rule and the value */
  constructor(scope: Construct, id: string, props: RedriveLaneProps) {
    const plan = planOf(scope, id, props);
    super(scope, id);
    const { handler, maxReceiveCount, maximumConcurrency: maxConcurrency, batchSize } = plan;
    const { alarmActions } = props;
    this.quarantine = props.quarantine ?? this.addQuarantine(props, plan);
    const deadLetterQueue = { queue: this.quarantine, maxReceiveCount };
    this.queue = new ProcessingQueue(this, 'Queue', { ...plan.queue, alarmActions, deadLetterQueue });
    this.acceptFewReceives(plan);
    this.handler = handler;
    this.mapping = this.queue.addFunctionConsumer(handler, { batchSize, maxConcurrency }).mapping;
  }

  /** None of its own: its queue and its quarantine have theirs. */
  public get alarms(): IAlarm[] {
    return [];
  }

  /** Where what fails again ends: `quarantine`, and no other. */
  public get deadLetterQueues(): IQueue[] {
    return [this.quarantine];
  }

  /** What an `OpsDashboard` shows beside it: its queue. */
  public get watchedParts(): IWatched[] | undefined {
    return [this.queue];
  }

  /** What an `OpsDashboard` shows of it. */
  public dashboardSection(): DashboardSection {
    return laneSection(this);
  }

  private addQuarantine({ alarmActions }: RedriveLaneProps, { queue }: LanePlan): Quarantine {
    const { fifo, encryptionMasterKey } = queue;
    return new Quarantine(this, 'Quarantine', { encryptionMasterKey, alarmActions, ...(fifo && { fifo }) });
  }

  /** What is moved early here is not lost by it, nor in a loop: it waits for a human, as it would after more receives. */
  private acceptFewReceives({ maxReceiveCount }: LanePlan): void {
    if (!Token.isUnresolved(maxReceiveCount) && maxReceiveCount < LEAST_RECEIVES) return;
    const reason = 'In a lane few receives are meant: what fails is to be in quarantine soon.';
    Annotations.of(this.queue).acknowledgeWarning('dead-letter-office:too-few-receives', reason);
  }
}

const DEFAULTS = { maxReceiveCount: 3, maximumConcurrency: 2, batchSize: 1 };

/** @see https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html */
const LONGEST_TIMEOUT_SECONDS = 900;

/** What Lambda takes. @see https://docs.aws.amazon.com/lambda/latest/api/API_ScalingConfig.html */
const CONCURRENCY = { min: 2, max: 1_000 };

/** Without a batching window, which a lane has no use for. */
const BATCH_SIZE = { min: 1, max: 10 };

/** A lane as it is going to be. */
export interface LanePlan {
  readonly handler: IFunction;
  readonly queue: QueueProps;
  readonly maxReceiveCount: number;
  readonly maximumConcurrency: number;
  readonly batchSize: number;
}

/** The functions it may be a lane for: it has to be one. */
function handlersOf({ handler, laneOf }: RedriveLaneProps): readonly IFunction[] {
  return handler ? [handler] : (laneOf?.consumers ?? []).map(consumer => consumer.handler);
}

function handlerProblems(props: RedriveLaneProps): Problem[] {
  const { length: value } = handlersOf(props);
  if (value === 1) return [];
  const rule =
    'must be present, or laneOf have one function that consumes it, and no other: ask for the lane after that';
  return [{ property: 'handler', rule, value: `${value} functions` }];
}

/** AWS asks for six times the timeout of the function, as of every queue it consumes. */
function visibilityTimeout({ visibilityTimeout: stated, laneOf }: RedriveLaneProps, handler: IFunction): Duration {
  if (stated) return stated;
  const timeout = timeoutSeconds(handler);
  const asBeside = timeout === undefined && laneOf ? visibleSeconds(laneOf) : undefined;
  return Duration.seconds(asBeside ?? VISIBILITY_PER_TIMEOUT * (timeout ?? LONGEST_TIMEOUT_SECONDS));
}

function queueProps(props: RedriveLaneProps): QueueProps {
  const { laneOf, fifo = laneOf?.fifo, retentionPeriod } = props;
  const encryptionMasterKey = props.encryptionMasterKey ?? laneOf?.encryptionMasterKey;
  return {
    ...(fifo && { fifo }),
    ...(encryptionMasterKey && { encryptionMasterKey }),
    ...(retentionPeriod && { retentionPeriod }),
    removalPolicy: props.removalPolicy ?? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
  };
}

/**
 * What becomes of the properties, once every one of them has been judged.
 * @throws one error that names each of them that AWS would reject
 */
export function planOf(scope: Construct, id: string, props: RedriveLaneProps): LanePlan {
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
    ...(laneOf ? absentProblems('fifo', fifo, 'where laneOf is present, whose type the lane has') : []),
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
