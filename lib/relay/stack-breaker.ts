import { ArnFormat, Duration, Lazy, RemovalPolicy, Stack } from 'aws-cdk-lib';
import type { Alarm, IAlarmAction } from 'aws-cdk-lib/aws-cloudwatch';
import { Rule, RuleTargetInput, type RuleTargetInputProperties, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as FunctionTarget } from 'aws-cdk-lib/aws-events-targets';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { CfnLogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { type DeclaredUsage, USAGE_METADATA } from '../../diagnosis/cost/declared-usage';
import {
  BREAKER_RELAYS_VARIABLE,
  BREAKER_SCHEDULE_MS,
  type BreakerSettings,
  MAX_BREAKER_RELAYS,
  RELAYS_PER_TARGET,
} from '../../policy/relay/breaker-event';
import { acknowledgeAlarmsOf, alarmsStatement } from '../shared/access/grants';
import { addActions, MAX_ACTIONS } from '../shared/alarm-actions';
import { Alarms, RunbookSection } from '../shared/alarms';
import { throwProblems, warn } from '../shared/checks';
import { ownedFunction } from '../shared/construct-tree';
import { addOwnFunction, type OwnFunction } from '../shared/own-function';
import { functionSum } from '../shared/own-metrics';
import { type BreakerTargets, breakerSettings, runTime, STACK_ALARM_PREFIX } from './breaker';
import type { HttpRelayOptions } from './http-relay-props';

/** The id of the breaker below its stack. The logical ids are made from it, so it must not change. */
const ID = 'DeadLetterOfficeRelayBreaker';

/**
 * The milliseconds by which each relay of the stack extends the time in which all are checked: eight reads a second.
 * Lambda accepts 15 calls a second of an account for most actions, also from others.
 * @see https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
 */
const SPREAD_MS = 125;

/** How long a run usually takes, in seconds, without the time by which it is spread. */
const RUN_SECONDS = 1;

/** Enough for the messages that the sweeps of several relays work on at once. */
const MEMORY_MEGABYTES = 512;

/** A global symbol, because an app may load this library twice. */
const STACK_BREAKER: unique symbol = Symbol.for('dead-letter-office.StackBreaker');

interface MarkedStack {
  [STACK_BREAKER]?: StackBreaker;
}

const TOO_MANY_ACTIONS = `The relays of the stack have more than ${MAX_ACTIONS} different alarm actions, and their breaker has one alarm, which takes ${MAX_ACTIONS}: the others are not notified if the breaker fails. Give the relays a common action.`;

/** The function that stops and starts the relays of a stack, with its rule and its alarm. */
export class StackBreaker extends Construct {
  /** Returns the breaker of the relay's stack, and creates it for the first relay. */
  public static of(relay: Construct): StackBreaker {
    const stack: Stack & MarkedStack = Stack.of(relay);
    const known = stack[STACK_BREAKER];
    if (known) return known;
    const breaker = new StackBreaker(stack);
    Object.defineProperty(stack, STACK_BREAKER, { value: breaker });
    return breaker;
  }

  /** The alarm on errors of the function. */
  public readonly alarm: Alarm;
  private readonly own: OwnFunction;
  private readonly rule: Rule;
  private readonly relays: BreakerSettings[] = [];
  private readonly options: HttpRelayOptions[] = [];
  private readonly actions = new Set<IAlarmAction>();
  private runSeconds = 0;

  private constructor(stack: Stack) {
    super(stack, ID);
    this.own = addOwnFunction(this, {
      bundle: 'relay-breaker',
      description: 'Stops relays whose endpoints fail, probes the endpoints, and restarts the relays gradually.',
      roleDescription: 'Lets a function stop and start relays, try one of their messages, and write its log.',
      timeout: Duration.millis(BREAKER_SCHEDULE_MS),
      memorySize: MEMORY_MEGABYTES,
      // The next check continues where a run was interrupted. A late retry would only add load.
      retryAttempts: 0,
      maxEventAge: Duration.millis(BREAKER_SCHEDULE_MS),
      environment: { [BREAKER_RELAYS_VARIABLE]: Lazy.string({ produce: () => this.names().join(',') }) },
    });
    this.rule = new Rule(this, 'Rule', {
      description: 'Runs the breaker of relays periodically, and when too many attempts of a relay fail.',
      // Not at full five minutes: a tick that comes a minute early or late still falls into its own five minutes.
      schedule: Schedule.expression('cron(2/5 * * * ? *)'),
      eventPattern: {
        source: ['aws.cloudwatch'],
        detailType: ['CloudWatch Alarm State Change'],
        detail: { alarmName: [{ prefix: STACK_ALARM_PREFIX }], state: { value: ['ALARM'] } },
      },
    });
    const alarms = new Alarms(this, { withoutActions: 'The breaker fails' });
    this.alarm = alarms.watch({
      id: 'BreakerErrors',
      metric: functionSum(this.handler, 'Errors'),
      threshold: 0,
      period: Duration.millis(BREAKER_SCHEDULE_MS),
      meaning:
        'The function of the breaker fails. A stopped relay stays stopped, and a relay with a failing endpoint continues.',
      runbook: RunbookSection.RELAY_BREAKER_FAILING,
      // Those of the relays: each relay without any warns about it.
      hasActions: false,
    });
  }

  public get handler(): LambdaFunction {
    return this.own.handler;
  }

  /**
   * Adds a relay.
   * @throws if the stack has too many relays for one rule
   */
  public serve(relay: BreakerTargets, options: HttpRelayOptions): void {
    this.options.push(options);
    this.checkLimits(relay);
    const index = this.relays.push(breakerSettings(relay, options)) - 1;
    if (index % RELAYS_PER_TARGET === 0) this.addTarget(index);
    this.grant(relay);
    this.fit(runTime(relay.plan));
    this.notify(options.alarmActions ?? []);
  }

  /** The time within which the relays are checked. A single one is checked at once. */
  private get spreadMs(): number {
    const { length } = this.relays;
    return length > 1 ? length * SPREAD_MS : 0;
  }

  private names(): string[] {
    return this.relays.map(({ functionName }) => functionName);
  }

  private checkLimits({ handler }: BreakerTargets): void {
    const { length: value } = this.options;
    if (value > MAX_BREAKER_RELAYS) {
      const rule = `must be at most ${MAX_BREAKER_RELAYS} in a stack, because their settings are in the targets of one EventBridge rule: five, of 8,192 characters each; move relays to another stack, or set circuitBreaker.enabled to false`;
      throwProblems(handler.node.scope?.node.path ?? '', [{ property: 'relays with a breaker', rule, value }]);
    }
  }

  /** A target has the settings of `RELAYS_PER_TARGET` relays, also of those that are added later. */
  private addTarget(from: number): void {
    const relays = () => this.relays.slice(from, from + RELAYS_PER_TARGET);
    const settings = () => Stack.of(this).toJsonString(relays());
    const event = new RelaysInput(
      () =>
        `{"source":<source>,"time":<time>,"resources":<resources>,"spreadMs":${this.spreadMs},"relays":${settings()}}`,
    );
    this.rule.addTarget(new FunctionTarget(this.handler, { event }));
  }

  /**
   * Lets the function read the state of the relay, disable and enable its mapping, and retry its messages or send them
   * to the dead-letter queue.
   */
  private grant({ queue, handler, mapping, alarm }: BreakerTargets): void {
    const { role } = this.own;
    const mappingArn = Stack.of(this).formatArn({
      service: 'lambda',
      resource: 'event-source-mapping',
      resourceName: mapping.eventSourceMappingId,
      arnFormat: ArnFormat.COLON_RESOURCE_NAME,
    });
    const allow = (actions: string[], resource: string) =>
      role.addToPolicy(new PolicyStatement({ actions, resources: [resource] }));
    if (this.relays.length === 1) {
      role.addToPolicy(alarmsStatement(this, ['cloudwatch:DescribeAlarms'], [alarm]));
      acknowledgeAlarmsOf(role, 'alarms by their names', [alarm]);
    }
    allow(['lambda:GetEventSourceMapping', 'lambda:UpdateEventSourceMapping'], mappingArn);
    allow(
      ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:ChangeMessageVisibility', 'sqs:GetQueueAttributes'],
      queue.queueArn,
    );
    allow(['lambda:InvokeFunction'], handler.functionArn);
    queue.encryptionMasterKey?.grantDecrypt(role);
  }

  /** What the relays state about functions and logs: the longest timeout, the longest retention, the safest removal. */
  private fit(runTime: Duration): void {
    this.runSeconds = Math.max(this.runSeconds, runTime.toSeconds());
    const resource = ownedFunction(this.handler);
    if (resource) resource.timeout = this.runSeconds;
    const usage: DeclaredUsage = { invocationSeconds: RUN_SECONDS + this.spreadMs / 1_000, metricRequests: 1 };
    resource?.addMetadata(USAGE_METADATA, usage);
    const log = this.own.logGroup.node.defaultChild;
    if (!(log instanceof CfnLogGroup)) return;
    const days = this.options.map(({ logRetention = RetentionDays.THREE_MONTHS }) => logRetention);
    log.retentionInDays = days.includes(RetentionDays.INFINITE) ? undefined : Math.max(...days);
    const [policy = RemovalPolicy.RETAIN, ...others] = new Set(this.options.map(({ removalPolicy }) => removalPolicy));
    log.applyRemovalPolicy(others.length === 0 ? policy : RemovalPolicy.RETAIN);
  }

  /** The first five actions of the relays' alarms are also those of the breaker's alarm. */
  private notify(actions: readonly IAlarmAction[]): void {
    const others = [...new Set(actions)].filter(action => !this.actions.has(action));
    const added = others.slice(0, MAX_ACTIONS - this.actions.size);
    for (const action of added) this.actions.add(action);
    if (added.length > 0) addActions(this, this.alarm, added);
    if (added.length < others.length) warn(this, 'breaker-alarm-full', TOO_MANY_ACTIONS);
  }
}

/** The input of a target: parts of the event, and settings that are known only at the end of synthesis. */
class RelaysInput extends RuleTargetInput {
  constructor(private readonly produce: () => string) {
    super();
  }

  public bind(): RuleTargetInputProperties {
    return {
      inputPathsMap: { source: '$.source', time: '$.time', resources: '$.resources' },
      inputTemplate: Lazy.string({ produce: this.produce }),
    };
  }
}
