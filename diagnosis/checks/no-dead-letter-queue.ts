import { nameInArn, parseArn } from '../../policy/arn';
import { TARGET_EVENT_AGE_SECONDS } from '../../policy/aws-limits';
import { isKnown, knownValue } from '../../template/maybe-known';
import { matchesOnceDeployed } from '../../template/stand-in';
import { keepFailures } from '../fixes/add-dead-letter-queue';
import { queueFeeders } from '../inventory/feeders';
import {
  type FunctionFacts,
  type Inventory,
  mayLack,
  type QueueFacts,
  type Resource,
  type TargetFacts,
} from '../inventory/inventory';
import { functionOf, qualifierOf, queueOf } from '../inventory/look-ups';
import type { Check, CheckResult } from './finding';

/** A resource that invokes a function or sends to a queue, and what it sends to. */
interface Handover {
  readonly by: Resource;
  readonly to: string;
}

function handovers({ subscriptions, targets, notifications = [] }: Inventory): Handover[] {
  return [
    ...subscriptions.flatMap(by => {
      const to = knownValue(by.endpoint);
      return to !== undefined && by.isPending !== true ? [{ by, to }] : [];
    }),
    ...targets.flatMap(by => {
      const to = knownValue(by.targetArn);
      return to !== undefined && by.isEnabled !== false ? [{ by, to }] : [];
    }),
    ...notifications.flatMap(by => {
      const to = knownValue(by.targetArn);
      return to === undefined ? [] : [{ by, to }];
    }),
  ];
}

/**
 * Whether no queue or destination keeps the events on which a function, version or alias fails. False if that is
 * unknown.
 */
function keepsNothing(lambda: FunctionFacts, qualifier: string | undefined): boolean {
  const { deadLetterTargetArn: target, eventInvokes: invokes, place } = lambda;
  if (!isKnown(target) || target !== undefined || !isKnown(invokes)) return false;
  const its = invokes.filter(it => it.qualifier === (qualifier ?? '$LATEST'));
  if (its.some(({ onFailureArn }) => !isKnown(onFailureArn) || onFailureArn !== undefined)) return false;
  // In an account, a version keeps the dead-letter queue that its function had when the version was published.
  return qualifier === undefined || place !== undefined;
}

function functions(inventory: Inventory): CheckResult[] {
  const seen = new Map<FunctionFacts, ReadonlySet<string>>();
  return handovers(inventory).flatMap(({ by, to }): CheckResult[] => {
    const lambda = functionOf(to, inventory, by);
    if (lambda === undefined || seen.get(lambda)?.has(to)) return [];
    seen.set(lambda, new Set([...(seen.get(lambda) ?? []), to]));
    const qualifier = qualifierOf(to);
    if (isMadeByCdk(lambda) || !keepsNothing(lambda, qualifier) || dropsOldEvents(to, inventory, by)) return [];
    return [
      {
        severity: 'at-risk',
        resource: lambda,
        others: [by.arn],
        says: `${by.name} invokes the function ${lambda.name}, which has neither a dead-letter queue nor an on-failure destination: an event it fails on is lost after Lambda’s retries, because the sender counts it as delivered.`,
        fix: keepFailures(lambda, qualifier, inventory),
      },
    ];
  });
}

/** Queues that receive deliveries or that a function reads, with that use. The purpose of other queues is unknown. */
function workQueues(inventory: Inventory): Map<QueueFacts, string> {
  const found = new Map<QueueFacts, string>();
  const add = (by: Resource, arn: string | undefined, use: string) => {
    const queue = queueOf(arn, inventory, by);
    if (queue && !found.has(queue)) found.set(queue, use);
  };
  for (const { by, to } of handovers(inventory)) add(by, to, `to which ${by.name} delivers`);
  for (const mapping of inventory.mappings) {
    const { name, isEnabled, sourceArn } = mapping;
    if (isEnabled !== false) add(mapping, knownValue(sourceArn), `which the mapping ${name} reads`);
  }
  for (const pipe of inventory.queueUsers ?? []) {
    if (pipe.isEnabled !== false) add(pipe, knownValue(pipe.sourceArn), `which the pipe ${pipe.name} reads`);
  }
  return found;
}

/** Whether a redrive-allow policy marks the queue as one for dead letters, or may do so. */
function isMarked({ redriveAllowPolicy: policy }: QueueFacts): boolean {
  return !isKnown(policy) || (policy !== undefined && policy.permission !== 'denyAll');
}

/** The ARNs of queues named for dead letters; undefined if one of them is unknown, or a resource that names one. */
function namedForDeadLetters(inventory: Inventory): string[] | undefined {
  if (mayLack(inventory, 'feeders', 'queueUsers')) return undefined;
  const others = (inventory.queueUsers ?? []).map(it => it.deadLetterTargetArn);
  if (!others.every(isKnown)) return undefined;
  return [...queueFeeders(inventory).map(({ queueArn }) => queueArn), ...others.flatMap(it => it ?? [])];
}

/** Whether a queue is one of these, or may turn out to be. */
function mayBeOneOf(arns: readonly string[]): (queue: QueueFacts) => boolean {
  const same = new Set(arns);
  const near = new Map<string, string[]>();
  for (const arn of same) near.set(nameInArn(arn), [...(near.get(nameInArn(arn)) ?? []), arn]);
  return ({ arn }) =>
    same.has(arn) || (near.get(nameInArn(arn)) ?? []).some(it => matchesOnceDeployed(it, arn) !== false);
}

function queues(inventory: Inventory): CheckResult[] {
  const named = namedForDeadLetters(inventory);
  if (named === undefined) return [];
  const isFed = mayBeOneOf(named);
  return [...workQueues(inventory)].flatMap(([queue, use]): CheckResult[] => {
    if (!isKnown(queue.redrivePolicy) || queue.redrivePolicy !== undefined) return [];
    if (isMarked(queue) || isFed(queue)) return [];
    return [
      {
        severity: 'at-risk',
        resource: queue,
        location: 'Properties/RedrivePolicy',
        says: `The queue ${queue.name}, ${use}, has no dead-letter queue: a message on which its consumer fails is received again until it expires, and is then lost.`,
        fix: { says: 'Give the queue a dead-letter queue with a longer retention period than its own.' },
      },
    ];
  });
}

const SIX_HOURS_SECONDS = 21_600;

/**
 * Whether a function limits the age of its events to less than Lambda's six hours. Then old events are meant to be
 * dropped, as for a function that runs by a schedule.
 */
function limitsEvents({ eventInvokes }: FunctionFacts, qualifier: string | undefined): boolean {
  if (!isKnown(eventInvokes)) return true;
  return eventInvokes.some(it => {
    if (it.qualifier !== (qualifier ?? '$LATEST')) return false;
    return !isKnown(it.maximumEventAgeSeconds) || it.maximumEventAgeSeconds < SIX_HOURS_SECONDS;
  });
}

/** Whether a target limits the age of its events to less than EventBridge's day, or may do so. */
export function limitsTargetEvents({ maximumEventAgeSeconds: age }: TargetFacts): boolean {
  return !isKnown(age) || age < TARGET_EVENT_AGE_SECONDS;
}

/** A function of another account or app is never in the inventory. One of an account whose functions could not be listed may be. */
function hasUnreadFunctions({ incomplete = [] }: Inventory): boolean {
  return incomplete.includes('functions');
}

/** Whether an ARN names a function that drops old events on purpose, or may do so. */
export function dropsOldEvents(targetArn: string, inventory: Inventory, by: Resource): boolean {
  const lambda = functionOf(targetArn, inventory, by);
  if (lambda === undefined) return parseArn(targetArn)?.service === 'lambda' && hasUnreadFunctions(inventory);
  return limitsEvents(lambda, qualifierOf(targetArn));
}

/**
 * Constructs that aws-cdk-lib adds once per stack: those that call AWS for a rule or custom resource, set log
 * retention, or fill and empty buckets. An app has no property to change them.
 */
const MADE_BY_CDK: readonly RegExp[] = [
  /\/AWS[0-9a-f]{32}$/,
  /\/LogRetention[0-9a-f]{32}$/,
  /\/CrossRegionAwsSdk[0-9a-f]{32}$/,
  /\/BucketNotificationsHandler[0-9a-f]{32}$/,
  /\/Custom::[^/]+$/,
  /\/[^/]*CustomResourceProvider\/Handler$/,
  /\/framework-(onEvent|isComplete|onTimeout)$/,
];

const OWN_RESOURCE = /\/(Resource|Default)$/;

/** Whether aws-cdk-lib added a resource of a template by itself. */
function isMadeByCdk({ place }: Resource): boolean {
  const path = place?.constructPath?.replace(OWN_RESOURCE, '');
  return path !== undefined && MADE_BY_CDK.some(it => it.test(path));
}

/**
 * Whether aws-cdk-lib has no property for the dead-letter queue of a rule's target: `AwsApi` and the Firehose targets.
 */
export function takesNoDeadLetterQueue(target: TargetFacts, inventory: Inventory): boolean {
  const arn = knownValue(target.targetArn);
  if (target.kind !== 'rule' || target.place?.constructPath === undefined || arn === undefined) return false;
  if (parseArn(arn)?.service === 'firehose') return true;
  const lambda = functionOf(arn, inventory, target);
  return lambda !== undefined && isMadeByCdk(lambda);
}

export const NO_DEAD_LETTER_QUEUE_CHECKS: readonly Check[] = [
  { id: 'function-keeps-nothing', severities: ['at-risk'], reportsMissing: 'configuration', find: functions },
  { id: 'queue-keeps-nothing', severities: ['at-risk'], reportsMissing: 'configuration', find: queues },
];
