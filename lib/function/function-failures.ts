import { type Alarm, type IAlarm, type Metric, type MetricOptions, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct, type IDependable } from 'constructs';
import { functionSection } from '../operations/dashboard-sections';
import type { DashboardSection, IWatched } from '../operations/i-watched';
import { DeadLetterQueue } from '../queue/dead-letter-queue';
import { asDeadLetterQueue, feed } from '../queue/feed';
import { functionFeeder } from '../queue/feeders';
import type { IDeadLetterQueue } from '../queue/i-dead-letter-queue';
import { failedEventsDestination } from '../redrive/i-redrive-destination';
import { Redrive } from '../redrive/redrive';
import type { RedriveOptions } from '../redrive/redrive-props';
import { type AlarmRow, Alarms, RunbookSection } from '../shared/alarms';
import { integerProblems, pathOf, secondsProblems, throwProblems } from '../shared/checks';
import { functionBehind, ownedFunction } from '../shared/construct-tree';
import {
  configuresInvocations,
  FailedEventForm,
  type FunctionFailuresProps,
  failureProblems,
} from './function-failures-props';

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
  lostRecords: {
    id: 'DestinationFailures',
    metricName: 'DestinationDeliveryFailures',
    meaning: 'Lambda could not send the record of a failed event to the dead-letter queue: the event is lost.',
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
export class FunctionFailures extends Construct implements IWatched {
  /**
   * Keeps the events: each body is the event itself, and the attributes say which request failed and why; or each body is a
   * record with all of it. It is a `DeadLetterQueue` unless you passed another kind.
   */
  public readonly deadLetterQueue: IQueue;
  /** Fires when Lambda could not send an event to the dead-letter queue: it is lost. Undefined where records are kept. */
  public readonly deadLetterErrorsAlarm?: Alarm;
  /**
   * Fires when Lambda could not send a record to its destination: the dead-letter queue where records are kept, and the
   * event is lost; otherwise `onFailure`. Undefined without either.
   */
  public readonly destinationFailuresAlarm?: Alarm;
  /**
   * In ALARM while Lambda gives up on events without a successful run, whether or not they then reach the dead-letter
   * queue. It has no action, for it has no news: the arrivals alarm of the dead-letter queue tells of what was kept,
   * `deadLetterErrorsAlarm` or `destinationFailuresAlarm` of what was lost. Add an action to hear of a failure twice, or look at it for its history.
   */
  public readonly droppedEventsAlarm: Alarm;
  /** Fires when Lambda stopped the function because it had invoked itself about 16 times in a row. */
  public readonly recursionAlarm: Alarm;
  /** The function whose failed events are kept. */
  public readonly handler: IFunction;
  private readonly watching: Alarms;

  /** @throws one error that names each property Lambda would reject, the rule and the value */
  constructor(scope: Construct, id: string, props: FunctionFailuresProps) {
    throwProblems(pathOf(scope, id), [
      ...failureProblems(scope, props),
      ...integerProblems('retryAttempts', props.retryAttempts, { min: 0, max: 2 }),
      ...secondsProblems('maxEventAge', props.maxEventAge, { min: 60, max: 21_600 }),
    ]);
    super(scope, id);
    const { handler, alarmActions, keptAs = FailedEventForm.EVENT } = props;
    this.handler = handler;
    const { functionName = undefined } = ownedFunction(handler) ?? {};
    this.watching = new Alarms(this, { name: functionName, actions: alarmActions, unheard: 'An event is lost' });
    this.deadLetterQueue = props.deadLetterQueue ?? this.addDeadLetterQueue(props);
    const access = feed(this, this.deadLetterQueue, functionFeeder(functionBehind(handler)));
    if (keptAs === FailedEventForm.RECORD) {
      this.keepRecords(props, access);
      this.destinationFailuresAlarm = this.addAlarm(ALARMS.lostRecords);
    } else {
      this.keepEvents(props);
      this.deadLetterErrorsAlarm = this.addAlarm(ALARMS.deadLetterErrors);
      if (props.onFailure) this.destinationFailuresAlarm = this.addAlarm(ALARMS.failedDestinations);
    }
    this.droppedEventsAlarm = this.addAlarm(ALARMS.droppedEvents);
    this.recursionAlarm = this.addAlarm(ALARMS.stoppedLoops);
  }

  /** Its alarms; not those of its dead-letter queue, which has them itself. */
  public get alarms(): IAlarm[] {
    return this.watching.all;
  }

  /** The dead-letter queue with its alarms and grants; undefined where you passed one that has none. */
  public get watchedDeadLetters(): IDeadLetterQueue | undefined {
    return asDeadLetterQueue(this.deadLetterQueue);
  }

  /** Where its failed events end: `deadLetterQueue`, and no other. */
  public get deadLetterQueues(): IQueue[] {
    return [this.deadLetterQueue];
  }

  /** What an `OpsDashboard` shows of it. */
  public dashboardSection(): DashboardSection {
    return functionSection(this);
  }

  /**
   * Has the function invoked anew with the events it failed on: a `Redrive`, of which the same are told unless you say otherwise.
   *
   * @throws if records are kept, and not the events themselves
   */
  public redriveDeadLetters(id: string, options?: RedriveOptions): Redrive {
    const rule = 'must be FailedEventForm.EVENT, for a record is not what the function was invoked with';
    const keepsEvents = this.deadLetterErrorsAlarm !== undefined;
    throwProblems(pathOf(this, id), keepsEvents ? [] : [{ property: 'keptAs', rule, value: FailedEventForm.RECORD }]);
    const from = { deadLetterQueue: this.deadLetterQueue, destination: failedEventsDestination(this.handler) };
    return new Redrive(this, id, { alarmActions: this.watching.actions, ...options, ...from });
  }

  /** Events that are lost: Lambda could not send them, or their records, to the dead-letter queue. Sum over 5 minutes by default. */
  public metricLostEvents(options?: MetricOptions): Metric {
    return this.deadLetterErrorsAlarm
      ? this.metricDeadLetterErrors(options)
      : this.metricDestinationDeliveryFailures(options);
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
    return functionBehind(this.handler).metric(name, { statistic: Stats.SUM, ...options });
  }

  private addDeadLetterQueue(props: FunctionFailuresProps): DeadLetterQueue {
    return new DeadLetterQueue(this, 'DeadLetterQueue', {
      encryptionMasterKey: props.encryptionKey,
      removalPolicy: props.removalPolicy,
      alarmActions: props.alarmActions,
    });
  }

  private keepEvents(props: FunctionFailuresProps): void {
    const { handler, onFailure, retryAttempts, maxEventAge } = props;
    const resource = ownedFunction(handler);
    if (resource) resource.deadLetterConfig = { targetArn: this.deadLetterQueue.queueArn };
    if (configuresInvocations(props)) handler.configureAsyncInvoke({ onFailure, retryAttempts, maxEventAge });
  }

  /**
   * The queue has let the function in already, with no more than it needs. Lambda refuses a destination its role may not
   * send to, and what is of another stack does not bring its role's permissions along: so the setting waits for them.
   */
  private keepRecords({ handler, retryAttempts, maxEventAge }: FunctionFailuresProps, access: IDependable[]): void {
    const onFailure = { bind: () => ({ destination: this.deadLetterQueue.queueArn }) };
    handler.configureAsyncInvoke({ onFailure, retryAttempts, maxEventAge });
    handler.node.tryFindChild('EventInvokeConfig')?.node.addDependency(...access);
  }

  private addAlarm({ metricName, ...row }: FailureAlarm): Alarm {
    return this.watching.watch({ ...row, metric: this.metricSum(metricName), threshold: 0 });
  }
}
