import { parseArn } from '../../policy/arn';
import { knownValue, type MaybeKnown } from '../../template/maybe-known';
import { type QueueFeeder, queueFeeders } from './feeders';
import type { Inventory, Resource } from './inventory';
import { functionOf, roleOf } from './look-ups';

/** The identity of a sender: a service on behalf of a resource, or a role. */
export type SenderIdentity =
  | { readonly service: string; readonly sourceArn: string; readonly sourceAccount?: string | undefined }
  | { readonly roleArn: string };

/** A resource that sends to a queue, topic or function. */
export interface Sender {
  readonly by: Resource;
  readonly as: SenderIdentity;
  readonly targetArn: string;
  /** Whether it sends dead letters. If it may not send, they are lost. */
  readonly sendsDeadLetters: boolean;
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

/** The identity that sends dead letters. Undefined if it is unknown, and for SQS, which needs none. */
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

function deadLetterSenders(inventory: Inventory): Sender[] {
  return queueFeeders(inventory).flatMap((feeder): Sender[] => {
    const as = feederAs(feeder, inventory);
    return as ? [{ by: feeder.resource, as, targetArn: feeder.queueArn, sendsDeadLetters: true }] : [];
  });
}

/** Destinations for Lambda's failures other than queues. Event buses and buckets are not checked. */
const KEPT_BESIDES_QUEUES: ReadonlySet<string | undefined> = new Set(['sns', 'lambda']);

/** Functions and mappings that send failures to a topic or another function. */
function deadLetterSendersBesidesQueues(inventory: Inventory): Sender[] {
  const sent = (
    by: Resource,
    roleArn: MaybeKnown<string> | undefined,
    target: MaybeKnown<string | undefined>,
  ): Sender[] => {
    const [as, targetArn] = [roleAs(knownValue(roleArn)), knownValue(target)];
    if (as === undefined || targetArn === undefined) return [];
    return KEPT_BESIDES_QUEUES.has(parseArn(targetArn)?.service) ? [{ by, as, targetArn, sendsDeadLetters: true }] : [];
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

/** Every sender of messages and events that are not dead letters. */
function deliveries({ subscriptions, targets }: Inventory): Sender[] {
  const fromTopics = subscriptions.flatMap((by): Sender[] => {
    const writer = by.roleArn && knownValue(by.roleArn);
    const as = by.protocol === 'firehose' ? roleAs(writer) : topicAs(knownValue(by.topicArn));
    const targetArn = knownValue(by.endpoint);
    if (!as || targetArn === undefined || by.isPending === true) return [];
    return [{ by, as, targetArn, sendsDeadLetters: false }];
  });
  const fromTargets = targets.flatMap((by): Sender[] => {
    const targetArn = knownValue(by.targetArn);
    const roleArn = knownValue(by.roleArn);
    if (targetArn === undefined || by.isEnabled === false) return [];
    // A rule with a role uses it or not, depending on its target. If the role is unknown, so is the identity.
    if (by.kind === 'schedule') return roleArn ? [{ by, as: { roleArn }, targetArn, sendsDeadLetters: false }] : [];
    return by.roleArn === undefined
      ? [{ by, as: { service: EVENTS, sourceArn: by.arn }, targetArn, sendsDeadLetters: false }]
      : [];
  });
  return [...fromTopics, ...fromTargets];
}

/** Senders with the same key need the same permission. */
function keyOf({ as, targetArn, sendsDeadLetters }: Sender): string {
  return JSON.stringify([as, targetArn, sendsDeadLetters]);
}

/** Every sender to an ARN. Those that need the same permission appear once. */
export function sendersOf(inventory: Inventory): Sender[] {
  const all = [...deliveries(inventory), ...deadLetterSenders(inventory), ...deadLetterSendersBesidesQueues(inventory)];
  return [...new Map(all.map(it => [keyOf(it), it])).values()];
}

export function whatIsLost({ by, sendsDeadLetters }: Sender): string {
  return sendsDeadLetters
    ? `messages that ${by.name} could not deliver are lost without a trace`
    : `no message of ${by.name} arrives: each is dead-lettered or lost`;
}

/** `sns.amazonaws.com`, or `the role bill`. */
export function whoSends({ as, by }: Sender, inventory: Inventory): string {
  return 'roleArn' in as ? `the role ${roleOf(as.roleArn, inventory, by)?.name ?? as.roleArn}` : as.service;
}
