import { parseArn } from '../../policy/arn';
import { isObject, parseObject } from '../../policy/json-members';
import { type EnvelopedAttribute, readEnvelope } from '../../policy/messages/envelope';
import type { QueueAttribute, QueueAttributes } from '../../policy/messages/queue-attributes';
import type { FunctionDestination } from '../../policy/redrive/redrive-settings';
import { isKnown, knownValue } from '../../template/maybe-known';
import { feedersOf, type QueueFeeder } from '../inventory/feeders';
import { type Inventory, mayLack, type SubscriptionFacts, type TargetFacts } from '../inventory/inventory';
import { fleetOfDeadLetters } from '../inventory/look-ups';
import type { ManualRedriveFacts, ManualRedriveOptions } from './manual-redrive-facts';
import { type Selected, selectionFor } from './selection';

export type Route =
  | { readonly kind: 'route'; readonly home: OriginalDestination }
  /** What the operator must change. */
  | { readonly kind: 'none'; readonly reason: string };

function none(reason: string): Route {
  return { kind: 'none', reason };
}

function regionAndAccount(arn: string): string {
  const { region = '', account = '' } = parseArn(arn) ?? {};
  return `${region} ${account}`;
}

/** @param isChosen whether some of the messages are selected */
function toFunction(arn: string, facts: ManualRedriveFacts, isChosen: boolean): Route {
  const found = functionDestination(arn, facts, isChosen);
  if ('home' in found) return { kind: 'route', home: found.home };
  const queues = originalDestinationsOf(facts.deadLetters.arn, facts.inventory).destinations.filter(
    ({ kind }) => kind === 'queue',
  );
  const [queue] = queues;
  return none(
    `${arn} is a function, and would be invoked with messages of ${facts.deadLetters.name} that it does not expect: ` +
      `${found.because}; --to names a queue${queue ? `, such as ${queue.arn}` : ''}`,
  );
}

/** For a queue of which no feeder is known. */
function unfedText({ deadLetters: { name }, inventory }: ManualRedriveFacts): string {
  return mayLack(inventory, 'feeders')
    ? `what sends dead letters to ${name} could not be read`
    : `nothing is configured to send dead letters to ${name}`;
}

function named(to: string, facts: ManualRedriveFacts, isChosen: boolean): Route {
  const { deadLetters } = facts;
  const kind = destinationKind(to);
  if (!kind) return none(`--to must be the ARN of a queue or of a function, got ${JSON.stringify(to)}`);
  if (to === deadLetters.arn) return none(`--to must be another queue than ${deadLetters.name} itself`);
  if (regionAndAccount(to) !== regionAndAccount(deadLetters.arn)) {
    return none(`--to must be in the Region and account of ${deadLetters.name}, got ${to}`);
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

type RouteOptions = Pick<ManualRedriveOptions, 'to' | 'filter' | 'subscription'>;

function ofSubscriptionNamed(arn: string, facts: ManualRedriveFacts): Route {
  const { deadLetters, inventory } = facts;
  const feeder = feedersOf(deadLetters.arn, inventory).find(({ resource }) => resource.arn === arn);
  if (!feeder && mayLack(inventory, 'feeders'))
    return none(
      `whether ${arn} sends dead letters to ${deadLetters.name} could not be read: name their destination with --to`,
    );
  if (!feeder) return none(`${arn} sends no dead letters to ${deadLetters.name}: name their destination with --to`);
  const found = foundBy(feeder);
  if ('because' in found) {
    return none(
      `the messages of ${arn} ${found.because}: name a queue (such as that of a relay) or a function with --to`,
    );
  }
  return found.home.kind === 'function' ? toFunction(found.home.arn, facts, true) : { kind: 'route', home: found.home };
}

/** Chooses the destination: the one that was named, or else the original destination, if there is only one. */
export function routeOf(facts: ManualRedriveFacts, options: RouteOptions): Route {
  const selected = selectionFor(facts, options);
  const route = unselectedRoute(facts, options, selected);
  // What is wrong with a destination comes before the question of whose messages go there.
  return route.kind === 'route' && selected.kind === 'none' ? selected : route;
}

function unselectedRoute(
  facts: ManualRedriveFacts,
  { to, filter, subscription }: RouteOptions,
  selected: Selected,
): Route {
  const isChosen = filter !== undefined || selected.kind === 'some';
  if (to !== undefined) return named(to, facts, isChosen);
  if (subscription !== undefined) return selected.kind === 'none' ? selected : ofSubscriptionNamed(subscription, facts);
  const { name, arn } = facts.deadLetters;
  const fleet = fleetOfDeadLetters(arn, facts.inventory);
  if (fleet) {
    return none(
      `${name} is the dead-letter queue of the fleet ${fleet.name}: dlo fleet replay sends its messages again, with all of their attempts. ` +
        `Only events that SQS moved go back with --to ${fleet.eventsQueueArn} --filter "movedFromArn=='${fleet.eventsQueueArn}'"`,
    );
  }
  const found = originalDestinationsOf(arn, facts.inventory);
  const [home] = found.destinations;
  const [withoutDestination] = found.withoutDestination;
  if (!home && !withoutDestination) {
    return none(`${unfedText(facts)}: name the destination of its messages with --to`);
  }
  if (home && found.destinations.length === 1 && !withoutDestination) {
    return home.kind === 'function' ? toFunction(home.arn, facts, isChosen) : { kind: 'route', home };
  }
  if (!home && withoutDestination && found.withoutDestination.length === 1) {
    return none(
      `the messages of ${name} ${withoutDestination.because}: name a queue (such as that of a relay) or a function with --to`,
    );
  }
  const isForOthers = found.withoutDestination.some(({ feeder }) => feeder.kind === 'subscription');
  const others = isForOthers ? '; for another subscriber, --subscription with its ARN, and --to with a queue' : '';
  return none(
    `the messages of ${name} come from several places: name one of them with --to: ${placesText(found)}${others}`,
  );
}

function envelopedTopics({ deadLetters, inventory }: ManualRedriveFacts): ReadonlySet<string> {
  const wrapped = inventory.subscriptions.filter(
    ({ deadLetterTargetArn, isRaw }) =>
      knownValue(deadLetterTargetArn) === deadLetters.arn && knownValue(isRaw) === false,
  );
  return new Set(wrapped.flatMap(({ topicArn }) => knownValue(topicArn) ?? []));
}

/**
 * Whether messages in envelopes go to a queue, and whether that queue otherwise receives the topics' messages raw or in
 * envelopes.
 */
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

/** What a message is turned into before it is sent. */
export type Form =
  /** Unchanged. */
  | 'as-they-are'
  /** The message inside an SNS envelope, with its attributes, as with raw message delivery. */
  | 'unwrapped'
  /** The event that a message contains for a function. */
  | 'event';

export function formOf(facts: ManualRedriveFacts, home: OriginalDestination): Form {
  if (home.kind === 'function') return 'event';
  return envelopesFor(facts, home) === 'raw' ? 'unwrapped' : 'as-they-are';
}

/** Where a message was to be delivered before it failed, and can be sent again. */
export type OriginalDestination = { readonly kind: 'queue'; readonly arn: string } | FunctionDestination;

/** A sender whose messages cannot be sent back automatically. */
interface SenderWithoutDestination {
  readonly feeder: QueueFeeder;
  /**
   * Why. It completes a sentence that begins with the messages: `were for https://…, which is neither a queue nor a
   * function`.
   */
  readonly because: string;
}

interface OriginalDestinations {
  /** Each once. */
  readonly destinations: readonly OriginalDestination[];
  readonly withoutDestination: readonly SenderWithoutDestination[];
}

/** Lambda's name for a function that is neither a version nor an alias. */
const WHOLE = '$LATEST';

type Found = { readonly home: OriginalDestination } | { readonly because: string };

/** The kind of destination that an ARN names; undefined if messages cannot be sent to it. */
function destinationKind(arn: string): 'queue' | 'function' | undefined {
  const { service, resource = '' } = parseArn(arn) ?? {};
  if (service === 'sqs') return 'queue';
  return service === 'lambda' && resource.startsWith('function:') ? 'function' : undefined;
}

function placed(arn: string, bodyIs: FunctionDestination['bodyIs'], subscriptionArn?: string): Found {
  const kind = destinationKind(arn);
  if (kind === 'queue') return { home: { kind, arn } };
  if (kind === 'function') return { home: { kind, arn, bodyIs, ...(subscriptionArn && { subscriptionArn }) } };
  return { because: `were for ${arn}, which is neither a queue nor a function` };
}

function ofSubscription({ arn, endpoint }: SubscriptionFacts): Found {
  if (!isKnown(endpoint)) return { because: `were for a subscriber whose endpoint ${endpoint.unknownBecause}` };
  return placed(endpoint, 'envelope', arn);
}

function ofTarget({ targetArn }: TargetFacts): Found {
  if (!isKnown(targetArn)) return { because: `were for a target that ${targetArn.unknownBecause}` };
  return placed(targetArn, 'event');
}

/** The original destination of a feeder's messages. */
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
      return { because: 'contain the position of failed records in a stream, not the records' };
    default:
      return ofTarget(feeder.resource);
  }
}

export function originalDestinationsOf(queueArn: string, inventory: Inventory): OriginalDestinations {
  const found = feedersOf(queueArn, inventory).map(feeder => ({ feeder, ...foundBy(feeder) }));
  const homes = new Map(found.flatMap(it => ('home' in it ? [[it.home.arn, it.home] as const] : [])));
  return {
    destinations: [...homes.values()],
    withoutDestination: found.flatMap(it => ('because' in it ? [{ feeder: it.feeder, because: it.because }] : [])),
  };
}

/** The original destination of the messages of a subscription; undefined if it has none, or does not feed the queue. */
export function originalDestinationOf(
  subscriptionArn: string,
  queueArn: string,
  inventory: Inventory,
): OriginalDestination | undefined {
  const feeder = feedersOf(queueArn, inventory).find(({ resource }) => resource.arn === subscriptionArn);
  const found = feeder && foundBy(feeder);
  return found && 'home' in found ? found.home : undefined;
}

/** The form in which a feeder's messages contain events for a function, or why they contain none. */
function eventIn(
  feeder: QueueFeeder,
): { readonly bodyIs: FunctionDestination['bodyIs'] } | { readonly because: string } {
  const { name } = feeder.resource;
  switch (feeder.kind) {
    case 'queue':
      return { because: `messages of the queue ${name} are not events` };
    case 'mapping':
      return { because: `messages of the mapping ${name} contain the position of failed records, not the records` };
    case 'subscription':
      return feeder.resource.protocol === 'lambda' || knownValue(feeder.resource.isRaw) === false
        ? { bodyIs: 'envelope' }
        : { because: `messages of the subscription ${name} may have no SNS envelope` };
    default:
      return { bodyIs: 'event' };
  }
}

/**
 * A function as the destination, with the form in which the messages contain events; or why it would get events that it
 * does not expect.
 * @param isChosen whether some of the messages are selected, which can leave out those that are not events
 */
function functionDestination(
  arn: string,
  facts: ManualRedriveFacts,
  isChosen: boolean,
): { readonly home: FunctionDestination } | { readonly because: string } {
  const { deadLetters, inventory } = facts;
  const { arn: queueArn } = deadLetters;
  const feeders = feedersOf(queueArn, inventory);
  const events = feeders.map(eventIn);
  const forms = [...new Set(events.flatMap(it => ('bodyIs' in it ? [it.bodyIs] : [])))];
  const [bodyIs] = forms;
  const [strange] = events.flatMap(it => ('because' in it ? [it.because] : []));
  if (forms.length > 1) return { because: 'some of them are events, and some are SNS envelopes' };
  if (!bodyIs) return { because: strange ?? `${unfedText(facts)}, so their form is unknown` };
  if (strange !== undefined && !isChosen) return { because: `${strange}, and no --filter leaves them out` };
  const own = feeders.filter(it => it.kind === 'subscription' && knownValue(it.resource.endpoint) === arn);
  // Of several subscriptions of a function, the envelope of each message names the right one.
  const [only] = own.length === 1 ? own : [];
  return { home: { kind: 'function', arn, bodyIs, ...(only && { subscriptionArn: only.resource.arn }) } };
}

/** Subscriptions that deliver a topic's messages to a queue, raw or in envelopes. */
function subscriptionsTo(queueArn: string, { subscriptions }: Inventory): readonly SubscriptionFacts[] {
  return subscriptions.filter(({ endpoint }) => knownValue(endpoint) === queueArn);
}

interface MessageContent {
  readonly body: string;
  readonly attributes: QueueAttributes;
}

function attributeOf({ Type, Value }: EnvelopedAttribute): QueueAttribute {
  if (Type !== 'Binary') return { DataType: Type, StringValue: Value };
  return { DataType: Type, BinaryValue: Buffer.from(Value, 'base64') };
}

/** The message as SNS sends it to a queue with raw message delivery. A body without an envelope stays as it is. */
function unwrapped<T extends MessageContent>(message: T): T {
  const reading = readEnvelope(message.body);
  if (reading.kind === 'none') return message;
  const { Message: body, MessageAttributes = {} } = reading.envelope;
  const attributes = Object.entries(MessageAttributes).map(([name, enveloped]) => [name, attributeOf(enveloped)]);
  return { ...message, body, attributes: Object.fromEntries(attributes) };
}

/** The event in Lambda's record of a failed invocation; undefined if the body is not such a record. */
function eventInRecord(body: string): string | undefined {
  const { requestContext, requestPayload } = parseObject(body) ?? {};
  if (!isObject(requestContext) || typeof requestContext['condition'] !== 'string') return undefined;
  return requestPayload === undefined ? undefined : JSON.stringify(requestPayload);
}

function event<T extends MessageContent>(message: T): T {
  return { ...message, body: eventInRecord(message.body) ?? message.body };
}

/** How a message is changed before it is sent. */
const INTO: Readonly<Record<Form, <T extends MessageContent>(message: T) => T>> = {
  'as-they-are': message => message,
  unwrapped,
  event,
};

/** Puts a message into the form in which it is sent; only the body and the attributes change. */
export function inForm<T extends MessageContent>(message: T, form: Form): T {
  return INTO[form](message);
}
