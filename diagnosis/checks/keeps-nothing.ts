import { nameInArn } from '../../policy/arn';
import { matchesOnceDeployed } from '../../template/stand-in';
import { isKnown, knownValue } from '../../template/told';
import { keepFailures } from '../fixes/keep-dead-letters';
import { queueFeeders } from '../inventory/feeders';
import type { FunctionFacts, Inventory, QueueFacts, Resource } from '../inventory/inventory';
import { functionOf, qualifierOf, queueOf } from '../inventory/look-ups';
import type { Check, CheckResult } from './check';
import { dropsOldEvents } from './limited-events';
import { isMadeByCdk } from './made-by-cdk';

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
