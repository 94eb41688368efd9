import { Duration, Stack } from 'aws-cdk-lib';
import {
  type IAlarm,
  MathExpression,
  type Metric,
  type MetricOptions,
  Stats,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { EventField, Rule, RuleTargetInput, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as FunctionTarget } from 'aws-cdk-lib/aws-events-targets';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IFunction, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import { CfnSchedule } from 'aws-cdk-lib/aws-scheduler';
import { type IQueue, Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import type { IStringParameter } from 'aws-cdk-lib/aws-ssm';
import { Construct } from 'constructs';
import { QUEUE_LIMITS } from '../../policy/aws-limits';
import { formatProblem } from '../../policy/problem';
import { REDRIVE_STATES } from '../../policy/redrive/redrive-decision';
import type { RedriveTrigger } from '../../policy/redrive/redrive-facts';
import { redriveSection } from '../operations/dashboard-sections';
import type { DashboardSection, IWatched } from '../operations/i-watched';
import { asDeadLetterQueue } from '../queue/feeder-registry';
import { AlarmSet, useAlarms } from '../shared/alarm-set';
import { type AlarmRow, Alarms, RunbookSection } from '../shared/alarms';
import { pathOf, throwProblems } from '../shared/checks';
import { RedriveMetric, redriveMetric } from '../shared/own-metrics';
import { checkArguments, checkNew, enumValue, metricOptions } from '../shared/shapes';
import type { IRedriveDestination } from './i-redrive-destination';
import { mixtureProblems, onSuccessProblems, redriveProblems } from './redrive-checks';
import { addRedriveFunction } from './redrive-function';
import type { RedriveOptions, RedriveProps } from './redrive-props';
import { REDRIVE_PROPS } from './redrive-shapes';
import { redriveSizingOf, settingsSizeProblems, TICK } from './redrive-sizing';
import { liveQueueProblems, warnOfRedrive } from './redrive-warnings';

/**
 * Moves dead letters back automatically once it is safe: by schedule, or when an alarm has recovered. First it moves a
 * few messages slowly, as a canary. If they do not return, it moves the others, faster with each step. It never exceeds
 * its budgets, and stops while an alarm fires. It does nothing until `enabled` is true.
 *
 * SQS moves the messages, with move tasks that always name the destination. A queue that SNS or Lambda feeds has no
 * source that SQS knows of, so an empty queue, the anchor, names it. If SQS still refuses, the function copies: it
 * sends a message and only then deletes it. A function that failed is invoked again with the events it failed on; a
 * message is deleted once the function has succeeded. All state is read from AWS when it is needed. The function stores none, and may run twice at once, late, or again after
 * an interruption.
 *
 * If the function may copy or invoke, it has a reserved concurrency of 1, which the account must have available: AWS
 * keeps 100 for other functions, or 10 in a new account.
 *
 * A FIFO queue gets the warning `dead-letter-office:redrive-reorders`. A destination that loses messages it fails on
 * gets `dead-letter-office:queue-keeps-nothing`. One encrypted with a key of another account gets `dead-letter-office:key-of-another-account`. A queue to which nothing in the app sends
 * dead letters, and that is neither a `DeadLetterQueue` nor imported as one, gets
 * `dead-letter-office:redrive-source-unknown`: it may be in normal use, or a quarantine of another app.
 *
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_StartMessageMoveTask.html
 */
export class Redrive extends Construct implements IWatched {
  /** The dead-letter queue that is emptied. */
  public readonly deadLetterQueue: IQueue;
  /** Where its messages are moved. */
  public readonly destination: IRedriveDestination;
  /** The function that checks, decides and acts. Invoke it with `{"trigger":"operator"}` to start a run. */
  public readonly handler: LambdaFunction;
  /** The log of the function, with a record of each check that found something. */
  public readonly logGroup: ILogGroup;
  /**
   * The SSM parameter with the value `on` or `off`. The default parameter does not exist, and counts as `on`, until an
   * operator creates it.
   */
  public readonly killSwitch: IStringParameter;
  /** The empty queue that names the dead-letter queue; undefined if none is needed. */
  public readonly anchor?: IQueue;
  private readonly quarantine?: IQueue;
  private readonly watching: Alarms;

  /** @throws one error that names each property AWS or the redrive would reject, the rule and the value */
  constructor(scope: Construct, id: string, props: RedriveProps) {
    checkNew(scope, id, props, REDRIVE_PROPS);
    const others = scope.node.root.node.findAll().filter(it => it instanceof Redrive);
    throwProblems(pathOf(scope, id), redriveProblems(scope, props, others));
    super(scope, id);
    useAlarms(this, props.alarms);
    const { deadLetterQueue, destination, quarantine, alarmActions: actions } = props;
    this.deadLetterQueue = deadLetterQueue;
    this.destination = destination;
    if (quarantine) this.quarantine = quarantine;
    const terms = redriveSizingOf(props);
    if (terms.makesAnchor) this.anchor = addAnchor(this, deadLetterQueue);
    const { handler, logGroup, killSwitch } = addRedriveFunction(this, props, terms);
    this.handler = handler;
    this.logGroup = logGroup;
    this.killSwitch = killSwitch;
    addTriggers(this, handler, props);
    this.watching = new Alarms(this, { actions, withoutActions: 'A redrive stops' });
    this.watching.watchAll(redriveRows(handler, terms.timeout));
    const sourceProblems = () => [
      ...mixtureProblems(props, this.anchor),
      ...liveQueueProblems(deadLetterQueue),
      ...onSuccessProblems(props),
      ...settingsSizeProblems(handler),
    ];
    this.node.addValidation({ validate: () => sourceProblems().map(formatProblem) });
    warnOfRedrive(this, props, this.anchor);
  }

  /** Its alarms, without those of the queues. */
  public get alarms(): IAlarm[] {
    return this.watching.all;
  }

  /** The dead-letter queue that this redrive empties and, if set, its quarantine. */
  public get deadLetterQueues(): IQueue[] {
    return [this.deadLetterQueue, ...(this.quarantine ? [this.quarantine] : [])];
  }

  public dashboardSection(): DashboardSection {
    const { handler, alarms, deadLetterQueue: deadLetters } = this;
    return redriveSection({ name: this.node.path, handler, alarms, deadLetters });
  }

  /**
   * A metric of the redrive, over 5 minutes by default. Its statistic is the sum by default, and the maximum for
   * `RedriveMetric.STATE`.
   */
  public metric(metric: RedriveMetric, options?: MetricOptions): Metric {
    checkArguments(this, { metric }, { metric: enumValue('RedriveMetric', RedriveMetric) });
    return redriveMetric(this.handler, metric, metricOptions(this, options));
  }
}

/** If a run cannot start within five minutes, the next schedule or recovery starts one. */
const RETRY = { maximumEventAgeInSeconds: 300, maximumRetryAttempts: 5 };

/** The group of a schedule that names none. */
const DEFAULT_GROUP = 'default';

/** The event for the function. `time` is the scheduled time. */
function eventOf(trigger: RedriveTrigger, time: string) {
  return { trigger, time };
}

/**
 * The role with which schedules invoke the function.
 * @see https://docs.aws.amazon.com/scheduler/latest/UserGuide/cross-service-confused-deputy-prevention.html
 */
function addScheduleRole(scope: Construct, handler: IFunction): Role {
  const stack = Stack.of(scope);
  const group = stack.formatArn({ service: 'scheduler', resource: 'schedule-group', resourceName: DEFAULT_GROUP });
  const role = new Role(scope, 'ScheduleRole', {
    description: 'Lets schedules invoke the function of a redrive.',
    assumedBy: new ServicePrincipal('scheduler.amazonaws.com', {
      conditions: { StringEquals: { 'aws:SourceAccount': stack.account, 'aws:SourceArn': group } },
    }),
  });
  role.addToPolicy(new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [handler.functionArn] }));
  return role;
}

/** @see https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-scheduler-schedule.html */
function addSchedules(scope: Construct, handler: IFunction, { schedules = [], enabled }: RedriveOptions): void {
  if (schedules.length === 0) return;
  const role = addScheduleRole(scope, handler);
  for (const [index, { expressionString, timeZone }] of schedules.entries()) {
    const schedule = new CfnSchedule(scope, `Schedule${index}`, {
      description: 'Redrives dead letters.',
      scheduleExpression: expressionString,
      ...(timeZone && { scheduleExpressionTimezone: timeZone.timezoneName }),
      flexibleTimeWindow: { mode: 'OFF' },
      state: enabled ? 'ENABLED' : 'DISABLED',
      target: {
        arn: handler.functionArn,
        roleArn: role.roleArn,
        input: JSON.stringify(eventOf('schedule', '<aws.scheduler.scheduled-time>')),
        retryPolicy: RETRY,
      },
    });
    schedule.node.addDependency(role);
  }
}

/** Invokes the function by schedule, when an alarm recovers, and every minute. */
function addTriggers(scope: Construct, handler: IFunction, options: RedriveOptions): void {
  const { recoveryAlarms = [], enabled = false } = options;
  const targetOf = (trigger: RedriveTrigger) =>
    new FunctionTarget(handler, { event: RuleTargetInput.fromObject(eventOf(trigger, EventField.time)) });
  addSchedules(scope, handler, options);
  if (recoveryAlarms.length > 0) {
    new Rule(scope, 'Recovered', {
      description: 'Notifies a redrive that an alarm has recovered.',
      enabled,
      eventPattern: {
        source: ['aws.cloudwatch'],
        detailType: ['CloudWatch Alarm State Change'],
        resources: recoveryAlarms.map(({ alarmArn }) => alarmArn),
        detail: { state: { value: ['OK'] }, previousState: { value: ['ALARM'] } },
      },
      targets: [targetOf('recovery')],
    });
  }
  new Rule(scope, 'Tick', {
    description: 'Checks the running move of a redrive.',
    enabled,
    schedule: Schedule.rate(TICK),
    targets: [targetOf('tick')],
  });
}

/**
 * Creates an empty queue that names `queue` as its dead-letter queue. An SQS move task accepts only a queue that
 * another queue names, and a queue that only SNS and Lambda feed has none.
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-configure-dead-letter-queue-redrive.html
 */
function addAnchor(scope: Construct, queue: IQueue): IQueue {
  const anchor = new Queue(scope, 'Anchor', {
    encryption: QueueEncryption.SQS_MANAGED,
    enforceSSL: true,
    retentionPeriod: Duration.seconds(QUEUE_LIMITS.retentionSeconds.min),
    deadLetterQueue: { queue, maxReceiveCount: QUEUE_LIMITS.receiveCount.max },
    ...(queue.fifo && { fifo: true }),
  });
  asDeadLetterQueue(queue)?.anchoredBy(anchor);
  return anchor;
}

/**
 * The number of minutes without a check, in addition to the longest check, before the alarm fires: twice the delay that
 * metrics may have.
 */
const SPARE_MINUTES = 5;

/**
 * The alarms of a redrive.
 *
 * Its state metric rises above settling once for each run that stops for a cause. It stays there for ten minutes, and
 * until the next run starts or the dead-letter queue is empty. So the alarm fires once per run. A missing datapoint
 * keeps the state of the alarm.
 *
 * @param longestLook the maximum duration of one check, before whose end the function reports no state
 */
export function redriveRows(handler: IFunction, longestLook: Duration): readonly AlarmRow[] {
  return [
    {
      id: 'Stopped',
      metric: redriveMetric(handler, 'RedriveState'),
      threshold: REDRIVE_STATES.settling,
      missingData: TreatMissingData.IGNORE,
      meaning: 'A redrive stopped for a cause that an operator must fix. The remaining dead letters wait.',
      runbook: RunbookSection.REDRIVE_STOPPED,
    },
    {
      id: 'Errors',
      metric: handler.metricErrors({ statistic: Stats.SUM }),
      threshold: 0,
      evaluationPeriods: 5,
      datapointsToAlarm: 3,
      meaning: 'The function of a redrive fails. Nothing is redriven, and a running move is not checked.',
      runbook: RunbookSection.REDRIVE_FUNCTION_FAILING,
    },
    {
      id: 'Throttles',
      only: AlarmSet.ALL,
      metric: throttledWithoutCheck(handler),
      threshold: 0,
      evaluationPeriods: Math.ceil(longestLook.toMinutes({ integral: false })) + SPARE_MINUTES,
      meaning: 'Lambda throttles the function of a redrive. Nothing is redriven, and a running move is not checked.',
      runbook: RunbookSection.REDRIVE_FUNCTION_THROTTLED,
    },
  ];
}

/**
 * Throttles in a minute without a check. A check reports the state when it ends. While a long check copies or replays
 * messages, the next ones are throttled by design, because only one may run at a time.
 *
 * A missing number of checks is filled with 0. So an alarm on this metric must need many consecutive minutes, because
 * the newest are not yet complete.
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/using-metric-math.html
 */
function throttledWithoutCheck(handler: IFunction): MathExpression {
  return new MathExpression({
    label: 'throttled without a check',
    expression: 'IF(FILL(looks, 0) > 0, 0, throttles)',
    usingMetrics: {
      looks: redriveMetric(handler, 'RedriveState', { statistic: Stats.SAMPLE_COUNT }),
      throttles: handler.metricThrottles({ statistic: Stats.SUM }),
    },
  });
}
