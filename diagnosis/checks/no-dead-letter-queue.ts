import { nameInArn, parseArn } from '../../policy/arn';
import { TARGET_EVENT_AGE_SECONDS } from '../../policy/aws-limits';
import { isKnown, knownValue } from '../../template/maybe-known';
import { matchesOnceDeployed } from '../../template/stand-in';
import { keepFailures } from '../fixes/add-dead-letter-queue';
import { queueFeeders } from '../inventory/feeders';
import type { FunctionFacts, Inventory, QueueFacts, Resource, TargetFacts } from '../inventory/inventory';
import { functionOf, qualifierOf, queueOf } from '../inventory/look-ups';
import type { Check, CheckResult } from './finding';

/** What somebody is to have, by whom it is sent there. */
interface Handover {
  readonly by: Resource;
  readonly to: string;
}

function handovers({ subscriptions, targets }: Inventory): Handover[] {
  return [
    ...subscriptions.flatMap(by => {
      const to = knownValue(by.endpoint);
      return to !== undefined && by.isPending !== true ? [{ by, to }] : [];
    }),
    ...targets.flatMap(by => {
      const to = knownValue(by.targetArn);
      return to !== undefined && by.isEnabled !== false ? [{ by, to }] : [];
    }),
  ];
}

/** Whether nothing keeps the events a function, or its version or alias, fails on. Of what is not told nobody knows. */
function keepsNothing(lambda: FunctionFacts, qualifier: string | undefined): boolean {
  const { deadLetterTargetArn: target, eventInvokes: invokes, place } = lambda;
  if (!isKnown(target) || target !== undefined || !isKnown(invokes)) return false;
  const its = invokes.filter(it => it.qualifier === (qualifier ?? '$LATEST'));
  if (its.some(({ onFailureArn }) => !isKnown(onFailureArn) || onFailureArn !== undefined)) return false;
  // In an account, a version keeps the dead-letter queue its function had when it was published.
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
        severity: 'loses',
        resource: lambda,
        others: [by.arn],
        says: `${by.name} invokes the function ${lambda.name}, which has neither a dead-letter queue nor an on-failure destination: an event it fails on is gone after Lambda’s retries, for whoever sent it counts it as delivered.`,
        fix: keepFailures(lambda, qualifier, inventory),
      },
    ];
  });
}

/** Queues that something delivers to, or a function reads, and which that is: of others nobody knows what they are for. */
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
  return found;
}

/** Whether somebody has said that a queue is for dead letters, by whom it lets name it, or may have. */
function isMarked({ redriveAllowPolicy: policy }: QueueFacts): boolean {
  return !isKnown(policy) || (policy !== undefined && policy.permission !== 'denyAll');
}

/** The ARNs by which queues are named for dead letters; undefined where somebody names one that is not told. */
function namedForDeadLetters(inventory: Inventory): string[] | undefined {
  const others = (inventory.queueUsers ?? []).map(it => it.deadLetterTargetArn);
  if (!others.every(isKnown)) return undefined;
  return [...queueFeeders(inventory).map(({ queueArn }) => queueArn), ...others.flatMap(it => it ?? [])];
}

/** Whether a queue is one of these, or may come to be. */
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
        severity: 'loses',
        resource: queue,
        location: 'Properties/RedrivePolicy',
        says: `The queue ${queue.name}, ${use}, has no dead-letter queue: what its consumer fails on comes back until it expires, and is gone.`,
        fix: { says: 'Give the queue a dead-letter queue that keeps messages longer than it does itself.' },
      },
    ];
  });
}

export const KEEPS_NOTHING_CHECKS: readonly Check[] = [
  { id: 'function-keeps-nothing', isOfAbsence: true, find: functions },
  { id: 'queue-keeps-nothing', isOfAbsence: true, find: queues },
];

const SIX_HOURS_SECONDS = 21_600;

/**
 * Whether a function says itself for how long an event is of use, by an age below the six hours Lambda keeps one: it wants
 * what is older dropped, as one that is woken by the clock does.
 */
function limitsEvents({ eventInvokes }: FunctionFacts, qualifier: string | undefined): boolean {
  if (!isKnown(eventInvokes)) return true;
  return eventInvokes.some(it => {
    if (it.qualifier !== (qualifier ?? '$LATEST')) return false;
    return !isKnown(it.maximumEventAgeSeconds) || it.maximumEventAgeSeconds < SIX_HOURS_SECONDS;
  });
}

/** Whether a target says itself for how long an event is of use, by an age below the day EventBridge tries for, or may. */
export function limitsTargetEvents({ maximumEventAgeSeconds: age }: TargetFacts): boolean {
  return !isKnown(age) || age < TARGET_EVENT_AGE_SECONDS;
}

/** Whether what an ARN names is a function for which an old event is of no use, or may be. */
export function dropsOldEvents(targetArn: string, inventory: Inventory, by: Resource): boolean {
  const lambda = functionOf(targetArn, inventory, by);
  return lambda !== undefined && limitsEvents(lambda, qualifierOf(targetArn));
}

/**
 * Constructs aws-cdk-lib makes by itself, once a stack: what calls AWS for a rule or a custom resource, sets how long logs are
 * kept, fills and empties buckets. Whoever writes the app has no property by which to change them.
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

/** Whether a resource of a template is one that aws-cdk-lib makes for itself. */
export function isMadeByCdk({ place }: Resource): boolean {
  const path = place?.constructPath?.replace(OWN_RESOURCE, '');
  return path !== undefined && MADE_BY_CDK.some(it => it.test(path));
}

/** Whether aws-cdk-lib has no property by which a rule's target is given a dead-letter queue: `AwsApi`, and those of Firehose. */
export function takesNoDeadLetterQueue(target: TargetFacts, inventory: Inventory): boolean {
  const arn = knownValue(target.targetArn);
  if (target.kind !== 'rule' || target.place?.constructPath === undefined || arn === undefined) return false;
  if (parseArn(arn)?.service === 'firehose') return true;
  const lambda = functionOf(arn, inventory, target);
  return lambda !== undefined && isMadeByCdk(lambda);
}
