import { ArnFormat, Duration, Stack, Token } from 'aws-cdk-lib';
import { type Alarm, Stats, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as FunctionTarget } from 'aws-cdk-lib/aws-events-targets';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { EventSourceMapping, IFunction, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import {
  BREAKER_SETTINGS_VARIABLE,
  BREAKER_STATES,
  type BreakerSettings,
  OPEN_CONCURRENCY,
} from '../../policy/relay/breaker';
import type { ProcessingQueue } from '../queue/processing-queue';
import { acknowledgeAlarmsOf, alarmsStatement } from '../shared/access/grants';
import { type AlarmRow, RunbookSection } from '../shared/alarms';
import { milliseconds } from '../shared/checks';
import { addOwnFunction } from '../shared/own-function';
import type { HttpRelayOptions } from './http-relay-props';
import { failureRate, functionSum, neverClosed, relayMetric } from './relay-alarms';
import type { RelayPlan } from './relay-plan';
import { LONGEST_RUN_SECONDS } from './relay-run';

/**
 * How long a change of the mapping takes to show in the alarm, which looks at two minutes or more, once an invocation has
 * ended: with the minute it may take until metrics are there, and as much again to be sure. Our choice.
 */
const SETTLE_SECONDS = 300;

const DEFAULTS = { thresholdPercent: 50, minimumAttempts: 10, probeInterval: Duration.minutes(5) };

/** How long a breaker's function may run beside the probe: a long poll of SQS, and what is said to AWS. */
const BESIDE_PROBE_SECONDS = 60;

/** What it has at least: to see to thousands of messages that expire. Our choice. */
export const LEAST_RUN_SECONDS = 300;

/** The longest a breaker's run may take. */
function runTime({ timeoutSeconds }: RelayPlan): Duration {
  const neededSeconds = Math.max(LEAST_RUN_SECONDS, timeoutSeconds + BESIDE_PROBE_SECONDS);
  return Duration.seconds(Math.min(LONGEST_RUN_SECONDS, neededSeconds));
}

/** The minutes of the alarm: an invocation writes its metrics when it ends, and two of them are to have some. */
function alarmPeriod({ timeoutSeconds }: RelayPlan): Duration {
  return Duration.minutes(Math.ceil(timeoutSeconds / 60));
}

/**
 * How often a breaker looks after its relay: every five minutes, or more seldom where one look may take longer, so that a
 * probe has ended when the next one begins.
 */
function tick(plan: RelayPlan): Duration {
  return Duration.minutes(Math.max(5, Math.ceil(runTime(plan).toMinutes({ integral: false }))));
}

/**
 * The alarm that opens a breaker: two minutes are enough, or twice as many as an invocation may take. Nobody is told; the one
 * on a stopped relay tells.
 */
export function breakerRow(
  handler: IFunction,
  { circuitBreaker: options = {} }: HttpRelayOptions,
  plan: RelayPlan,
): AlarmRow {
  const { thresholdPercent = DEFAULTS.thresholdPercent, minimumAttempts = DEFAULTS.minimumAttempts } = options;
  return {
    id: 'Breaker',
    metric: failureRate(handler, minimumAttempts),
    threshold: thresholdPercent,
    period: alarmPeriod(plan),
    evaluationPeriods: 2,
    meaning: 'So many attempts fail that the breaker stops the relay until its endpoint answers again.',
    runbook: RunbookSection.RELAY_ENDPOINT_FAILING,
    tells: false,
  };
}

/** More hours than a half-open breaker takes to close, by two: each time it doubles what it lets through takes two ticks. */
function hoursToClose(plan: RelayPlan): number {
  const { maximumConcurrency } = plan;
  const steps = Math.ceil(
    Math.log2((Token.isUnresolved(maximumConcurrency) ? 1 : maximumConcurrency) / OPEN_CONCURRENCY),
  );
  return 2 + Math.max(1, Math.ceil((2 * steps * tick(plan).toMinutes()) / 60));
}

/**
 * What tells people of a breaker. The failure rate goes back to OK while a relay is stopped, since nothing is attempted: this is
 * what goes on telling that the endpoint is down. Three looks of six: one that is stopped again and again counts too. What
 * nobody says leaves the alarm as it is.
 */
export function breakerWatch(handler: IFunction, breaker: IFunction, plan: RelayPlan): readonly AlarmRow[] {
  const period = tick(plan);
  return [
    {
      id: 'Stopped',
      metric: relayMetric(handler, 'BreakerState', { statistic: Stats.MAXIMUM }),
      threshold: BREAKER_STATES['half-open'],
      period,
      evaluationPeriods: 6,
      datapointsToAlarm: 3,
      missingData: TreatMissingData.IGNORE,
      meaning: 'The relay is stopped: by its breaker, as its endpoint fails, or by hand. Messages wait.',
      runbook: RunbookSection.RELAY_STOPPED,
    },
    {
      id: 'HalfOpen',
      metric: neverClosed(handler),
      threshold: 0,
      period: Duration.hours(1),
      evaluationPeriods: hoursToClose(plan),
      missingData: TreatMissingData.IGNORE,
      meaning: 'The relay lets messages through little by little, and for hours that has not become more.',
      runbook: RunbookSection.RELAY_STOPPED,
    },
    {
      id: 'BreakerErrors',
      metric: functionSum(breaker, 'Errors'),
      threshold: 0,
      period,
      meaning: 'The breaker’s function fails: a relay that is stopped stays so, and one whose endpoint fails goes on.',
      runbook: RunbookSection.RELAY_BREAKER_FAILING,
    },
  ];
}

/** What a breaker has to do with of its relay. */
export interface Relayed {
  readonly queue: ProcessingQueue;
  readonly handler: LambdaFunction;
  readonly mapping: EventSourceMapping;
  readonly alarm: Alarm;
  readonly plan: RelayPlan;
}

/** What the breaker's function may do: look, disable and enable the one mapping, and have messages tried or given up. */
function statements({ queue, handler, mapping, alarm }: Relayed, scope: Construct): PolicyStatement[] {
  const stack = Stack.of(scope);
  const mappingArn = stack.formatArn({
    service: 'lambda',
    resource: 'event-source-mapping',
    resourceName: mapping.eventSourceMappingId,
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  });
  const allow = (actions: string[], resource: string) => new PolicyStatement({ actions, resources: [resource] });
  return [
    allow(['lambda:GetEventSourceMapping', 'lambda:UpdateEventSourceMapping'], mappingArn),
    alarmsStatement(scope, ['cloudwatch:DescribeAlarms'], [alarm]),
    allow(
      ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:ChangeMessageVisibility', 'sqs:GetQueueAttributes'],
      queue.queueArn,
    ),
    allow(['lambda:InvokeFunction'], handler.functionArn),
  ];
}

/** The function of a relay's breaker: it runs when the alarm fires, and from time to time. */
export function addBreaker(scope: Construct, relayed: Relayed, options: HttpRelayOptions): LambdaFunction {
  const { queue, handler, mapping, alarm, plan } = relayed;
  const place = new Construct(scope, 'Breaker');
  const settings: BreakerSettings = {
    mappingId: mapping.eventSourceMappingId,
    configuredConcurrency: plan.maximumConcurrency,
    alarmName: alarm.alarmName,
    queueUrl: queue.queueUrl,
    queueArn: queue.queueArn,
    functionName: handler.functionName,
    settleMs: (SETTLE_SECONDS + plan.timeoutSeconds) * 1_000,
    probeIntervalMs: milliseconds(options.circuitBreaker?.probeInterval ?? DEFAULTS.probeInterval),
    tickMs: tick(plan).toMilliseconds(),
    functionTimeoutMs: plan.timeoutSeconds * 1_000,
    retentionMs: milliseconds(plan.retentionPeriod),
  };
  const { handler: breaking, role } = addOwnFunction(place, {
    bundle: 'relay-breaker',
    description: 'Stops a relay whose endpoint fails, tries it, and starts it gently.',
    roleDescription: 'Lets a function stop and start a relay, try one of its messages, and write its log.',
    timeout: runTime(plan),
    // The next tick goes on from wherever a run broke off, and a late one would only come on top of it.
    retryAttempts: 0,
    maxEventAge: tick(plan),
    logRetention: options.logRetention,
    removalPolicy: options.removalPolicy,
    environment: { [BREAKER_SETTINGS_VARIABLE]: Stack.of(scope).toJsonString(settings) },
    statements: statements(relayed, place),
  });
  acknowledgeAlarmsOf(role, 'one alarm by its name', [alarm]);
  queue.encryptionMasterKey?.grantDecrypt(role);
  const target = new FunctionTarget(breaking);
  new Rule(place, 'Fired', {
    description: 'Tells a breaker that too many attempts of its relay fail.',
    eventPattern: {
      source: ['aws.cloudwatch'],
      detailType: ['CloudWatch Alarm State Change'],
      resources: [alarm.alarmArn],
      detail: { state: { value: ['ALARM'] } },
    },
    targets: [target],
  });
  new Rule(place, 'Tick', {
    description: 'Has a breaker look after its relay from time to time.',
    schedule: Schedule.rate(tick(plan)),
    targets: [target],
  });
  return breaking;
}
