import { parseArn } from '../../policy/arn';
import { knownValue, type MaybeKnown } from '../../template/maybe-known';
import { type QueueFeeder, queueFeeders } from '../inventory/feeders';
import type { Inventory, Resource } from '../inventory/inventory';
import { functionOf, roleOf } from '../inventory/look-ups';

/** As whom something is sent: as a service, for something, or with a role. */
export type SenderIdentity =
  | { readonly service: string; readonly sourceArn: string; readonly sourceAccount?: string | undefined }
  | { readonly roleArn: string };

/** Somebody who sends to a queue, a topic or a function. */
export interface Sender {
  readonly by: Resource;
  readonly as: SenderIdentity;
  readonly targetArn: string;
  /** Whether it is what could not be delivered elsewhere: without this, it is lost. */
  readonly isLastResort: boolean;
}

const SNS = 'sns.amazonaws.com';
const EVENTS = 'events.amazonaws.com';

function topicAs(topicArn: string | undefined): SenderIdentity | undefined {
  if (topicArn === undefined) return undefined;
  return { service: SNS, sourceArn: topicArn, sourceAccount: parseArn(topicArn)?.account };
}

function roleAs(roleArn: string | undefined): SenderIdentity | undefined {
  return roleArn === undefined ? undefined : { roleArn };
}

/** As whom dead letters are sent; undefined where that is not known, and of SQS, which moves them by itself. */
function feederAs(feeder: QueueFeeder, inventory: Inventory): SenderIdentity | undefined {
  const executionRole = (functionArn: MaybeKnown<string>) =>
    roleAs(knownValue(functionOf(knownValue(functionArn), inventory, feeder.resource)?.roleArn));
  switch (feeder.kind) {
    case 'queue':
      return undefined;
    case 'subscription':
      return topicAs(knownValue(feeder.resource.topicArn));
    case 'function':
    case 'destination':
      return roleAs(knownValue(feeder.resource.roleArn));
    case 'mapping':
      return executionRole(feeder.resource.functionArn);
    case 'rule':
      return { service: EVENTS, sourceArn: feeder.resource.arn };
    case 'schedule':
      return roleAs(knownValue(feeder.resource.roleArn));
  }
}

/** Everybody who sends dead letters, each time it is known as whom. */
function lastResorts(inventory: Inventory): Sender[] {
  return queueFeeders(inventory).flatMap((feeder): Sender[] => {
    const as = feederAs(feeder, inventory);
    return as ? [{ by: feeder.resource, as, targetArn: feeder.queueArn, isLastResort: true }] : [];
  });
}

/** What Lambda sends what failed to that is no queue. A bus and a bucket are not looked at. */
const KEPT_BESIDES_QUEUES: ReadonlySet<string | undefined> = new Set(['sns', 'lambda']);

/** Functions and mappings that send what failed to a topic or another function. */
function lastResortsBesidesQueues(inventory: Inventory): Sender[] {
  const sent = (
    by: Resource,
    roleArn: MaybeKnown<string> | undefined,
    target: MaybeKnown<string | undefined>,
  ): Sender[] => {
    const [as, targetArn] = [roleAs(roleArn && knownValue(roleArn)), knownValue(target)];
    if (as === undefined || targetArn === undefined) return [];
    return KEPT_BESIDES_QUEUES.has(parseArn(targetArn)?.service) ? [{ by, as, targetArn, isLastResort: true }] : [];
  };
  return [
    ...inventory.functions.flatMap(by =>
      [by.deadLetterTargetArn, ...(knownValue(by.eventInvokes) ?? []).map(it => it.onFailureArn)].flatMap(target =>
        sent(by, by.roleArn, target),
      ),
    ),
    ...inventory.mappings.flatMap(by =>
      sent(by, functionOf(knownValue(by.functionArn), inventory, by)?.roleArn, by.onFailureArn),
    ),
  ];
}

/** Everybody who sends something for the first time. */
function deliveries({ subscriptions, targets }: Inventory): Sender[] {
  const fromTopics = subscriptions.flatMap((by): Sender[] => {
    const [as, targetArn] = [topicAs(knownValue(by.topicArn)), knownValue(by.endpoint)];
    if (!as || targetArn === undefined || by.isPending === true) return [];
    return [{ by, as, targetArn, isLastResort: false }];
  });
  const fromTargets = targets.flatMap((by): Sender[] => {
    const targetArn = knownValue(by.targetArn);
    const roleArn = knownValue(by.roleArn);
    if (targetArn === undefined || by.isEnabled === false) return [];
    // A rule that has a role may come with it or as itself, by its target; where the role is not told nobody knows.
    if (by.kind === 'schedule') return roleArn ? [{ by, as: { roleArn }, targetArn, isLastResort: false }] : [];
    const isItself = roleArn === undefined && by.roleArn === undefined;
    return isItself ? [{ by, as: { service: EVENTS, sourceArn: by.arn }, targetArn, isLastResort: false }] : [];
  });
  return [...fromTopics, ...fromTargets];
}

/** What tells two senders apart as far as permissions go. */
function keyOf({ as, targetArn, isLastResort }: Sender): string {
  return JSON.stringify([as, targetArn, isLastResort]);
}

/** Everybody who sends to something of AWS's by its ARN, those who may do so by the same permission once. */
export function sendersOf(inventory: Inventory): Sender[] {
  const all = [...deliveries(inventory), ...lastResorts(inventory), ...lastResortsBesidesQueues(inventory)];
  return [...new Map(all.map(it => [keyOf(it), it])).values()];
}

/** What is lost where somebody may not send. */
export function whatIsLost({ by, isLastResort }: Sender): string {
  return isLastResort
    ? `what ${by.name} could not deliver is lost without a word`
    : `nothing of ${by.name} arrives: it is a dead letter, or lost`;
}

/** `sns.amazonaws.com`, or `the role bill`. */
export function whoSends({ as, by }: Sender, inventory: Inventory): string {
  return 'roleArn' in as ? `the role ${roleOf(as.roleArn, inventory, by)?.name ?? as.roleArn}` : as.service;
}
