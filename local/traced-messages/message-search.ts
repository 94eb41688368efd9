import { isoInstant } from '../kernel/clock';
import { MemberReader } from '../kernel/member-reader';
import { eventDocument } from '../kernel/trace';
import { TROUBLES, type TracedMessage, type TracedMessages, type Trouble } from './traced-messages';

const MOST_FOUND = 500;
const DEFAULT_FOUND = 50;

/** How much of a body a list shows. */
const PREVIEW = 200;

interface Wanted {
  /** Part of a body, or the start of an id. */
  readonly text: string;
  /** A name or ARN. */
  readonly place: string;
  readonly trouble: Trouble | undefined;
}

/** Where the message began. */
function placeOf({ events: [first] }: TracedMessage): string | undefined {
  if (!first) return undefined;
  const named = first as unknown as Readonly<Record<string, unknown>>;
  const member = ['topicArn', 'queueArn', 'eventBusArn', 'ruleArn', 'scheduleArn', 'functionArn', 'endpoint'].find(
    name => typeof named[name] === 'string',
  );
  return member === undefined ? undefined : String(named[member]);
}

function passed(messages: TracedMessages, { events }: TracedMessage, place: string): boolean {
  const isPlace = (value: unknown): boolean =>
    typeof value === 'string' &&
    (value === place || (value.endsWith(place) && /[:/]/.test(value.at(-place.length - 1) ?? '')));
  return events.some(event => {
    if (Object.values(event).some(isPlace)) return true;
    return 'subscriptionArn' in event && isPlace(messages.endpoints.get(event.subscriptionArn)?.endpoint);
  });
}

function matches(messages: TracedMessages, message: TracedMessage, { text, place, trouble }: Wanted): boolean {
  if (trouble !== undefined && TROUBLES.indexOf(message.trouble) < TROUBLES.indexOf(trouble)) return false;
  if (text !== '' && !message.ids.some(id => id.startsWith(text) || messages.body(id)?.includes(text))) return false;
  return place === '' || passed(messages, message, place);
}

function summary(messages: TracedMessages, message: TracedMessage): object {
  const { id, number, events, trouble } = message;
  const bodyId = message.ids.find(it => messages.body(it) !== undefined);
  const body = bodyId === undefined ? undefined : messages.body(bodyId);
  const [first, last] = [events[0], events.at(-1)];
  return {
    id,
    number,
    ...(first && { at: isoInstant(first.atMs), atMs: first.atMs, began: first.type }),
    ...(last && { lastAtMs: last.atMs, last: last.type }),
    place: placeOf(message),
    trouble,
    events: events.length,
    ...(body !== undefined && { body: body.slice(0, PREVIEW) }),
  };
}

/** How many messages are looked at before other work runs. */
const SLICE = 2_000;

/**
 * Lists messages, the newest first. A long search lets other work run in between.
 *
 * @param query `text` (part of a body, or the start of an id), `place` (name or ARN of a resource, or the URL of an endpoint),
 *   `trouble` (the least that happened), `before` (a number: older messages only), `limit`
 * @param pause lets other work run
 * @returns `next` is the value of `before` for the next page, if there may be one
 * @throws InvalidInput for an unknown or wrong member
 */
export async function searchMessages(
  messages: TracedMessages,
  query: Readonly<Record<string, unknown>>,
  pause: () => Promise<void>,
): Promise<object> {
  const reader = new MemberReader(query, 'the query');
  const text = reader.text('text') ?? '';
  const place = reader.text('place') ?? '';
  const rule = `must be one of ${TROUBLES.join(', ')}`;
  const trouble = reader.optional('trouble', rule, (it): it is Trouble => TROUBLES.some(name => name === it));
  let before = reader.wholeNumber('before', 1) ?? Number.POSITIVE_INFINITY;
  const limit = reader.wholeNumber('limit', 1, MOST_FOUND) ?? DEFAULT_FOUND;
  reader.check();
  const found: TracedMessage[] = [];
  for (;;) {
    const slice = messages.before(before, SLICE);
    for (const message of slice) {
      if (matches(messages, message, { text, place, trouble })) found.push(message);
      if (found.length > limit) break;
    }
    const oldest = slice.at(-1);
    if (found.length > limit || !oldest) break;
    before = oldest.number;
    await pause();
  }
  const shown = found.slice(0, limit);
  return {
    messages: shown.map(message => summary(messages, message)),
    total: messages.all.length,
    ...(found.length > limit && { next: shown.at(-1)?.number }),
  };
}

/** Everything that is known about one message: its events, its bodies by id, and the endpoints of the subscriptions concerned. */
export function messageDocument(messages: TracedMessages, message: TracedMessage): object {
  const { id, number, ids, events, trouble, copies } = message;
  const subscriptions = new Set(events.flatMap(it => ('subscriptionArn' in it ? [it.subscriptionArn] : [])));
  return {
    id,
    number,
    ids,
    trouble,
    copies: Object.fromEntries(copies),
    bodies: Object.fromEntries(ids.flatMap(it => entryOf(it, messages.body(it)))),
    subscriptions: Object.fromEntries([...subscriptions].flatMap(it => entryOf(it, messages.endpoints.get(it)))),
    events: events.map(eventDocument),
  };
}

function entryOf<Value>(key: string, value: Value | undefined): readonly (readonly [string, Value])[] {
  return value === undefined ? [] : [[key, value]];
}
