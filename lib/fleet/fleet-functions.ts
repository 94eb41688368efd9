import { Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as FunctionTarget } from 'aws-cdk-lib/aws-events-targets';
import { PolicyStatement, type Role } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { RecursiveLoop } from 'aws-cdk-lib/aws-lambda';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { DeclaredUsage } from '../../diagnosis/cost/declared-usage';
import { DEFAULT_HEALTH_SETTINGS, type HealthSettings } from '../../policy/fleet/endpoint-health';
import { FLEET_SETTINGS_VARIABLE, type FleetSettings } from '../../policy/fleet/fleet-settings';
import { DEFAULT_DEAD_STATUSES } from '../../policy/relay/attempt-verdict';
import type { DeadLetterQueue } from '../queue/dead-letter-queue';
import { roleFeeder } from '../queue/feeder-kinds';
import { feed } from '../queue/feeder-registry';
import type { ProcessingQueue } from '../queue/processing-queue';
import { networkOf } from '../relay/relay-function';
import { RELAY_DEFAULTS, relayRetryPolicy } from '../relay/relay-sizing';
import { grantRoleSendOnKey } from '../shared/access/key';
import { warnOfAnotherAccount } from '../shared/access/resource-policies';
import { milliseconds } from '../shared/checks';
import { addOwnFunction, type FunctionNetwork, type OwnFunction } from '../shared/own-function';
import { delivererSeconds, FLEET_DEFAULTS } from './fleet-checks';
import type { FleetTable } from './fleet-table';
import type { RelayFleetProps } from './relay-fleet-props';

/** What the functions of a fleet use. */
export interface FleetParts {
  readonly fleetName: string;
  readonly table: FleetTable;
  readonly key: IKey;
  readonly eventsQueue: ProcessingQueue;
  readonly deliveriesQueue: ProcessingQueue;
  readonly deadLetterQueue: DeadLetterQueue;
  readonly noticesTopic: ITopic;
}

/** The parts of a fleet, and its settings as JSON. */
export interface ConfiguredFleet extends FleetParts {
  readonly settings: string;
}

/** How many requests an invocation of the deliverer has under way at a time. */
const ATTEMPTS_AT_A_TIME = 25;

export const DISPATCHER_SECONDS = 60;

/** The next minute continues where a run ended. */
export const PROBER_SECONDS = 120;

function healthOf({ disableAfter, disableFailingEndpoints = true }: RelayFleetProps): HealthSettings {
  const { disableAfterMs: _, ...others } = DEFAULT_HEALTH_SETTINGS;
  const disableAfterMs = milliseconds(disableAfter ?? FLEET_DEFAULTS.disableAfter);
  return { ...others, ...(disableFailingEndpoints && { disableAfterMs }) };
}

/** The settings of a fleet as JSON, which its functions have in their environment. */
export function fleetSettings(scope: Construct, parts: FleetParts, props: RelayFleetProps): string {
  const { logAttempts = true, attemptRetention = FLEET_DEFAULTS.attemptRetention } = props;
  const settings: FleetSettings = {
    fleetName: parts.fleetName,
    tableName: parts.table.table.tableName,
    keyArn: parts.key.keyArn,
    eventsQueueUrl: parts.eventsQueue.queueUrl,
    deliveriesQueueUrl: parts.deliveriesQueue.queueUrl,
    deadLetterQueueUrl: parts.deadLetterQueue.queueUrl,
    noticesTopicArn: parts.noticesTopic.topicArn,
    retryPolicy: relayRetryPolicy(props),
    jitterPercent: props.jitterPercent ?? RELAY_DEFAULTS.jitterPercent,
    retryAfterCapSeconds: (props.retryAfterCap ?? RELAY_DEFAULTS.retryAfterCap).toSeconds(),
    maxAgeSeconds: (props.maxAge ?? FLEET_DEFAULTS.maxAge).toSeconds(),
    connectTimeoutMs: milliseconds(props.connectTimeout ?? RELAY_DEFAULTS.connectTimeout),
    totalTimeoutMs: milliseconds(props.totalTimeout ?? RELAY_DEFAULTS.totalTimeout),
    deadStatuses: props.deadStatuses ?? DEFAULT_DEAD_STATUSES,
    allowedPrivateRanges: props.allowedPrivateRanges ?? [],
    health: healthOf(props),
    attemptsAtATime: ATTEMPTS_AT_A_TIME,
    ...(logAttempts && { attemptRetentionSeconds: attemptRetention.toSeconds() }),
    ...(props.logBodies && { logsBodies: true }),
  };
  return Stack.of(scope).toJsonString(settings);
}

/** What stores messages, or makes them readable, is kept, but not when its creation is rolled back. */
export const KEPT = RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE;

/** What each function may do with the table. */
export const TABLE_ACTIONS = {
  Dispatcher: ['dynamodb:BatchGetItem', 'dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:Query'],
  Deliverer: ['dynamodb:BatchGetItem', 'dynamodb:BatchWriteItem', 'dynamodb:GetItem', 'dynamodb:PutItem'],
  Prober: [
    'dynamodb:BatchGetItem',
    'dynamodb:BatchWriteItem',
    'dynamodb:DeleteItem',
    'dynamodb:PutItem',
    'dynamodb:Query',
  ],
} as const;

/** What a function of a fleet may do with the index of the table. */
export const INDEX_ACTIONS: Partial<Record<keyof typeof TABLE_ACTIONS, readonly string[]>> = {
  Prober: ['dynamodb:Scan'],
};

/** What differs between the functions of a fleet. */
interface FleetFunction {
  readonly id: keyof typeof TABLE_ACTIONS;
  readonly description: string;
  readonly roleDescription: string;
  readonly timeout: Duration;
  readonly usage: DeclaredUsage;
  /** The queues that it sends to, in addition to the dead-letter queue. */
  readonly sendsTo: readonly IQueue[];
  /** @default - it sends none */
  readonly notices?: ITopic;
  /** @default - only the settings */
  readonly environment?: Readonly<Record<string, string>>;
  readonly more?: FunctionNetwork &
    Pick<Parameters<typeof addOwnFunction>[1], 'recursiveLoop' | 'retryAttempts' | 'maxEventAge'>;
}

function addFunction(
  scope: Construct,
  parts: ConfiguredFleet,
  props: RelayFleetProps,
  shape: FleetFunction,
): OwnFunction {
  const { id, sendsTo, notices, more, environment, ...described } = shape;
  const place = new Construct(scope, id);
  const own = addOwnFunction(place, {
    ...described,
    ...more,
    bundle: id.toLowerCase(),
    logRetention: props.logRetention,
    removalPolicy: props.removalPolicy ?? KEPT,
    environment: { ...environment, [FLEET_SETTINGS_VARIABLE]: parts.settings },
    hasInlinePolicy: true,
  });
  const allow = (actions: readonly string[], ...resources: string[]) => {
    if (actions.length > 0) own.role.addToPolicy(new PolicyStatement({ actions: [...actions], resources }));
  };
  allow(TABLE_ACTIONS[id], parts.table.table.tableArn);
  allow(INDEX_ACTIONS[id] ?? [], parts.table.indexArn);
  allow(sendsTo.length > 0 ? ['sqs:SendMessage'] : [], ...sendsTo.map(it => it.queueArn));
  if (notices) grantPublish(scope, notices, own.role);
  feed(place, parts.deadLetterQueue, roleFeeder(own.handler));
  return own;
}

function grantPublish(scope: Construct, topic: ITopic, role: Role): void {
  role.addToPolicy(new PolicyStatement({ actions: ['sns:Publish'], resources: [topic.topicArn] }));
  if (topic.masterKey) grantRoleSendOnKey(topic.masterKey, role);
  warnOfAnotherAccount(scope, topic, role, 'sns:Publish', 'no notice of endpoints that are disabled');
}

/** Finds the endpoints of an event. It sends an event with many endpoints back to its own queue, page by page. */
export function addDispatcher(scope: Construct, parts: ConfiguredFleet, props: RelayFleetProps): OwnFunction {
  return addFunction(scope, parts, props, {
    id: 'Dispatcher',
    description: 'Finds the endpoints that an event is for, and sends a message for each of them.',
    roleDescription: 'Lets the dispatcher of a fleet take events, read who gets them, and send a message for each.',
    timeout: Duration.seconds(DISPATCHER_SECONDS),
    // The matches of the type and of *, and the state of an endpoint, eventually consistent.
    usage: { invocationSeconds: 0.05, messageReadUnits: 1.5 },
    sendsTo: [parts.eventsQueue, parts.deliveriesQueue],
    // An event for more than 16 pages of endpoints passes its queue more often than Lambda lets a loop run.
    more: { recursiveLoop: RecursiveLoop.ALLOW },
  });
}

/** The data keys of the fleet, and nothing else that its key may encrypt. */
export const ofFleet = ({ fleetName }: Pick<FleetParts, 'fleetName'>) => ({
  StringEquals: { 'kms:EncryptionContext:fleet': fleetName },
});

/** How many of all messages are sent to the deliveries queue twice, and how many are parked: for the computation of costs. */
export const SENT_AGAIN = 0.05;
export const PARKED = 0.02;

/** The write units of a message of 1 KB that is parked and deleted again, and of the endpoint's state. */
const PARKING_WRITES = 5;

/** How long endpoints take to answer, for the computation of costs. */
const ANSWER_SECONDS = 0.2;

/** Attempts deliveries. */
export function addDeliverer(scope: Construct, parts: ConfiguredFleet, props: RelayFleetProps): OwnFunction {
  const { logAttempts = true } = props;
  const own = addFunction(scope, parts, props, {
    id: 'Deliverer',
    description: 'Posts messages to the endpoints of a fleet.',
    roleDescription:
      'Lets the deliverer of a fleet take messages, send those again that must wait, read their endpoints, and record what happened.',
    timeout: Duration.seconds(delivererSeconds(props)),
    usage: {
      // The attempts of a batch are made at the same time.
      invocationSeconds: ANSWER_SECONDS,
      messageReadUnits: 1,
      messageWriteUnits: PARKED * PARKING_WRITES + (logAttempts ? 2 : 0),
      // Log lines as measured.
      invocationLogKilobytes: 0.6,
      messageLogKilobytes: 0.02,
      // Attempts, Delivered, Latency and Delay.
      busyMetrics: 4,
    },
    sendsTo: [parts.deliveriesQueue],
    // A message waits in its own queue three times at most, but a batch passes on the longest chain of all its messages.
    more: { ...networkOf(props), recursiveLoop: RecursiveLoop.ALLOW },
    // Node resolves names in this pool. Of its 4 threads, each name whose servers do not answer would hold one for many seconds.
    environment: { UV_THREADPOOL_SIZE: '64' },
  });
  own.role.addToPolicy(
    new PolicyStatement({ actions: ['kms:Decrypt'], resources: [parts.key.keyArn], conditions: ofFleet(parts) }),
  );
  return own;
}

const EVERY_MINUTE = Duration.minutes(1);

/** Probes endpoints that are down, and sends back what is parked, every minute. */
export function addProber(scope: Construct, parts: ConfiguredFleet, props: RelayFleetProps): OwnFunction {
  const own = addFunction(scope, parts, props, {
    id: 'Prober',
    description: 'Probes endpoints that are down, and sends their messages when they answer again.',
    roleDescription: 'Lets the prober of a fleet read and change the state of endpoints, and send parked messages.',
    timeout: Duration.seconds(PROBER_SECONDS),
    usage: { invocationSeconds: 0.1, readUnits: 0.5 },
    sendsTo: [parts.deliveriesQueue],
    notices: parts.noticesTopic,
    // Of two at a time, the version of a state lets one go on. The next minute sees the same state, so a late or repeated run would only add load.
    more: { retryAttempts: 0, maxEventAge: EVERY_MINUTE },
  });
  new Rule(scope, 'EveryMinute', {
    description: 'Runs the prober of a fleet.',
    schedule: Schedule.rate(EVERY_MINUTE),
    targets: [new FunctionTarget(own.handler)],
  });
  return own;
}
