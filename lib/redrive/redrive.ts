import { Duration, Stack } from 'aws-cdk-lib';
import { type IAlarm, type Metric, type MetricOptions, Stats } from 'aws-cdk-lib/aws-cloudwatch';
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
import type { RedriveTrigger } from '../../policy/redrive/redrive-facts';
import { redriveSection } from '../operations/dashboard-sections';
import type { DashboardSection, IWatched } from '../operations/i-watched';
import { asDeadLetterQueue } from '../queue/feed';
import { Alarms } from '../shared/alarms';
import { pathOf, throwProblems } from '../shared/checks';
import type { IRedriveDestination } from './i-redrive-destination';
import { redriveMetric, redriveRows } from './redrive-alarms';
import { mixtureProblems, redriveProblems } from './redrive-checks';
import { addRedriveFunction } from './redrive-function';
import { redrivePlanOf, TICK } from './redrive-plan';
import type { RedriveOptions, RedriveProps } from './redrive-props';
import { liveQueueProblems, warnOfRedrive } from './redrive-warnings';

/**
 * Sends dead letters home by itself, once it is safe: by a schedule, or when an alarm has recovered. First a few, the canary, slowly;
 * and where those do not come back, the others, faster in steps; never above its budgets, and never while an alarm fires. It does
 * nothing until `enabled` is true.
 *
 * SQS moves the letters, by move tasks with a destination that is always stated. What SNS or Lambda sent has no source SQS
 * knows of, and a queue nobody sends to, the anchor, makes SQS move it nevertheless; where SQS still refuses, the function
 * copies: it sends a letter, and only then deletes it. A function that failed is invoked anew with what it failed on. All that
 * is known comes from AWS, when it is needed: the function keeps no state, and may run twice at once, late, or again after it
 * broke off.
 *
 * Where the function may copy or invoke, it has a reserved concurrency of 1, which an account must have to spare: AWS keeps 100 for
 * all others, or 10 of a new account's.
 *
 * A FIFO queue gets the warning `dead-letter-office:redrive-reorders`. A destination that loses what it fails on gets
 * `dead-letter-office:queue-keeps-nothing` or `dead-letter-office:function-keeps-nothing`, and one encrypted with a key of another
 * account `dead-letter-office:key-of-another-account`. A queue to which nothing in the app sends dead letters, and that is neither a
 * `DeadLetterQueue` nor imported as one, gets `dead-letter-office:redrive-source-unknown`: it may be at work, or another app's
 * quarantine.
 *
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_StartMessageMoveTask.html
 */
export class Redrive extends Construct implements IWatched {
  /** What is emptied. */
  public readonly deadLetterQueue: IQueue;
  /** Where its letters go. */
  public readonly destination: IRedriveDestination;
  /** The function that looks, decides and acts: invoke it with `{"trigger":"operator"}` to begin a run by hand. */
  public readonly handler: LambdaFunction;
  /** The log of the function: a record of each look that saw something. */
  public readonly logGroup: ILogGroup;
  /** The SSM parameter that says `on` or `off`; of its own there is none, which is `on`, until somebody puts it. */
  public readonly killSwitch: IStringParameter;
  /** The queue nobody sends to; undefined where none is needed. */
  public readonly anchor?: IQueue;
  private readonly quarantine?: IQueue;
  private readonly watching: Alarms;

  /** @throws one error that names each property AWS or the redrive would reject, the rule and the value */
  constructor(scope: Construct, id: string, props: RedriveProps) {
    const others = scope.node.root.node.findAll().filter(it => it instanceof Redrive);
    throwProblems(pathOf(scope, id), redriveProblems(scope, props, others));
    super(scope, id);
    const { deadLetterQueue, destination, quarantine, alarmActions: actions } = props;
    this.deadLetterQueue = deadLetterQueue;
    this.destination = destination;
    if (quarantine) this.quarantine = quarantine;
    const terms = redrivePlanOf(props);
    if (terms.makesAnchor) this.anchor = addAnchor(this, deadLetterQueue);
    const { handler, logGroup, killSwitch } = addRedriveFunction(this, props, terms);
    this.handler = handler;
    this.logGroup = logGroup;
    this.killSwitch = killSwitch;
    addTriggers(this, handler, props);
    this.watching = new Alarms(this, { actions, unheard: 'A redrive stops' });
    for (const row of redriveRows(handler, terms.timeout)) this.watching.watch(row);
    const sourceProblems = () => [...mixtureProblems(props, this.anchor), ...liveQueueProblems(deadLetterQueue)];
    this.node.addValidation({ validate: () => sourceProblems().map(formatProblem) });
    warnOfRedrive(this, props, this.anchor);
  }

  /** Its alarms; not those of the queues, which have them themselves. */
  public get alarms(): IAlarm[] {
    return this.watching.all;
  }

  /** What it empties, and the quarantine of a function. */
  public get deadLetterQueues(): IQueue[] {
    return [this.deadLetterQueue, ...(this.quarantine ? [this.quarantine] : [])];
  }

  /** What an `OpsDashboard` shows of it. */
  public dashboardSection(): DashboardSection {
    const { handler, alarms, deadLetterQueue: deadLetters } = this;
    return redriveSection({ name: this.node.path, handler, alarms, deadLetters });
  }

  /** How it stands: 0 idle, 1 moving, 2 settling, 3 stopped for a cause. Maximum over 5 minutes by default. */
  public metricState(options?: MetricOptions): Metric {
    return redriveMetric(this.handler, 'RedriveState', { statistic: Stats.MAXIMUM, ...options });
  }

  /** Runs that began. Sum over 5 minutes by default. */
  public metricRunsStarted(options?: MetricOptions): Metric {
    return this.metricSum('RunsStarted', options);
  }

  /** Runs a schedule or an operator asked for, and none began though there were letters. Sum over 5 minutes by default. */
  public metricRunsRefused(options?: MetricOptions): Metric {
    return this.metricSum('RunsRefused', options);
  }

  /** Runs that ended well. Sum over 5 minutes by default. */
  public metricRunsFinished(options?: MetricOptions): Metric {
    return this.metricSum('RunsFinished', options);
  }

  /** Runs that ended for a cause. Sum over 5 minutes by default. */
  public metricRunsStopped(options?: MetricOptions): Metric {
    return this.metricSum('RunsStopped', options);
  }

  /** Letters moved by runs that have ended. Sum over 5 minutes by default. */
  public metricMoved(options?: MetricOptions): Metric {
    return this.metricSum('Moved', options);
  }

  /** Of those, how many came back. Sum over 5 minutes by default. */
  public metricReturned(options?: MetricOptions): Metric {
    return this.metricSum('Returned', options);
  }

  private metricSum(name: Parameters<typeof redriveMetric>[1], options?: MetricOptions): Metric {
    return redriveMetric(this.handler, name, { statistic: Stats.SUM, ...options });
  }
}

/** A run that could not be begun within five minutes is not begun by this: the next schedule, or a recovery, does it. Our choice. */
const RETRY = { maximumEventAgeInSeconds: 300, maximumRetryAttempts: 5 };

/** The group of a schedule that names none. */
const DEFAULT_GROUP = 'default';

/** What the function is invoked with; `time` is the instant it was due. */
function eventOf(trigger: RedriveTrigger, time: string) {
  return { trigger, time };
}

/**
 * The role the schedules invoke the function with.
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
      description: 'Has dead letters redriven.',
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

/** Has the function run whenever it may have something to do: by schedule, when an alarm recovers, and every minute. */
export function addTriggers(scope: Construct, handler: IFunction, options: RedriveOptions): void {
  const { recoveryAlarms = [], enabled = false } = options;
  const targetOf = (trigger: RedriveTrigger) =>
    new FunctionTarget(handler, { event: RuleTargetInput.fromObject(eventOf(trigger, EventField.time)) });
  addSchedules(scope, handler, options);
  if (recoveryAlarms.length > 0) {
    new Rule(scope, 'Recovered', {
      description: 'Tells a redrive that what failed is well again.',
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
    description: 'Has a redrive look after what it began.',
    enabled,
    schedule: Schedule.rate(TICK),
    targets: [targetOf('tick')],
  });
}

/**
 * Makes a queue to which nobody sends, and which names `queue` as its dead-letter queue: SQS's move task refuses letters of any
 * other, and SNS and Lambda send theirs without there being one.
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-configure-dead-letter-queue-redrive.html
 */
export function addAnchor(scope: Construct, queue: IQueue): IQueue {
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
