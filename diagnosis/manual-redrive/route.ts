import { parseArn } from '../../policy/arn';
import { knownValue } from '../../template/told';
import type { ManualRedriveFacts, ManualRedriveOptions } from './hand-facts';
import {
  destinationKind,
  functionDestination,
  type OriginalDestination,
  type OriginalDestinations,
  originalDestinationsOf,
  subscriptionsTo,
} from './home';

/** Where letters go, or why nobody can say. */
export type Route =
  | { readonly kind: 'route'; readonly home: OriginalDestination }
  /** What whoever asks has to change. */
  | { readonly kind: 'none'; readonly reason: string };

function none(reason: string): Route {
  return { kind: 'none', reason };
}

function regionAndAccount(arn: string): string {
  const { region = '', account = '' } = parseArn(arn) ?? {};
  return `${region} ${account}`;
}

/** @param isChosen whether not all letters go */
function toFunction(arn: string, facts: ManualRedriveFacts, isChosen: boolean): Route {
  const found = functionDestination(arn, facts, isChosen);
  if ('home' in found) return { kind: 'route', home: found.home };
  const queues = originalDestinationsOf(facts.deadLetters.arn, facts.inventory).destinations.filter(
    ({ kind }) => kind === 'queue',
  );
  const [queue] = queues;
  return none(
    `${arn} is a function, and would be invoked with letters of ${facts.deadLetters.name} that it does not expect: ` +
      `${found.because}; --to names a queue${queue ? `, such as ${queue.arn}` : ''}`,
  );
}

function named(to: string, facts: ManualRedriveFacts, isChosen: boolean): Route {
  const { deadLetters } = facts;
  const kind = destinationKind(to);
  if (!kind) return none(`--to must be the ARN of a queue or of a function, got ${JSON.stringify(to)}`);
  if (to === deadLetters.arn) return none(`--to must be another queue than ${deadLetters.name} itself`);
  if (regionAndAccount(to) !== regionAndAccount(deadLetters.arn)) {
    return none(`--to must be of the Region and the account of ${deadLetters.name}, got ${to}`);
  }
  if (kind === 'queue') return { kind: 'route', home: { kind, arn: to } };
  return toFunction(to, facts, isChosen);
}

function placesText({ destinations, withoutDestination }: OriginalDestinations): string {
  const places = [
    ...destinations.map(({ arn }) => arn),
    ...withoutDestination.map(({ feeder }) => feeder.resource.name),
  ];
  return places.join(', ');
}

/** Where the letters go: to the place that is named, or else to where they all were to go. */
export function routeOf(facts: ManualRedriveFacts, { to, filter }: Pick<ManualRedriveOptions, 'to' | 'filter'>): Route {
  const isChosen = filter !== undefined;
  if (to !== undefined) return named(to, facts, isChosen);
  const { name, arn } = facts.deadLetters;
  const found = originalDestinationsOf(arn, facts.inventory);
  const [home] = found.destinations;
  const [withoutDestination] = found.withoutDestination;
  if (!home && !withoutDestination) {
    return none(`nobody sends dead letters to ${name}: --to says where its messages are to go`);
  }
  if (home && found.destinations.length === 1 && !withoutDestination) {
    return home.kind === 'function' ? toFunction(home.arn, facts, isChosen) : { kind: 'route', home };
  }
  if (!home && withoutDestination && found.withoutDestination.length === 1) {
    return none(
      `the letters of ${name} ${withoutDestination.because}: --to names a queue, that of a relay for instance, or a function`,
    );
  }
  return none(`the letters of ${name} come from several places, so --to must say where they go: ${placesText(found)}`);
}

/** In what form letters go. */
export type Form =
  /** As they are. */
  | 'as-they-are'
  /** The message an envelope of SNS holds, with its attributes, as its queue receives them raw. */
  | 'unwrapped'
  /** The event a letter holds for a function. */
  | 'event';

/** Topics whose messages lie in the dead-letter queue in envelopes. */
function envelopedTopics({ deadLetters, inventory }: ManualRedriveFacts): ReadonlySet<string> {
  const wrapped = inventory.subscriptions.filter(
    ({ deadLetterTargetArn, isRaw }) =>
      knownValue(deadLetterTargetArn) === deadLetters.arn && knownValue(isRaw) === false,
  );
  return new Set(wrapped.flatMap(({ topicArn }) => knownValue(topicArn) ?? []));
}

/** Whether letters in envelopes go to a queue, and how it receives the messages of their topics otherwise. */
export function envelopesFor(
  facts: ManualRedriveFacts,
  home: OriginalDestination,
): 'none' | 'raw' | 'enveloped' | 'unknown' {
  const topics = envelopedTopics(facts);
  if (home.kind === 'function' || topics.size === 0) return 'none';
  const own = subscriptionsTo(home.arn, facts.inventory).filter(({ topicArn }) =>
    topics.has(knownValue(topicArn) ?? ''),
  );
  if (own.length === 0) return 'unknown';
  if (own.every(({ isRaw }) => knownValue(isRaw) === true)) return 'raw';
  return own.every(({ isRaw }) => knownValue(isRaw) === false) ? 'enveloped' : 'unknown';
}

export function formOf(facts: ManualRedriveFacts, home: OriginalDestination): Form {
  if (home.kind === 'function') return 'event';
  return envelopesFor(facts, home) === 'raw' ? 'unwrapped' : 'as-they-are';
}
