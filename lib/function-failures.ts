import type { Duration } from 'aws-cdk-lib';
import {
  type Alarm,
  type IAlarm,
  type IAlarmAction,
  type Metric,
  type MetricOptions,
  Stats,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { CfnFunction, type IDestination, type Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { DeadLetterQueue } from './dead-letter-queue';
import type { IDeadLetterQueue } from './i-dead-letter-queue';
import type { Problem } from './policy/problem';
import { type AlarmRow, Alarms, RunbookSection } from './private/alarms';
import { integerProblems, pathOf, secondsProblems, throwProblems } from './private/checks';

/** Properties of a `FunctionFailures`. */
export interface FunctionFailuresProps {
  /** The function whose asynchronous invocations must not get lost. Its dead-letter queue is set here and nowhere else. */
  readonly handler: LambdaFunction;

  /**
   * The standard queue that keeps the events the function failed on: a `DeadLetterQueue`, or for one that was made
   * elsewhere an `ImportedDeadLetterQueue`.
   *
   * @default - a `DeadLetterQueue` of its own, with `encryptionKey` and `alarmActions`
   */
  readonly deadLetterQueue?: IDeadLetterQueue;

  /**
   * The key that encrypts the dead-letter queue made here. Ignored with `deadLetterQueue`.
   *
   * @default - SQS encrypts with a key of its own
   */
  readonly encryptionKey?: IKey;

  /**
   * Gets a record of each event the function failed on, with the error, beside the event in the dead-letter queue. Where
   * it is a `DeadLetterQueue`, call its `fedByFunction` too, so that its arrivals have their alarm.
   *
   * @default - none
   */
  readonly onFailure?: IDestination;

  /**
   * How often an event is tried again after a function error: 0 to 2 times, after one minute and after two more.
   *
   * @default 2
   */
  readonly retryAttempts?: number;

  /**
   * How long an event may wait and be retried: 60 seconds to 6 hours.
   *
   * @default Duration.hours(6)
   */
  readonly maxEventAge?: Duration;

  /**
   * Who is told when an alarm fires; not of dropped events, of which the dead-letter queue's own alarm tells. An
   * `OpsTopic` is such an action.
   *
   * @default - nobody, and the warning `dead-letter-office:alarm-tells-nobody` says so
   */
  readonly alarmActions?: IAlarmAction[];
}

/** One of its alarms, which counts how often Lambda reports a metric. */
interface FailureAlarm extends Omit<AlarmRow, 'metric' | 'threshold'> {
  readonly metricName: string;
}

const ALARMS = {
  deadLetterErrors: {
    id: 'DeadLetterErrors',
    metricName: 'DeadLetterErrors',
    meaning: 'Lambda could not send an event to the dead-letter queue of the function: it is lost.',
    runbook: RunbookSection.FUNCTION_DEAD_LETTERS_LOST,
  },
  failedDestinations: {
    id: 'DestinationFailures',
    metricName: 'DestinationDeliveryFailures',
    meaning: 'Lambda could not send the record of a failed event to its destination.',
    runbook: RunbookSection.FUNCTION_DESTINATION_FAILED,
  },
  droppedEvents: {
    id: 'EventsDropped',
    metricName: 'AsyncEventsDropped',
    meaning: 'Lambda gave up on an event: unless the dead-letter queue of the function has it, it is lost.',
    runbook: RunbookSection.FUNCTION_EVENTS_DROPPED,
    tells: false,
  },
  stoppedLoops: {
    id: 'LoopStopped',
    metricName: 'RecursiveInvocationsDropped',
    meaning: 'Lambda stopped the function, which had been invoking itself in a loop.',
    runbook: RunbookSection.FUNCTION_LOOP_STOPPED,
  },
} as const satisfies Record<string, FailureAlarm>;

/**
 * Keeps the events a function failed on, and tells when even that fails.
 *
 * Lambda answers SNS, EventBridge and S3 before it runs the function, so a function error is nobody's but Lambda's: after
 * its retries the event goes to this dead-letter queue, or is gone. The function's role gets access to the queue and to
 * the queue's key.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-error-handling.html
 */
export class FunctionFailures extends Construct {
  /** Keeps the events: each body is the event itself, and the attributes say which request failed and why. */
  public readonly deadLetterQueue: IDeadLetterQueue;
  /** Fires when Lambda could not send an event to the dead-letter queue: it is lost. */
  public readonly deadLetterErrorsAlarm: Alarm;
  /** Fires when Lambda could not send a record to `onFailure`; undefined without one. */
  public readonly destinationFailuresAlarm?: Alarm;
  /**
   * In ALARM while Lambda gives up on events without a successful run, whether or not they then reach the dead-letter
   * queue. It has no action, for it has no news: the arrivals alarm of the dead-letter queue tells of what was kept,
   * `deadLetterErrorsAlarm` of what was lost. Add an action to hear of a failure twice, or look at it for its history.
   */
  public readonly droppedEventsAlarm: Alarm;
  /** Fires when Lambda stopped the function because it had invoked itself about 16 times in a row. */
  public readonly recursionAlarm: Alarm;
  /** The function whose failed events are kept. */
  public readonly handler: LambdaFunction;
  private readonly watching: Alarms;

  /** @throws one error that names each property Lambda would reject, the rule and the value */
  constructor(scope: Construct, id: string, props: FunctionFailuresProps) {
    const { handler } = props;
    throwProblems(pathOf(scope, id), [
      ...takenProblems(props),
      ...integerProblems('retryAttempts', props.retryAttempts, { min: 0, max: 2 }),
      ...secondsProblems('maxEventAge', props.maxEventAge, { min: 60, max: 21_600 }),
    ]);
    super(scope, id);
    this.handler = handler;
    this.watching = new Alarms(this, {
      name: functionResource(handler).functionName,
      actions: props.alarmActions,
      unheard: 'An event is lost',
    });
    this.deadLetterQueue = props.deadLetterQueue ?? this.addDeadLetterQueue(props);
    this.deadLetterQueue.fedByFunction(handler);
    functionResource(handler).deadLetterConfig = { targetArn: this.deadLetterQueue.queueArn };
    this.configureInvocations(props);
    this.deadLetterErrorsAlarm = this.addAlarm(ALARMS.deadLetterErrors);
    this.droppedEventsAlarm = this.addAlarm(ALARMS.droppedEvents);
    this.recursionAlarm = this.addAlarm(ALARMS.stoppedLoops);
    if (props.onFailure) this.destinationFailuresAlarm = this.addAlarm(ALARMS.failedDestinations);
  }

  /** Its alarms; not those of its dead-letter queue, which has them itself. */
  public get alarms(): IAlarm[] {
    return this.watching.all;
  }

  /** Events Lambda could not send to the dead-letter queue. Sum over 5 minutes by default. */
  public metricDeadLetterErrors(options?: MetricOptions): Metric {
    return this.metricSum('DeadLetterErrors', options);
  }

  /** Records Lambda could not send to a destination. Sum over 5 minutes by default. */
  public metricDestinationDeliveryFailures(options?: MetricOptions): Metric {
    return this.metricSum('DestinationDeliveryFailures', options);
  }

  /** Events given up without a successful run, those that reached the dead-letter queue included. Sum over 5 minutes by default. */
  public metricAsyncEventsDropped(options?: MetricOptions): Metric {
    return this.metricSum('AsyncEventsDropped', options);
  }

  /** Invocations refused because the function was in a loop with itself. Sum over 5 minutes by default. */
  public metricRecursiveInvocationsDropped(options?: MetricOptions): Metric {
    return this.metricSum('RecursiveInvocationsDropped', options);
  }

  private metricSum(name: string, options?: MetricOptions): Metric {
    return this.handler.metric(name, { statistic: Stats.SUM, ...options });
  }

  private addDeadLetterQueue(props: FunctionFailuresProps): DeadLetterQueue {
    return new DeadLetterQueue(this, 'DeadLetterQueue', {
      encryptionMasterKey: props.encryptionKey,
      alarmActions: props.alarmActions,
    });
  }

  private configureInvocations(props: FunctionFailuresProps): void {
    const { handler, onFailure, retryAttempts, maxEventAge } = props;
    if (configures(props)) handler.configureAsyncInvoke({ onFailure, retryAttempts, maxEventAge });
  }

  private addAlarm({ metricName, ...row }: FailureAlarm): Alarm {
    return this.watching.watch({ ...row, metric: this.metricSum(metricName), threshold: 0 });
  }
}

function configures({ onFailure, retryAttempts, maxEventAge }: FunctionFailuresProps): boolean {
  return [onFailure, retryAttempts, maxEventAge].some(setting => setting !== undefined);
}

/** What a function can have once only, and has. A second `FunctionFailures` would replace the first without a word. */
function takenProblems(props: FunctionFailuresProps): Problem[] {
  const { handler } = props;
  const itsOwn = handler.deadLetterQueue ?? handler.deadLetterTopic;
  const resource = functionResource(handler);
  const deadLetters = itsOwn?.node.path ?? (resource.deadLetterConfig && resource.node.path);
  const configured = configures(props) ? handler.node.tryFindChild('EventInvokeConfig') : undefined;
  const configuredRule =
    'must not have its asynchronous invocation configured already where onFailure, retryAttempts or maxEventAge is given';
  return [
    ...(deadLetters === undefined
      ? []
      : [{ property: 'handler', rule: 'must not have a dead-letter queue already', value: deadLetters }]),
    ...(configured ? [{ property: 'handler', rule: configuredRule, value: configured.node.path }] : []),
  ];
}

/** A function's own resource, which every function made in this app has. */
function functionResource(handler: LambdaFunction): CfnFunction {
  const resource = handler.node.defaultChild;
  if (resource instanceof CfnFunction) return resource;
  throw new Error(`${handler.node.path} has no AWS::Lambda::Function`);
}
