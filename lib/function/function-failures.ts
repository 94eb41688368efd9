import {
  type Alarm,
  type IAlarm,
  MathExpression,
  type Metric,
  type MetricOptions,
  Stats,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { IDestination, IFunction } from 'aws-cdk-lib/aws-lambda';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct, type IDependable } from 'constructs';
import { functionSection } from '../operations/dashboard-sections';
import type { DashboardSection, IWatched } from '../operations/i-watched';
import { DeadLetterQueue } from '../queue/dead-letter-queue';
import { functionFeeder } from '../queue/feeder-kinds';
import { asDeadLetterQueue, feed } from '../queue/feeder-registry';
import type { IDeadLetterQueue } from '../queue/i-dead-letter-queue';
import { failedEventsDestination } from '../redrive/i-redrive-destination';
import { Redrive } from '../redrive/redrive';
import type { RedriveOptions } from '../redrive/redrive-props';
import { REDRIVE_OPTIONS } from '../redrive/redrive-shapes';
import { ALARM_SET, AlarmSet, useAlarms } from '../shared/alarm-set';
import { type AlarmRow, Alarms, RunbookSection } from '../shared/alarms';
import { ALARM_ACTIONS, DURATION, FUNCTION, KEY, QUEUE, REMOVAL_POLICY } from '../shared/cdk-shapes';
import { integerProblems, pathOf, secondsProblems, throwProblems } from '../shared/checks';
import { functionBehind, ownedFunction } from '../shared/construct-tree';
import {
  checkArguments,
  checkNew,
  enumValue,
  having,
  metricOptions,
  NUMBER,
  optional,
  struct,
  TEXT,
} from '../shared/shapes';
import {
  configuresInvocations,
  FailedEventForm,
  type FunctionFailuresProps,
  failureProblems,
} from './function-failures-props';

interface FailureAlarm extends Omit<AlarmRow, 'metric' | 'threshold'> {
  readonly metricName: string;
}

const ALARMS = {
  deadLetterErrors: {
    only: AlarmSet.ALL,
    id: 'DeadLetterErrors',
    metricName: 'DeadLetterErrors',
    meaning: 'Lambda could not send an event to the dead-letter queue of the function. The event is lost.',
    runbook: RunbookSection.FUNCTION_DEAD_LETTERS_LOST,
  },
  lostRecords: {
    only: AlarmSet.ALL,
    id: 'DestinationFailures',
    metricName: 'DestinationDeliveryFailures',
    meaning: 'Lambda could not send the record of a failed event to the dead-letter queue. The event is lost.',
    runbook: RunbookSection.FUNCTION_DEAD_LETTERS_LOST,
  },
  failedDestinations: {
    only: AlarmSet.ALL,
    id: 'DestinationFailures',
    metricName: 'DestinationDeliveryFailures',
    meaning: 'Lambda could not send the record of a failed event to its destination.',
    runbook: RunbookSection.FUNCTION_DESTINATION_FAILED,
  },
  droppedEvents: {
    only: AlarmSet.ALL,
    id: 'EventsDropped',
    metricName: 'AsyncEventsDropped',
    meaning: 'Lambda dropped an event. The event is lost unless it is in the dead-letter queue of the function.',
    runbook: RunbookSection.FUNCTION_EVENTS_DROPPED,
    hasActions: false,
  },
  stoppedLoops: {
    only: AlarmSet.ALL,
    id: 'LoopStopped',
    metricName: 'RecursiveInvocationsDropped',
    meaning: 'Lambda stopped the function because it was invoking itself in a loop.',
    runbook: RunbookSection.FUNCTION_LOOP_STOPPED,
  },
} as const satisfies Record<string, FailureAlarm>;

const PROPS = struct<FunctionFailuresProps>({
  handler: FUNCTION,
  keptAs: optional(enumValue('FailedEventForm', FailedEventForm)),
  deadLetterQueue: optional(QUEUE),
  onFailure: optional(having<IDestination>('a destination', 'bind')),
  retryAttempts: optional(NUMBER),
  maxEventAge: optional(DURATION),
  encryptionKey: optional(KEY),
  removalPolicy: optional(REMOVAL_POLICY),
  alarms: optional(ALARM_SET),
  alarmActions: optional(ALARM_ACTIONS),
});

/**
 * Stores the events that a function failed on, and raises an alarm if one could not be stored.
 *
 * Lambda responds to SNS, EventBridge and S3 before it runs the function, so they never see a function error. After its
 * retries, Lambda sends the event to this dead-letter queue; without one it drops the event. The function's role gets
 * access to the queue and to the queue's key.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-error-handling.html
 */
export class FunctionFailures extends Construct implements IWatched {
  /**
   * Stores the failed events. A message body is the event itself, with the request id and the error as message
   * attributes, or a record that contains all of this. It is a `DeadLetterQueue` unless you passed another kind.
   */
  public readonly deadLetterQueue: IQueue;
  /** The function whose failed events are stored. */
  public readonly handler: IFunction;
  private readonly watching: Alarms;
  private readonly keepsEvents: boolean;
  private readonly hasDestination: boolean;

  /** @throws one error that names each property Lambda would reject, the rule and the value */
  constructor(scope: Construct, id: string, props: FunctionFailuresProps) {
    checkNew(scope, id, props, PROPS);
    throwProblems(pathOf(scope, id), [
      ...failureProblems(scope, props),
      ...integerProblems('retryAttempts', props.retryAttempts, { min: 0, max: 2 }),
      ...secondsProblems('maxEventAge', props.maxEventAge, { min: 60, max: 21_600 }),
    ]);
    super(scope, id);
    useAlarms(this, props.alarms);
    const { handler, alarmActions, keptAs = FailedEventForm.EVENT } = props;
    this.handler = handler;
    const { functionName = undefined } = ownedFunction(handler) ?? {};
    this.watching = new Alarms(this, { name: functionName, actions: alarmActions, withoutActions: 'An event is lost' });
    this.deadLetterQueue = props.deadLetterQueue ?? this.addDeadLetterQueue(props);
    const access = feed(this, this.deadLetterQueue, functionFeeder(functionBehind(handler)));
    this.keepsEvents = keptAs === FailedEventForm.EVENT;
    this.hasDestination = !this.keepsEvents || props.onFailure !== undefined;
    if (this.keepsEvents) this.keepEvents(props);
    else this.keepRecords(props, access);
    const { failedDestinations, lostRecords } = ALARMS;
    this.watching.watchIfWanted(this.lostEventsRow());
    if (this.keepsEvents) this.addAlarm(ALARMS.deadLetterErrors);
    if (this.hasDestination) this.addAlarm(this.keepsEvents ? failedDestinations : lostRecords);
    this.addAlarm(ALARMS.droppedEvents);
    this.addAlarm(ALARMS.stoppedLoops);
  }

  /** Its alarms, without those of its dead-letter queues. */
  public get alarms(): IAlarm[] {
    return this.watching.all;
  }

  /**
   * Fires when Lambda could not send an event, or its record, to the dead-letter queue or to `onFailure`, or stopped the
   * function because it was invoking itself in a loop. Undefined with `AlarmSet.ALL`, which has an alarm for each.
   */
  public get lostEventsAlarm(): Alarm | undefined {
    return this.watching.get('LostEvents');
  }

  /**
   * Fires when Lambda could not send an event to the dead-letter queue. The event is lost. Undefined if records are
   * kept, and without `AlarmSet.ALL`.
   */
  public get deadLetterErrorsAlarm(): Alarm | undefined {
    return this.watching.get('DeadLetterErrors');
  }

  /**
   * Fires when Lambda could not send a record to its destination. If records are kept, this is the dead-letter queue
   * and the event is lost; otherwise it is `onFailure`. Undefined without either, and without `AlarmSet.ALL`.
   */
  public get destinationFailuresAlarm(): Alarm | undefined {
    return this.watching.get('DestinationFailures');
  }

  /**
   * In ALARM while Lambda drops events without a successful run, whether or not they reach the dead-letter queue. It
   * has no action, because other alarms report the same failures: the arrivals alarm of the dead-letter queue reports
   * stored events, and `deadLetterErrorsAlarm` or `destinationFailuresAlarm` reports lost ones. Use it for its history,
   * or add an action to be notified twice. Undefined without `AlarmSet.ALL`.
   */
  public get droppedEventsAlarm(): Alarm | undefined {
    return this.watching.get('EventsDropped');
  }

  /**
   * Fires when Lambda stopped the function because it had invoked itself about 16 times in a row. Undefined without
   * `AlarmSet.ALL`.
   */
  public get recursionAlarm(): Alarm | undefined {
    return this.watching.get('LoopStopped');
  }

  /** The dead-letter queue with its alarms and grants; undefined if you passed a queue without them. */
  public get watchedDeadLetters(): IDeadLetterQueue | undefined {
    return asDeadLetterQueue(this.deadLetterQueue);
  }

  /** The queue of its failed events: `deadLetterQueue`. */
  public get deadLetterQueues(): IQueue[] {
    return [this.deadLetterQueue];
  }

  public dashboardSection(): DashboardSection {
    return functionSection(this);
  }

  /**
   * Creates a `Redrive` that invokes the function again with the events it failed on. It has the same alarm actions
   * unless you pass others.
   *
   * @throws if records are kept instead of the events themselves
   */
  public redriveDeadLetters(id: string, options?: RedriveOptions): Redrive {
    checkArguments(this, { id, options }, { id: TEXT, options: optional(REDRIVE_OPTIONS) });
    const rule = 'must be FailedEventForm.EVENT, because a record is not the event that the function was invoked with';
    throwProblems(
      pathOf(this, id),
      this.keepsEvents ? [] : [{ property: 'keptAs', rule, value: FailedEventForm.RECORD }],
    );
    const from = { deadLetterQueue: this.deadLetterQueue, destination: failedEventsDestination(this.handler) };
    return new Redrive(this, id, { alarmActions: this.watching.actions, ...options, ...from });
  }

  /**
   * Counts lost events: Lambda could not send them, or their records, to the dead-letter queue. Sum over 5 minutes by
   * default.
   */
  public metricLostEvents(options?: MetricOptions): Metric {
    return this.keepsEvents ? this.metricDeadLetterErrors(options) : this.metricDestinationDeliveryFailures(options);
  }

  /** Counts events that Lambda could not send to the dead-letter queue. Sum over 5 minutes by default. */
  public metricDeadLetterErrors(options?: MetricOptions): Metric {
    return this.metricSum('DeadLetterErrors', options);
  }

  /** Counts records that Lambda could not send to a destination. Sum over 5 minutes by default. */
  public metricDestinationDeliveryFailures(options?: MetricOptions): Metric {
    return this.metricSum('DestinationDeliveryFailures', options);
  }

  /**
   * Counts events dropped without a successful run, including those that reached the dead-letter queue. Sum over 5
   * minutes by default.
   */
  public metricAsyncEventsDropped(options?: MetricOptions): Metric {
    return this.metricSum('AsyncEventsDropped', options);
  }

  /**
   * Counts invocations that Lambda refused because the function invoked itself in a loop. Sum over 5 minutes by
   * default.
   */
  public metricRecursiveInvocationsDropped(options?: MetricOptions): Metric {
    return this.metricSum('RecursiveInvocationsDropped', options);
  }

  private metricSum(name: string, options?: MetricOptions): Metric {
    return functionBehind(this.handler).metric(name, { statistic: Stats.SUM, ...metricOptions(this, options) });
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
   * The role already has permission to send to the queue. Lambda rejects a destination that the role may not send to,
   * and a function of another stack does not bring the permissions of its role along. So the setting depends on them.
   */
  private keepRecords({ handler, retryAttempts, maxEventAge }: FunctionFailuresProps, access: IDependable[]): void {
    const onFailure = { bind: () => ({ destination: this.deadLetterQueue.queueArn }) };
    handler.configureAsyncInvoke({ onFailure, retryAttempts, maxEventAge });
    handler.node.tryFindChild('EventInvokeConfig')?.node.addDependency(...access);
  }

  private addAlarm({ metricName, ...row }: FailureAlarm): void {
    this.watching.watchIfWanted({ ...row, metric: this.metricSum(metricName), threshold: 0 });
  }

  /**
   * Events that Lambda dropped after it sent them to the dead-letter queue are not counted: the alarm of that queue reports
   * them. A metric without data counts as 0, because Lambda sends each only when it happens.
   */
  private lostEventsRow(): AlarmRow {
    const usingMetrics = {
      ...(this.keepsEvents && { unsent: this.metricDeadLetterErrors() }),
      ...(this.hasDestination && { unrecorded: this.metricDestinationDeliveryFailures() }),
      looped: this.metricRecursiveInvocationsDropped(),
    };
    const filled = Object.keys(usingMetrics).map(id => `FILL(${id}, 0)`);
    const unsent = this.keepsEvents
      ? 'an event to the dead-letter queue'
      : 'the record of an event to the dead-letter queue';
    const also = this.keepsEvents && this.hasDestination ? ', or its record to the destination' : '';
    return {
      id: 'LostEvents',
      only: AlarmSet.ESSENTIAL,
      metric: new MathExpression({ label: 'lost events', expression: filled.join(' + '), usingMetrics }),
      threshold: 0,
      evaluationPeriods: 5,
      datapointsToAlarm: 1,
      meaning: `Lambda could not send ${unsent}${also}, or stopped the function because it was invoking itself in a loop. The event is lost.`,
      runbook: RunbookSection.FUNCTION_EVENTS_LOST,
    };
  }
}
