import { parseArn } from '../arn';
import { feedersOf, type QueueFeeder } from '../inventory/feeders';
import type { Inventory, SubscriptionFacts, TargetFacts } from '../inventory/inventory';
import { isTold, toldOf } from '../inventory/told';
import type { FunctionDestination } from '../redrive/redrive-settings';

/** Where a letter was to go before it died, and can go again. */
export type Home = { readonly kind: 'queue'; readonly arn: string } | FunctionDestination;

/** Somebody whose letters cannot go back by themselves. */
export interface Homeless {
  readonly feeder: QueueFeeder;
  /** Completes a sentence that begins with the letters: `were for https://…, which is no queue and no function`. */
  readonly because: string;
}

/** Where the letters of a queue were to go. */
export interface Homes {
  /** Each once. */
  readonly homes: readonly Home[];
  readonly homeless: readonly Homeless[];
}

type Found = { readonly home: Home } | { readonly because: string };

/** What kind of place an ARN names, to which letters can go. */
export function placeOf(arn: string): 'queue' | 'function' | undefined {
  const { service, resource = '' } = parseArn(arn) ?? {};
  if (service === 'sqs') return 'queue';
  return service === 'lambda' && resource.startsWith('function:') ? 'function' : undefined;
}

function placed(arn: string, bodyIs: FunctionDestination['bodyIs'], subscriptionArn?: string): Found {
  const kind = placeOf(arn);
  if (kind === 'queue') return { home: { kind, arn } };
  if (kind === 'function') return { home: { kind, arn, bodyIs, ...(subscriptionArn && { subscriptionArn }) } };
  return { because: `were for ${arn}, which is no queue and no function` };
}

function ofSubscription({ arn, endpoint }: SubscriptionFacts): Found {
  if (!isTold(endpoint)) return { because: `were for a subscriber whose endpoint ${endpoint.untold}` };
  return placed(endpoint, 'envelope', arn);
}

function ofTarget({ targetArn }: TargetFacts): Found {
  if (!isTold(targetArn)) return { because: `were for a target that ${targetArn.untold}` };
  return placed(targetArn, 'event');
}

const NOT_THERE: Found = { because: 'come from something that is not there any more' };

/** By who brings letters, where they were to go. */
const HOME_OF: Readonly<Record<QueueFeeder['kind'], (feeder: QueueFeeder, inventory: Inventory) => Found>> = {
  queue: ({ resource }) => ({ home: { kind: 'queue', arn: resource.arn } }),
  subscription: ({ resource }, { subscriptions }) => {
    const subscription = subscriptions.find(({ arn }) => arn === resource.arn);
    return subscription ? ofSubscription(subscription) : NOT_THERE;
  },
  function: ({ resource }) => ({ home: { kind: 'function', arn: resource.arn, bodyIs: 'event' } }),
  destination: ({ resource, qualifier }) => {
    const isWhole = qualifier === undefined || qualifier === '$LATEST';
    return {
      home: { kind: 'function', arn: isWhole ? resource.arn : `${resource.arn}:${qualifier}`, bodyIs: 'event' },
    };
  },
  mapping: () => ({ because: 'say where in a stream records failed, and do not hold them' }),
  rule: ({ resource }, { targets }) => {
    const target = targets.find(({ arn }) => arn === resource.arn);
    return target ? ofTarget(target) : NOT_THERE;
  },
  schedule: ({ resource }, { targets }) => {
    const target = targets.find(({ arn }) => arn === resource.arn);
    return target ? ofTarget(target) : NOT_THERE;
  },
};

/** Where the letters of a queue were to go, as far as whoever feeds it is known. */
export function homesOf(queueArn: string, inventory: Inventory): Homes {
  const found = feedersOf(queueArn, inventory).map(feeder => ({ feeder, ...HOME_OF[feeder.kind](feeder, inventory) }));
  const homes = new Map(found.flatMap(it => ('home' in it ? [[it.home.arn, it.home] as const] : [])));
  return {
    homes: [...homes.values()],
    homeless: found.flatMap(it => ('because' in it ? [{ feeder: it.feeder, because: it.because }] : [])),
  };
}

/** The form in which the letters hold events for a function: that of the subscription whose function it is, else as they are. */
export function functionHome(
  arn: string,
  homes: readonly Home[],
  inventory: Inventory,
  queueArn: string,
): FunctionDestination {
  const own = homes.find((home): home is FunctionDestination => home.kind === 'function' && home.arn === arn);
  if (own) return own;
  const feeders = feedersOf(queueArn, inventory);
  const isOfSns = feeders.length > 0 && feeders.every(({ kind }) => kind === 'subscription');
  return { kind: 'function', arn, bodyIs: isOfSns ? 'envelope' : 'event' };
}

/** Subscriptions that bring a queue messages of a topic, raw or in an envelope. */
export function subscriptionsTo(queueArn: string, { subscriptions }: Inventory): readonly SubscriptionFacts[] {
  return subscriptions.filter(({ endpoint }) => toldOf(endpoint) === queueArn);
}
