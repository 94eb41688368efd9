import { parseArn } from '../../policy/arn';
import { knownValue, type MaybeKnown } from '../../template/maybe-known';
import type { FunctionFacts, Inventory, MappingFacts, QueueFacts, SubscriptionFacts, TargetFacts } from './inventory';
import { queueOf } from './look-ups';

/** Somebody of a kind. */
interface FeederOf<Kind extends string, Facts> {
  readonly kind: Kind;
  readonly resource: Facts;
  /** The queue's ARN. */
  readonly queueArn: string;
  /** As AWS spells it: `RedrivePolicy`, `DeadLetterConfig`, `OnFailure`. */
  readonly via: string;
  /** Of a function's destination, whose: `$LATEST`, a version or an alias. */
  readonly qualifier?: string;
}

/**
 * Who sends dead letters to a queue, and by what of its configuration. What becomes of a function's events has two ways there,
 * each its own kind.
 */
export type QueueFeeder =
  /** SNS sends what it could not deliver. */
  | FeederOf<'subscription', SubscriptionFacts>
  /** SQS moves what was received too often. */
  | FeederOf<'queue', QueueFacts>
  /** Lambda sends the event a function failed on. */
  | FeederOf<'function', FunctionFacts>
  /** Lambda sends a record of the failed invocation. */
  | FeederOf<'destination', FunctionFacts>
  /** Lambda sends what tells where in a stream, or in a topic of Kafka, records failed. */
  | FeederOf<'mapping', MappingFacts>
  /** EventBridge sends what a rule could not deliver, and EventBridge Scheduler what a schedule could not. */
  | FeederOf<TargetFacts['kind'], TargetFacts>;

export type FeederKind = QueueFeeder['kind'];

/** A queue that dead letters are sent to. */
export interface FedQueue {
  readonly arn: string;
  /** @default - it is not in the inventory: deleted, or of another account, Region or app */
  readonly queue?: QueueFacts;
  readonly feeders: readonly QueueFeeder[];
}

/** A feeder, where it is known that a queue is named. */
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

/** Everybody whose configuration names a queue for dead letters, in the order of the inventory. */
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

/** Everybody who sends dead letters to a queue, as far as the inventory tells. */
export function feedersOf(queueArn: string, inventory: Inventory): QueueFeeder[] {
  return queueFeeders(inventory).filter(it => it.queueArn === queueArn);
}

/** Every queue somebody sends dead letters to, whether or not it is there, by ARN. */
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

/** Whether SQS counts what a feeder brings in NumberOfMessagesSent: what it moves itself it does not. */
export function countsAsSent({ kind }: QueueFeeder): boolean {
  return kind !== 'queue';
}
