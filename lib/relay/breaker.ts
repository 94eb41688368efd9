import { ArnFormat, Duration, Stack, Token } from 'aws-cdk-lib';
import { type Alarm, Stats, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as FunctionTarget } from 'aws-cdk-lib/aws-events-targets';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { EventSourceMapping, IFunction, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import type { DeclaredUsage } from '../../diagnosis/cost/declared-usage';
import { MAX_FUNCTION_TIMEOUT_SECONDS } from '../../policy/aws-limits';
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
import { breakerRate, functionSum, neverClosed, relayMetric } from './relay-alarms';
import type { RelaySizing } from './relay-sizing';

/**
 * The time until a change of the mapping shows in the alarm, after the running invocations have ended. The alarm
 * evaluates two minutes or more, metrics may be a minute late, and the rest is a margin.
 */
const SETTLE_SECONDS = 300;

const DEFAULTS = { thresholdPercent: 50, minimumAttempts: 10, probeInterval: Duration.minutes(5) };

/** The time the breaker's function needs in addition to the probe request: a long poll of SQS and its calls to AWS. */
const PROBE_OVERHEAD_SECONDS = 60;

/** The minimum timeout, which leaves time to handle thousands of expiring messages. */
export const MIN_RUN_SECONDS = 300;

/** The timeout of the breaker's function. */
function runTime({ timeoutSeconds }: RelaySizing): Duration {
  const neededSeconds = Math.max(MIN_RUN_SECONDS, timeoutSeconds + PROBE_OVERHEAD_SECONDS);
  return Duration.seconds(Math.min(MAX_FUNCTION_TIMEOUT_SECONDS, neededSeconds));
}

/**
 * The period of the alarm. An invocation writes its metrics when it ends, and each of two periods must contain some.
 */
function alarmPeriod({ timeoutSeconds }: RelaySizing): Duration {
  return Duration.minutes(Math.ceil(timeoutSeconds / 60));
}

/**
 * How often the breaker checks its relay: every five minutes, or less often if one check may take longer. A probe must
 * end before the next check begins.
 */
function tick(plan: RelaySizing): Duration {
  return Duration.minutes(Math.max(5, Math.ceil(runTime(plan).toMinutes({ integral: false }))));
}

/**
 * The alarm that opens the breaker. It evaluates two minutes, or two of the longest invocations. It has no actions: the
 * alarm on a stopped relay notifies operators.
 */
export function breakerRow(
  handler: IFunction,
  { circuitBreaker: options = {} }: HttpRelayOptions,
  plan: RelaySizing,
): AlarmRow {
  const { thresholdPercent = DEFAULTS.thresholdPercent, minimumAttempts = DEFAULTS.minimumAttempts } = options;
  return {
    id: 'Breaker',
    metric: breakerRate(handler, minimumAttempts),
    threshold: thresholdPercent,
    period: alarmPeriod(plan),
    evaluationPeriods: 2,
    meaning: 'Many attempts fail. The breaker stops the relay until its endpoint answers again.',
    runbook: RunbookSection.RELAY_ENDPOINT_FAILING,
    hasActions: false,
  };
}

/** The hours that a half-open breaker takes to close, plus two: each doubling of the concurrency takes two checks. */
function hoursToClose(plan: RelaySizing): number {
  const { maximumConcurrency } = plan;
  const steps = Math.ceil(
    Math.log2((Token.isUnresolved(maximumConcurrency) ? 1 : maximumConcurrency) / OPEN_CONCURRENCY),
  );
  return 2 + Math.max(1, Math.ceil((2 * steps * tick(plan).toMinutes()) / 60));
}

/**
 * The alarms on a breaker. While a relay is stopped it makes no attempts, so the failure-rate alarm returns to OK.
 * These alarms keep reporting that the endpoint is down. Three of six checks are enough, so that a relay that stops
 * again and again counts too. Missing data keeps the state of the alarm.
 */
export function breakerWatch(handler: IFunction, breaker: IFunction, plan: RelaySizing): readonly AlarmRow[] {
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
      meaning: 'The relay is stopped, either by its breaker because the endpoint fails, or manually. Messages wait.',
      runbook: RunbookSection.RELAY_STOPPED,
    },
    {
      id: 'HalfOpen',
      metric: neverClosed(handler),
      threshold: 0,
      period: Duration.hours(1),
      evaluationPeriods: hoursToClose(plan),
      missingData: TreatMissingData.IGNORE,
      meaning: 'The breaker is half open and has not let more messages through for hours.',
      runbook: RunbookSection.RELAY_STOPPED,
    },
    {
      id: 'BreakerErrors',
      metric: functionSum(breaker, 'Errors'),
      threshold: 0,
      period,
      meaning:
        'The function of the breaker fails. A stopped relay stays stopped, and a relay with a failing endpoint continues.',
      runbook: RunbookSection.RELAY_BREAKER_FAILING,
    },
  ];
}

/** What a breaker needs of its relay. */
interface BreakerTargets {
  readonly queue: ProcessingQueue;
  readonly handler: LambdaFunction;
  readonly mapping: EventSourceMapping;
  readonly alarm: Alarm;
  readonly plan: RelaySizing;
}

/**
 * What the breaker's function may do: read the state, disable and enable the mapping, and retry messages or send them
 * to the dead-letter queue.
 */
function statements({ queue, handler, mapping, alarm }: BreakerTargets, scope: Construct): PolicyStatement[] {
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

/** A check reads the state of the relay and of its alarm, in about a second. */
const CHECK_USAGE: DeclaredUsage = { invocationSeconds: 1, metricRequests: 1 };

/** Creates the function of the breaker. It runs when the alarm fires, and periodically. */
export function addBreaker(scope: Construct, relayed: BreakerTargets, options: HttpRelayOptions): LambdaFunction {
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
    description: 'Stops a relay whose endpoint fails, probes the endpoint, and restarts the relay gradually.',
    roleDescription: 'Lets a function stop and start a relay, try one of its messages, and write its log.',
    timeout: runTime(plan),
    // The next check continues where a run was interrupted. A late retry would only add load.
    retryAttempts: 0,
    maxEventAge: tick(plan),
    logRetention: options.logRetention,
    removalPolicy: options.removalPolicy,
    environment: { [BREAKER_SETTINGS_VARIABLE]: Stack.of(scope).toJsonString(settings) },
    usage: CHECK_USAGE,
    statements: statements(relayed, place),
  });
  acknowledgeAlarmsOf(role, 'one alarm by its name', [alarm]);
  queue.encryptionMasterKey?.grantDecrypt(role);
  const target = new FunctionTarget(breaking);
  new Rule(place, 'Fired', {
    description: 'Notifies a breaker that too many attempts of its relay fail.',
    eventPattern: {
      source: ['aws.cloudwatch'],
      detailType: ['CloudWatch Alarm State Change'],
      resources: [alarm.alarmArn],
      detail: { state: { value: ['ALARM'] } },
    },
    targets: [target],
  });
  new Rule(place, 'Tick', {
    description: 'Runs a breaker periodically.',
    schedule: Schedule.rate(tick(plan)),
    targets: [target],
  });
  return breaking;
}
