import { parseArn } from '../../policy/arn';
import { knownValue, type MaybeKnown } from '../../template/maybe-known';
import type { FunctionFacts, Inventory, MappingFacts, QueueFacts, SubscriptionFacts, TargetFacts } from './inventory';
import { queueOf } from './look-ups';

/** A resource of one kind that sends dead letters to a queue. */
interface FeederOf<Kind extends string, Facts> {
  readonly kind: Kind;
  readonly resource: Facts;
  readonly queueArn: string;
  /** The setting that names the queue, in AWS's spelling: `RedrivePolicy`, `DeadLetterConfig`, `OnFailure`. */
  readonly via: string;
  /** For a function's on-failure destination: `$LATEST`, a version or an alias. */
  readonly qualifier?: string;
}

/**
 * A resource that sends dead letters to a queue, and the setting that does it. A function can do so in two ways; each
 * is a kind of its own.
 */
export type QueueFeeder =
  /** SNS sends messages it could not deliver. */
  | FeederOf<'subscription', SubscriptionFacts>
  /** SQS moves messages that were received too often. */
  | FeederOf<'queue', QueueFacts>
  /** Lambda sends events on which the function failed. */
  | FeederOf<'function', FunctionFacts>
  /** Lambda sends a record of each failed invocation. */
  | FeederOf<'destination', FunctionFacts>
  /** Lambda sends the position of failed records in a stream or Kafka topic. */
  | FeederOf<'mapping', MappingFacts>
  /** EventBridge sends events that a rule could not deliver, EventBridge Scheduler those of a schedule. */
  | FeederOf<TargetFacts['kind'], TargetFacts>;

export type FeederKind = QueueFeeder['kind'];

/** A queue that receives dead letters. */
export interface FedQueue {
  readonly arn: string;
  /** @default - the queue is not in the inventory: deleted, or in another account, Region or app */
  readonly queue?: QueueFacts;
  readonly feeders: readonly QueueFeeder[];
}

function feeding(target: MaybeKnown<string | undefined>, feeder: (queueArn: string) => QueueFeeder): QueueFeeder[] {
  const queueArn = knownValue(target);
  return queueArn !== undefined && parseArn(queueArn)?.service === 'sqs' ? [feeder(queueArn)] : [];
}

function ofFunction(resource: FunctionFacts): QueueFeeder[] {
  const own = feeding(resource.deadLetterTargetArn, queueArn => ({
    kind: 'function',
    resource,
    queueArn,
    via: 'DeadLetterConfig',
  }));
  const destinations = (knownValue(resource.eventInvokes) ?? []).flatMap(({ qualifier, onFailureArn }) =>
    feeding(onFailureArn, queueArn => ({ kind: 'destination', resource, queueArn, via: 'OnFailure', qualifier })),
  );
  return [...own, ...destinations];
}

/** Every resource whose settings name a queue for dead letters, in the order of the inventory. */
export function queueFeeders({ subscriptions, queues, functions, mappings, targets }: Inventory): QueueFeeder[] {
  return [
    ...subscriptions.flatMap(resource =>
      feeding(resource.deadLetterTargetArn, queueArn => ({
        kind: 'subscription',
        resource,
        queueArn,
        via: 'RedrivePolicy',
      })),
    ),
    ...queues.flatMap(resource =>
      feeding(knownValue(resource.redrivePolicy)?.deadLetterTargetArn, queueArn => ({
        kind: 'queue',
        resource,
        queueArn,
        via: 'RedrivePolicy',
      })),
    ),
    ...functions.flatMap(ofFunction),
    ...mappings.flatMap(resource =>
      feeding(resource.onFailureArn, queueArn => ({ kind: 'mapping', resource, queueArn, via: 'OnFailure' })),
    ),
    ...targets.flatMap(resource =>
      feeding(resource.deadLetterTargetArn, queueArn => ({
        kind: resource.kind,
        resource,
        queueArn,
        via: 'DeadLetterConfig',
      })),
    ),
  ];
}

export function feedersOf(queueArn: string, inventory: Inventory): QueueFeeder[] {
  return queueFeeders(inventory).filter(it => it.queueArn === queueArn);
}

/** Every queue that receives dead letters, whether or not it exists, sorted by ARN. */
export function deadLetterQueues(inventory: Inventory): FedQueue[] {
  const fed = new Map<QueueFacts | string, QueueFeeder[]>();
  for (const feeder of queueFeeders(inventory)) {
    const queue = queueOf(feeder.queueArn, inventory, feeder.resource) ?? feeder.queueArn;
    const feeders = fed.get(queue) ?? [];
    feeders.push(feeder);
    fed.set(queue, feeders);
  }
  return [...fed]
    .map(([queue, feeders]) =>
      typeof queue === 'string' ? { arn: queue, feeders } : { arn: queue.arn, queue, feeders },
    )
    .sort(({ arn: one }, { arn: other }) => (one < other ? -1 : one > other ? 1 : 0));
}

/** How people name dead-letter queues. */
const NAMED_SO = /dlq|dead[-_]?letter/i;

function looksLikeOne({ name, redriveAllowPolicy }: QueueFacts): boolean {
  const permission = knownValue(redriveAllowPolicy)?.permission;
  const mayBeUsed = permission !== undefined && knownValue(permission) !== 'denyAll';
  return mayBeUsed || NAMED_SO.test(name);
}

/**
 * Queues that look like dead-letter queues although no resource in the inventory names them as one, sorted by ARN. A queue
 * that a subscription, rule or schedule sends to has another purpose.
 */
export function unfedQueues(inventory: Inventory): FedQueue[] {
  const { queues, subscriptions, targets } = inventory;
  const sentTo = [...subscriptions.map(({ endpoint }) => endpoint), ...targets.map(({ targetArn }) => targetArn)];
  const used = new Set([
    ...deadLetterQueues(inventory).map(({ arn }) => arn),
    ...sentTo.flatMap(it => knownValue(it) ?? []),
  ]);
  return queues
    .filter(queue => !used.has(queue.arn) && looksLikeOne(queue))
    .map(queue => ({ arn: queue.arn, queue, feeders: [] }))
    .sort(({ arn: one }, { arn: other }) => (one < other ? -1 : 1));
}

/** Whether SQS counts a feeder's dead letters in NumberOfMessagesSent. It does not count those it moves itself. */
export function countsAsSent({ kind }: QueueFeeder): boolean {
  return kind !== 'queue';
}
