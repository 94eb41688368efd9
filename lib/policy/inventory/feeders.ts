import { parseArn } from '../arn';
import type { Inventory, QueueFacts, Resource } from './inventory';
import { queueOf } from './look-ups';
import { type Told, toldOf } from './told';

/** What sends dead letters to a queue: what becomes of a function's events has two ways there, each its own kind. */
export type FeederKind =
  /** SNS sends what it could not deliver. */
  | 'subscription'
  /** SQS moves what was received too often. */
  | 'queue'
  /** Lambda sends the event a function failed on. */
  | 'function'
  /** Lambda sends a record of the failed invocation. */
  | 'destination'
  /** Lambda sends what tells where in a stream, or in a topic of Kafka, records failed. */
  | 'mapping'
  /** EventBridge sends what a rule could not deliver. */
  | 'rule'
  /** EventBridge Scheduler sends what a schedule could not deliver. */
  | 'schedule';

/** Who sends dead letters to a queue, and by what of its configuration. */
export interface QueueFeeder {
  readonly kind: FeederKind;
  readonly resource: Resource;
  /** The queue's ARN. */
  readonly queueArn: string;
  /** As AWS spells it: `RedrivePolicy`, `DeadLetterConfig`, `OnFailure`. */
  readonly via: string;
  /** Of a function's destination, whose: `$LATEST`, a version or an alias. */
  readonly qualifier?: string;
}

/** A queue that dead letters are sent to. */
export interface FedQueue {
  readonly arn: string;
  /** @default - it is not in the inventory: deleted, or of another account, Region or app */
  readonly queue?: QueueFacts;
  readonly feeders: readonly QueueFeeder[];
}

type Named = Omit<QueueFeeder, 'queueArn'> & { readonly target: Told<string | undefined> };

function namedBy(inventory: Inventory): Named[] {
  const { subscriptions, queues, functions, mappings, targets } = inventory;
  return [
    ...subscriptions.map(
      (it): Named => ({
        kind: 'subscription',
        resource: it,
        via: 'RedrivePolicy',
        target: it.deadLetterTargetArn,
      }),
    ),
    ...queues.map(
      (it): Named => ({
        kind: 'queue',
        resource: it,
        via: 'RedrivePolicy',
        target: toldOf(it.redrivePolicy)?.deadLetterTargetArn,
      }),
    ),
    ...functions.flatMap((it): Named[] => [
      { kind: 'function', resource: it, via: 'DeadLetterConfig', target: it.deadLetterTargetArn },
      ...(toldOf(it.eventInvokes) ?? []).map(
        (invoke): Named => ({
          kind: 'destination',
          resource: it,
          via: 'OnFailure',
          qualifier: invoke.qualifier,
          target: invoke.onFailureArn,
        }),
      ),
    ]),
    ...mappings.map((it): Named => ({ kind: 'mapping', resource: it, via: 'OnFailure', target: it.onFailureArn })),
    ...targets.map(
      (it): Named => ({
        kind: it.kind,
        resource: it,
        via: 'DeadLetterConfig',
        target: it.deadLetterTargetArn,
      }),
    ),
  ];
}

/** Everybody whose configuration names a queue for dead letters, in the order of the inventory. */
export function queueFeeders(inventory: Inventory): QueueFeeder[] {
  return namedBy(inventory).flatMap(({ target, ...feeder }) => {
    const queueArn = toldOf(target);
    return queueArn !== undefined && parseArn(queueArn)?.service === 'sqs' ? [{ ...feeder, queueArn }] : [];
  });
}

/** Everybody who sends dead letters to a queue, as far as the inventory tells. */
export function feedersOf(queueArn: string, inventory: Inventory): QueueFeeder[] {
  return queueFeeders(inventory).filter(it => it.queueArn === queueArn);
}

/** Every queue somebody sends dead letters to, whether or not it is there, by ARN. */
export function deadLetterQueues(inventory: Inventory): FedQueue[] {
  const fed = new Map<string, QueueFeeder[]>();
  for (const feeder of queueFeeders(inventory)) {
    const feeders = fed.get(feeder.queueArn) ?? [];
    feeders.push(feeder);
    fed.set(feeder.queueArn, feeders);
  }
  return [...fed]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([arn, feeders]) => {
      const queue = queueOf(arn, inventory);
      return { arn, feeders, ...(queue && { queue }) };
    });
}

/** Whether SQS counts what a feeder brings in NumberOfMessagesSent: what it moves itself it does not. */
export function countsAsSent({ kind }: QueueFeeder): boolean {
  return kind !== 'queue';
}
