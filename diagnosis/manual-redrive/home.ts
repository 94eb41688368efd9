import { parseArn } from '../../policy/arn';
import type { FunctionDestination } from '../../policy/redrive/redrive-settings';
import { isKnown, knownValue } from '../../template/told';
import { feedersOf, type QueueFeeder } from '../inventory/feeders';
import type { Inventory, SubscriptionFacts, TargetFacts } from '../inventory/inventory';
import type { ManualRedriveFacts } from './hand-facts';

/** Where a letter was to go before it died, and can go again. */
export type OriginalDestination = { readonly kind: 'queue'; readonly arn: string } | FunctionDestination;

/** Somebody whose letters cannot go back by themselves. */
export interface SenderWithoutDestination {
  readonly feeder: QueueFeeder;
  /** Completes a sentence that begins with the letters: `were for https://…, which is no queue and no function`. */
  readonly because: string;
}

/** Where the letters of a queue were to go. */
export interface OriginalDestinations {
  /** Each once. */
  readonly destinations: readonly OriginalDestination[];
  readonly withoutDestination: readonly SenderWithoutDestination[];
}

/** What Lambda calls a function that is no version and no alias. */
const WHOLE = '$LATEST';

type Found = { readonly home: OriginalDestination } | { readonly because: string };

/** What kind of place an ARN names, to which letters can go. */
export function destinationKind(arn: string): 'queue' | 'function' | undefined {
  const { service, resource = '' } = parseArn(arn) ?? {};
  if (service === 'sqs') return 'queue';
  return service === 'lambda' && resource.startsWith('function:') ? 'function' : undefined;
}

function placed(arn: string, bodyIs: FunctionDestination['bodyIs'], subscriptionArn?: string): Found {
  const kind = destinationKind(arn);
  if (kind === 'queue') return { home: { kind, arn } };
  if (kind === 'function') return { home: { kind, arn, bodyIs, ...(subscriptionArn && { subscriptionArn }) } };
  return { because: `were for ${arn}, which is no queue and no function` };
}

function ofSubscription({ arn, endpoint }: SubscriptionFacts): Found {
  if (!isKnown(endpoint)) return { because: `were for a subscriber whose endpoint ${endpoint.unknownBecause}` };
  return placed(endpoint, 'envelope', arn);
}

function ofTarget({ targetArn }: TargetFacts): Found {
  if (!isKnown(targetArn)) return { because: `were for a target that ${targetArn.unknownBecause}` };
  return placed(targetArn, 'event');
}

/** By who brings letters, where they were to go. */
function foundBy(feeder: QueueFeeder): Found {
  switch (feeder.kind) {
    case 'queue':
      return { home: { kind: 'queue', arn: feeder.resource.arn } };
    case 'subscription':
      return ofSubscription(feeder.resource);
    case 'function':
      return { home: { kind: 'function', arn: feeder.resource.arn, bodyIs: 'event' } };
    case 'destination': {
      const { resource, qualifier = WHOLE } = feeder;
      const arn = qualifier === WHOLE ? resource.arn : `${resource.arn}:${qualifier}`;
      return { home: { kind: 'function', arn, bodyIs: 'event' } };
    }
    case 'mapping':
      return { because: 'say where in a stream records failed, and do not hold them' };
    default:
      return ofTarget(feeder.resource);
  }
}

/** Where the letters of a queue were to go, as far as whoever feeds it is known. */
export function originalDestinationsOf(queueArn: string, inventory: Inventory): OriginalDestinations {
  const found = feedersOf(queueArn, inventory).map(feeder => ({ feeder, ...foundBy(feeder) }));
  const homes = new Map(found.flatMap(it => ('home' in it ? [[it.home.arn, it.home] as const] : [])));
  return {
    destinations: [...homes.values()],
    withoutDestination: found.flatMap(it => ('because' in it ? [{ feeder: it.feeder, because: it.because }] : [])),
  };
}

/** What a feeder's letters hold for a function, or why they hold nothing for one. */
function eventIn(
  feeder: QueueFeeder,
): { readonly bodyIs: FunctionDestination['bodyIs'] } | { readonly because: string } {
  const { name } = feeder.resource;
  switch (feeder.kind) {
    case 'queue':
      return { because: `messages of the queue ${name} are no events` };
    case 'mapping':
      return { because: `those of the mapping ${name} say where records failed, and do not hold them` };
    case 'subscription':
      return feeder.resource.protocol === 'lambda' || knownValue(feeder.resource.isRaw) === false
        ? { bodyIs: 'envelope' }
        : { because: `those of the subscription ${name} may have no envelope` };
    default:
      return { bodyIs: 'event' };
  }
}

/**
 * A function, with the form in which the letters hold events for it; or why it would be invoked with what it does not expect.
 * @param isChosen whether not all letters go: whoever chooses them may leave out those that are no events
 */
export function functionDestination(
  arn: string,
  { deadLetters: { arn: queueArn, name }, inventory }: Pick<ManualRedriveFacts, 'deadLetters' | 'inventory'>,
  isChosen: boolean,
): { readonly home: FunctionDestination } | { readonly because: string } {
  const feeders = feedersOf(queueArn, inventory);
  const events = feeders.map(eventIn);
  const forms = [...new Set(events.flatMap(it => ('bodyIs' in it ? [it.bodyIs] : [])))];
  const [bodyIs] = forms;
  const [strange] = events.flatMap(it => ('because' in it ? [it.because] : []));
  if (forms.length > 1) return { because: 'some of them are events, and some are envelopes of SNS' };
  if (!bodyIs) return { because: strange ?? `nobody sends dead letters to ${name}, and what is in it nobody knows` };
  if (strange !== undefined && !isChosen) return { because: `${strange}, and no --filter leaves them out` };
  const own = feeders.find(it => it.kind === 'subscription' && knownValue(it.resource.endpoint) === arn);
  return { home: { kind: 'function', arn, bodyIs, ...(own && { subscriptionArn: own.resource.arn }) } };
}

/** Subscriptions that bring a queue messages of a topic, raw or in an envelope. */
export function subscriptionsTo(queueArn: string, { subscriptions }: Inventory): readonly SubscriptionFacts[] {
  return subscriptions.filter(({ endpoint }) => knownValue(endpoint) === queueArn);
}
