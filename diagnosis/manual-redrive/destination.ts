import { parseArn } from '../../policy/arn';
import { isObject, parseObject } from '../../policy/json-members';
import { type EnvelopedAttribute, readEnvelope } from '../../policy/messages/envelope';
import type { QueueAttribute, QueueAttributes } from '../../policy/messages/queue-attributes';
import type { FunctionDestination } from '../../policy/redrive/redrive-settings';
import { withoutReplayMark } from '../../policy/redrive/replay-event';
import { isKnown, knownValue } from '../../template/maybe-known';
import { feedersOf, type QueueFeeder } from '../inventory/feeders';
import type { Inventory, SubscriptionFacts, TargetFacts } from '../inventory/inventory';
import type { ManualRedriveFacts, ManualRedriveOptions } from './facts';

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

/** What of a letter is sent on. */
export interface Content {
  readonly body: string;
  readonly attributes: QueueAttributes;
}

function attributeOf({ Type, Value }: EnvelopedAttribute): QueueAttribute {
  if (Type !== 'Binary') return { DataType: Type, StringValue: Value };
  return { DataType: Type, BinaryValue: Buffer.from(Value, 'base64') };
}

/** As SNS sends it to a queue whose subscription is raw. What is no envelope stays as it is. */
function unwrapped<T extends Content>(message: T): T {
  const reading = readEnvelope(message.body);
  if (reading.kind === 'none') return message;
  const { Message: body, MessageAttributes = {} } = reading.envelope;
  const attributes = Object.entries(MessageAttributes).map(([name, enveloped]) => [name, attributeOf(enveloped)]);
  return { ...message, body, attributes: Object.fromEntries(attributes) };
}

/** The event of an invocation that a destination on failure was told of; undefined where it is no such record. */
function eventInRecord(body: string): string | undefined {
  const { requestContext, requestPayload } = parseObject(body) ?? {};
  if (!isObject(requestContext) || typeof requestContext['condition'] !== 'string') return undefined;
  return requestPayload === undefined ? undefined : JSON.stringify(requestPayload);
}

/** Whoever asks by hand gives a letter another replay that had one before. */
function event<T extends Content>(message: T): T {
  const body = withoutReplayMark(message.body);
  return { ...message, body: eventInRecord(body) ?? body };
}

/** What becomes of a letter before it goes on. */
const INTO: Readonly<Record<Form, <T extends Content>(message: T) => T>> = {
  'as-they-are': message => message,
  unwrapped,
  event,
};

/** A letter in the form in which it goes on; all but body and attributes stays. */
export function inForm<T extends Content>(message: T, form: Form): T {
  return INTO[form](message);
}
