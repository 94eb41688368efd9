import { Reference, Stack, Token, Tokenization } from 'aws-cdk-lib';
import type { IRule } from 'aws-cdk-lib/aws-events';
import { type IGrantable, type IRole, Role } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { CfnSchedule, type ISchedule } from 'aws-cdk-lib/aws-scheduler';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { CfnQueue, type IQueue, type QueueProps } from 'aws-cdk-lib/aws-sqs';
import { Construct, type IConstruct } from 'constructs';
import type { Problem } from '../../policy/problem';
import { grantSend } from '../shared/access/grants';
import { allowRule, allowTopic, refuseUnreachable } from '../shared/access/resource-policies';
import { FUNCTION, QUEUE, RULE, SCHEDULE, TOPIC } from '../shared/cdk-shapes';
import { mismatchProblems } from '../shared/checks';
import { type Shape, wrongValue } from '../shared/shapes';
import type { DeadLetterArrivals, Feeder } from './feeder-registry';
import { DeadLetterFeederKind } from './i-dead-letter-queue';
import { isFifo, managedKeyProblems, ownedQueue, ownName, queueArnProblems } from './queue-checks';

/** Dead letters that a source sends. */
function sent(kind: DeadLetterFeederKind, construct: IConstruct, what: string): DeadLetterArrivals {
  return { feeder: { kind, construct }, by: 'sent', what };
}

function fifoProblems(queue: IQueue, service: string): Problem[] {
  const rule = `must be false, because ${service} accepts only a standard queue as dead-letter queue`;
  return queue.fifo ? [{ property: 'fifo', rule, value: true }] : [];
}

/**
 * @param delivery the name of the delivery in the alarm description, if there is one
 * @param reportedBySource whether an alarm of the topic reports each dead letter
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-dead-letter-queues.html
 */
export function topicFeeder(topic: ITopic, delivery?: string, reportedBySource = false): Feeder {
  const fifoRule = `must be false, because topic ${topic.node.path} is a standard topic`;
  const to = delivery === undefined ? '' : ` to ${delivery}`;
  return {
    names: [topic.topicArn],
    arrivals: {
      ...sent(DeadLetterFeederKind.TOPIC, topic, `topic ${topic.node.path} could not deliver a message${to}`),
      reportedBySource,
    },
    problems: queue => [
      ...mismatchProblems('region', `must be that of topic ${topic.node.path},`, topic.env.region, queue.env.region),
      ...(queue.fifo && !topic.fifo ? [{ property: 'fifo', rule: fifoRule, value: true }] : []),
      ...managedKeyProblems('encryption', queue, 'SNS'),
    ],
    allowService: (scope, queue) => allowTopic(scope, queue, topic, refuseUnreachable(scope, queue)),
  };
}

function ruleFeeder(rule: IRule): Feeder {
  return {
    names: [rule.node.defaultChild?.node.path],
    arrivals: sent(DeadLetterFeederKind.RULE, rule, `rule ${rule.node.path} could not deliver an event`),
    problems: queue => [
      ...mismatchProblems('region', `must be that of rule ${rule.node.path},`, rule.env.region, queue.env.region),
      ...fifoProblems(queue, 'EventBridge'),
      ...managedKeyProblems('encryption', queue, 'EventBridge'),
    ],
    allowService: (scope, queue) => allowRule(scope, queue, rule, refuseUnreachable(scope, queue)),
  };
}

export function functionFeeder(handler: IFunction): Feeder {
  return {
    names: [handler.node.defaultChild?.node.path, handler.functionName],
    arrivals: sent(DeadLetterFeederKind.FUNCTION, handler, `function ${handler.node.path} failed on an event`),
    problems: queue => fifoProblems(queue, 'Lambda'),
    grantRole: (_scope, queue) => [grantSend(queue, handler)],
  };
}

/** The role of a schedule, which only its resource names; undefined if the schedule is not created in this app. */
function executionRole(scope: Construct, schedule: ISchedule): IRole | undefined {
  const resource = schedule.node.defaultChild;
  if (!(resource instanceof CfnSchedule) || !('roleArn' in resource.target)) return undefined;
  const { roleArn } = resource.target;
  const { firstToken } = Tokenization.reverseString(roleArn);
  const owner = Reference.isReference(firstToken) ? firstToken.target.node.scope : undefined;
  return Role.isRole(owner) ? owner : Role.fromRoleArn(scope, `RoleOf${schedule.node.addr}`, roleArn);
}

function scheduleFeeder(schedule: ISchedule): Feeder {
  const roleRule =
    'must be created in this app, because only its resource names its role; otherwise pass the role to fedByRole';
  const isKnown = schedule.node.defaultChild instanceof CfnSchedule;
  return {
    names: [schedule.node.defaultChild?.node.path],
    arrivals: sent(
      DeadLetterFeederKind.SCHEDULE,
      schedule,
      `schedule ${schedule.node.path} could not deliver an event`,
    ),
    problems: queue => [
      ...fifoProblems(queue, 'EventBridge Scheduler'),
      ...(isKnown ? [] : [{ property: 'schedule', rule: roleRule, value: schedule.node.path }]),
    ],
    grantRole: (scope, queue) => {
      const role = executionRole(scope, schedule);
      if (!role) return [];
      const grant = grantSend(queue, role);
      grant.applyBefore(schedule);
      return [grant];
    },
  };
}

export function roleFeeder(grantee: IGrantable): Feeder {
  const { grantPrincipal } = grantee;
  const construct = [grantee, grantPrincipal].find(it => Construct.isConstruct(it));
  const feeder = { kind: DeadLetterFeederKind.ROLE, ...(construct && { construct }) };
  const name = construct ? construct.node.path : String(grantPrincipal);
  return {
    names: ['roleArn' in grantPrincipal ? String(grantPrincipal.roleArn) : undefined],
    arrivals: { feeder, by: 'sent', what: `${name} gave up on a message` },
    grantRole: (_scope, queue) => [grantSend(queue, grantee)],
  };
}

/**
 * A queue that names this one as its dead-letter queue, so that an SQS move task accepts it, and sends no dead letters.
 */
export function anchorFeeder(anchor: IQueue): Feeder {
  return {
    names: [ownedQueue(anchor)?.node.path],
    problems: queue => {
      const same = sameQueueProblems(queue, anchor);
      return same.length > 0 ? same : sourceProblems(queue, sourceOf(anchor));
    },
    namedBy: anchor,
  };
}

export function queueFeeder(source: IQueue): Feeder {
  const feeder = { kind: DeadLetterFeederKind.QUEUE, construct: source };
  return { ...anchorFeeder(source), arrivals: { feeder, by: 'moved', what: `queue ${source.node.path}`, source } };
}

function sourceKind<T>(shape: Shape<T>, feeder: (source: T) => Feeder): (source: unknown) => Feeder | undefined {
  return source => (shape.fits(source) ? feeder(source) : undefined);
}

const SOURCE_KINDS = [
  sourceKind(TOPIC, it => topicFeeder(it)),
  sourceKind(FUNCTION, functionFeeder),
  sourceKind(QUEUE, queueFeeder),
  sourceKind(RULE, ruleFeeder),
  sourceKind(SCHEDULE, scheduleFeeder),
];

/** The feeder for a construct. One of another kind has only its problem. */
export function feederOf(source: IConstruct): Feeder {
  const rule = 'must be a topic, function, queue, rule or schedule';
  const unknown: Feeder = { names: [], problems: () => [wrongValue('source', source, rule)] };
  return SOURCE_KINDS.map(it => it(source)).find(it => it !== undefined) ?? unknown;
}

/** A queue that names another as its dead-letter queue, with the facts that SQS checks. It may not exist yet. */
interface Source {
  readonly path: string;
  readonly fifo: boolean;
  readonly env: { readonly region: string; readonly account: string };
  /** @default - the queue does not exist yet */
  readonly arn?: string;
  /** Undefined if it is not known before deployment. */
  readonly name: string | undefined;
  /** Its resource; undefined for an imported queue and for one that does not exist yet. */
  readonly resource?: CfnQueue | undefined;
  /** Whether it is, or will be, a resource of this app. */
  readonly isOurs: boolean;
}

function known(text: string | undefined): string | undefined {
  return Token.isUnresolved(text) ? undefined : text;
}

function sourceOf(queue: IQueue): Source {
  const { env, fifo, node, queueArn: arn } = queue;
  const resource = ownedQueue(queue);
  const name = ownName(queue) ?? known(queue.queueName);
  return { path: node.path, fifo, env, arn, name, resource, isOurs: resource !== undefined };
}

export function sourceToBe(scope: IConstruct, path: string, props: QueueProps): Source {
  const { region, account } = Stack.of(scope);
  return { path, fifo: isFifo(props), env: { region, account }, name: known(props.queueName), isOurs: true };
}

/** @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-dead-letter-queues.html */
function placeProblems(queue: IQueue, { path, env }: Source): Problem[] {
  const rule = `must be that of its source ${path},`;
  return [
    ...mismatchProblems('region', rule, env.region, queue.env.region),
    ...mismatchProblems('account', rule, env.account, queue.env.account),
  ];
}

/** Whether a policy that names `listed` certainly names a queue other than `source`. */
function isAnother(listed: string, { arn, name, resource, isOurs }: Source): boolean {
  if (listed === arn) return false;
  const { firstToken } = Tokenization.reverseString(listed);
  const target = Reference.isReference(firstToken) ? firstToken.target : undefined;
  if (target instanceof CfnQueue) return isOurs && target !== resource;
  return name !== undefined && !Token.isUnresolved(listed) && !listed.endsWith(`:${name}`);
}

interface AllowPolicy {
  readonly redrivePermission?: unknown;
  readonly sourceQueueArns?: readonly string[] | undefined;
}

/**
 * A redrive-allow policy of the queue that excludes `source`.
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SetQueueAttributes.html
 */
function allowProblems(queue: IQueue, source: Source): Problem[] {
  const policy: unknown = ownedQueue(queue)?.redriveAllowPolicy;
  if (typeof policy !== 'object' || policy === null || Token.isUnresolved(policy)) return [];
  const { redrivePermission, sourceQueueArns = [] }: AllowPolicy = policy;
  const shutsOut =
    redrivePermission === 'denyAll' ||
    (redrivePermission === 'byQueue' && sourceQueueArns.every(it => isAnother(it, source)));
  const rule = `must allow its source ${source.path}`;
  return shutsOut ? [{ property: 'redriveAllowPolicy', rule, value: redrivePermission }] : [];
}

/** Returns everything SQS would reject about `queue` as the dead-letter queue of `source`. */
export function sourceProblems(queue: IQueue, source: Source): Problem[] {
  const fifoRule = `must be ${source.fifo}, like its source ${source.path}`;
  return [
    ...queueArnProblems('queueArn', queue),
    ...placeProblems(queue, source),
    ...(queue.fifo === source.fifo ? [] : [{ property: 'fifo', rule: fifoRule, value: queue.fifo }]),
    ...allowProblems(queue, source),
  ];
}

/** A problem if the queue would be its own dead-letter queue. */
function sameQueueProblems(queue: IQueue, source: IQueue): Problem[] {
  if (queue !== source && queue.queueArn !== source.queueArn) return [];
  return [{ property: 'source', rule: 'must not be the dead-letter queue itself', value: source.node.path }];
}
