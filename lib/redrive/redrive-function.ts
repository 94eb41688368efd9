import { ArnFormat, Duration, Lazy, Names, Stack } from 'aws-cdk-lib';
import type { IAlarm } from 'aws-cdk-lib/aws-cloudwatch';
import { PolicyStatement, type Role } from 'aws-cdk-lib/aws-iam';
import { CfnEventSourceMapping } from 'aws-cdk-lib/aws-lambda';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { type IStringParameter, StringParameter } from 'aws-cdk-lib/aws-ssm';
import type { Construct, IConstruct } from 'constructs';
import type { DeclaredUsage } from '../../diagnosis/cost/declared-usage';
import { quietForMs } from '../../policy/redrive/redrive-runs';
import { type QueueName, REDRIVE_SETTINGS_VARIABLE, type RedriveSettings } from '../../policy/redrive/redrive-settings';
import { acknowledgeAlarmsOf, alarmsStatement, grantRedrive, grantSend } from '../shared/access/grants';
import { grantRoleSendOnKey } from '../shared/access/key';
import { grantDecryptMessages } from '../shared/access/message-keys';
import { warnOfAnotherAccount } from '../shared/access/resource-policies';
import { acknowledgeRule } from '../shared/cdk-features';
import { atSynthesis, milliseconds } from '../shared/checks';
import { mentions } from '../shared/construct-tree';
import { addOwnFunction, type OwnFunction } from '../shared/own-function';
import { type IRedriveDestination, ReplayedForm } from './i-redrive-destination';
import type { RedriveProps } from './redrive-props';
import { MIN_SETTLE_SECONDS, REDRIVE_DEFAULTS, type RedriveSizing, TICK } from './redrive-sizing';

/**
 * How long a check may wait while another copies or replays messages. After that Lambda drops it, because later checks
 * see the same state.
 */
const MAX_CHECK_AGE = Duration.minutes(5);

interface RedriveFunction extends OwnFunction {
  readonly killSwitch: IStringParameter;
}

/**
 * Creates the function of a redrive. Its role may move messages from the one queue to the one destination, and read
 * their state.
 */
export function addRedriveFunction(scope: Construct, props: RedriveProps, terms: RedriveSizing): RedriveFunction {
  const { logRetention, removalPolicy, destination } = props;
  const killSwitch = props.killSwitch ?? ownKillSwitch(scope);
  const mappingIds = () => mappingIdsOf(scope, destination);
  const settings = settingsOf(props, terms, { name: scope.node.path, killSwitch, mappingIds });
  const own = addOwnFunction(scope, {
    bundle: 'redrive',
    description: 'Moves dead letters to their destination, a few at first, and checks whether they fail again.',
    roleDescription:
      'Lets a function move the messages of one dead-letter queue to one destination, and write its log.',
    timeout: terms.timeout,
    memorySize: terms.memorySize,
    // A check can be repeated, because it reads the state again. A start or a result that one check had to report, no
    // other check would report.
    retryAttempts: 2,
    maxEventAge: MAX_CHECK_AGE,
    logRetention,
    removalPolicy,
    environment: { [REDRIVE_SETTINGS_VARIABLE]: Stack.of(scope).toJsonString(settings) },
    usage: checkUsage(terms),
    ...(terms.mayMoveMessages && { reservedConcurrentExecutions: 1 }),
  });
  grantAccess(scope, props, { role: own.role, killSwitch, mayMoveMessages: terms.mayMoveMessages });
  grantOnMappings(scope, own.role, mappingIds);
  return { ...own, killSwitch };
}

/**
 * What a check uses that has nothing to do: it asks for the depth, and writes the state. One in a few minutes also asks for the
 * tasks. A function that may move messages itself then also reads what it moved.
 */
function checkUsage({ mayMoveMessages, settle }: RedriveSizing): DeclaredUsage {
  const tickMs = TICK.toMilliseconds();
  const settleMs = settle.isUnresolved() ? MIN_SETTLE_SECONDS * 1_000 : settle.toMilliseconds();
  const whole = tickMs / quietForMs({ tickMs, settleMs });
  return {
    invocationSeconds: 0.1,
    queueRequests: 1 + whole,
    metricRequests: mayMoveMessages ? whole : 0,
    idleMetrics: 1,
  };
}

/** What the settings contain in addition to the properties. */
interface RedriveParts {
  /** The path of the construct. */
  readonly name: string;
  readonly killSwitch: IStringParameter;
  /** The mappings that read the destination, as known at synthesis. */
  readonly mappingIds: () => readonly string[];
}

function nameOf({ queueUrl: url, queueArn: arn }: IQueue): QueueName {
  return { url, arn };
}

function destinationOf({
  targetQueue: queue,
  handler,
  form,
  subscriptionArn,
}: IRedriveDestination): RedriveSettings['destination'] {
  if (queue) return { kind: 'queue', ...nameOf(queue) };
  if (!handler) throw new Error('a destination is a queue or a function');
  const bodyIs = form === ReplayedForm.EVENT ? 'event' : 'envelope';
  return { kind: 'function', arn: handler.functionArn, bodyIs, ...(subscriptionArn && { subscriptionArn }) };
}

const namesOf = (alarms: readonly IAlarm[] = []) => alarms.map(({ alarmName }) => alarmName);

/** Where messages are that fail again. A replay deletes a message only if the function succeeded. */
function failuresOf({ destination, deadLetterQueue }: RedriveProps): IQueue | undefined {
  return destination.handler ? deadLetterQueue : destination.deadLetterQueue;
}

function settingsOf(props: RedriveProps, terms: RedriveSizing, parts: RedriveParts): RedriveSettings {
  const { destination, quarantine, maxBacklog, maxAge, resultsTopic } = props;
  const failures = failuresOf(props);
  return {
    enabled: props.enabled ?? false,
    name: parts.name,
    deadLetters: nameOf(props.deadLetterQueue),
    destination: destinationOf(destination),
    carrier: terms.carrier,
    mayMoveMessages: terms.mayMoveMessages,
    ...(failures && { failures: nameOf(failures) }),
    ...(quarantine && { quarantine: nameOf(quarantine) }),
    mappingIds: Lazy.list({ produce: () => [...parts.mappingIds()] }),
    recoveryAlarms: namesOf(props.recoveryAlarms),
    healthAlarms: namesOf(props.healthAlarms),
    healthyForMs: milliseconds(props.healthyFor ?? REDRIVE_DEFAULTS.healthyFor),
    ...(maxBacklog !== undefined && { maxBacklog }),
    ...(maxAge && { maxAgeSeconds: maxAge.toSeconds() }),
    proofOfHealth: props.proofOfHealth ?? destination.targetQueue !== undefined,
    steps: terms.steps,
    settleMs: milliseconds(terms.settle),
    maxReturnedPercent: props.maxReturnedPercent ?? REDRIVE_DEFAULTS.maxReturnedPercent,
    restMs: milliseconds(props.restAfterReturn ?? REDRIVE_DEFAULTS.restAfterReturn),
    runsPerDay: props.runsPerDay ?? REDRIVE_DEFAULTS.runsPerDay,
    messagesPerDay: props.messagesPerDay ?? REDRIVE_DEFAULTS.messagesPerDay,
    switchParameter: parts.killSwitch.parameterName,
    switchMayBeAbsent: isOwnKillSwitch(parts.killSwitch),
    tickMs: TICK.toMilliseconds(),
    functionTimeoutMs: terms.timeout.toMilliseconds(),
    ...(resultsTopic && { resultsTopicArn: resultsTopic.topicArn }),
  };
}

/** What is needed to take messages out, and to see whether a move task is running. */
const TAKE_ACTIONS = ['sqs:ListMessageMoveTasks', 'sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'];

/** What is needed to invoke a function, and to read how long it may run and whether it has an on-success destination. */
const REPLAY_ACTIONS = [
  'lambda:InvokeFunction',
  'lambda:GetFunctionConfiguration',
  'lambda:GetFunctionEventInvokeConfig',
];

/** What determines the permissions of the function. */
interface Access {
  readonly role: Role;
  readonly killSwitch: IStringParameter;
  /** Whether the function may have to receive and delete messages itself, and return some. */
  readonly mayMoveMessages: boolean;
}

function grantAccess(scope: IConstruct, props: RedriveProps, { role, killSwitch, mayMoveMessages }: Access): void {
  const { deadLetterQueue, destination, quarantine, recoveryAlarms = [], healthAlarms = [], resultsTopic } = props;
  const { targetQueue: queue, handler } = destination;
  const failures = failuresOf(props);
  const allow = (action: string, resource: string) =>
    role.addToPolicy(new PolicyStatement({ actions: [action], resources: [resource] }));
  if (queue) {
    grantRedrive(deadLetterQueue, role, queue);
    allow('sqs:GetQueueAttributes', queue.queueArn);
  }
  if (handler) {
    deadLetterQueue.grant(role, ...TAKE_ACTIONS);
    grantDecryptMessages(deadLetterQueue, role);
    for (const action of REPLAY_ACTIONS) allow(action, handler.functionArn);
  }
  if (mayMoveMessages) allow('sqs:ChangeMessageVisibility', deadLetterQueue.queueArn);
  if (failures && failures.queueArn !== deadLetterQueue.queueArn) allow('sqs:GetQueueAttributes', failures.queueArn);
  if (quarantine) grantSend(quarantine, role);
  allow('ssm:GetParameter', killSwitch.parameterArn);
  const alarms = [...recoveryAlarms, ...healthAlarms];
  if (alarms.length > 0) {
    role.addToPolicy(alarmsStatement(scope, ['cloudwatch:DescribeAlarms', 'cloudwatch:DescribeAlarmHistory'], alarms));
    acknowledgeAlarmsOf(role, 'alarms by their names', alarms);
  }
  allow('cloudwatch:GetMetricData', '*');
  acknowledgeRule(role, {
    id: 'AwsSolutions-IAM5[Resource::*]',
    reason: 'CloudWatch has no resource-level permissions for metric data.',
  });
  if (resultsTopic) {
    allow('sns:Publish', resultsTopic.topicArn);
    if (resultsTopic.masterKey) grantRoleSendOnKey(resultsTopic.masterKey, role);
    warnOfAnotherAccount(scope, resultsTopic, role, 'sns:Publish', 'no notification of results');
  }
}

/**
 * The ids of the mappings that read the destination: those that were passed, and those of the same stack. A mapping of
 * another stack may depend on this stack, so a reference to it could be circular.
 */
function mappingIdsOf(scope: Construct, { targetQueue: queue, mappings }: IRedriveDestination): readonly string[] {
  const stated = mappings.map(({ eventSourceMappingId }) => eventSourceMappingId);
  if (!queue) return stated;
  const found = Stack.of(scope)
    .node.findAll()
    .filter(it => it instanceof CfnEventSourceMapping)
    .filter(it => Stack.of(it) === Stack.of(scope) && mentions(it, it.eventSourceArn, queue.queueArn));
  return [...new Set([...stated, ...found.map(({ ref }) => ref)])];
}

function grantOnMappings(scope: Construct, role: Role, ids: () => readonly string[]): void {
  atSynthesis(scope, () => {
    for (const resourceName of ids()) {
      const arnFormat = ArnFormat.COLON_RESOURCE_NAME;
      const mapping = { service: 'lambda', resource: 'event-source-mapping', resourceName, arnFormat };
      const resources = [Stack.of(scope).formatArn(mapping)];
      role.addToPolicy(new PolicyStatement({ actions: ['lambda:GetEventSourceMapping'], resources }));
    }
  });
}

/** A global symbol, because an app may load this library twice. */
const OWN_SWITCH: unique symbol = Symbol.for('dead-letter-office.OwnSwitch');

/**
 * The default parameter of the kill switch. No template creates it: the first operator who uses the switch does. A
 * parameter in a template would be reset: when CloudFormation changes any property of it, such as a stack tag, it also
 * writes its value and so sets `off` back to `on`.
 * @see https://github.com/aws/aws-cdk/issues/25949
 */
function ownKillSwitch(scope: Construct): IStringParameter {
  const parameterName = `/dead-letter-office/${Stack.of(scope).stackName}/${Names.nodeUniqueId(scope.node)}`;
  const attributes = { parameterName, simpleName: false, forceDynamicReference: true };
  const parameter = StringParameter.fromStringParameterAttributes(scope, 'Switch', attributes);
  Object.defineProperty(parameter, OWN_SWITCH, { value: true });
  return parameter;
}

/** Whether it is the default parameter of this or another redrive. It counts as `on` until it exists. */
function isOwnKillSwitch(parameter: IStringParameter): boolean {
  return OWN_SWITCH in parameter;
}
