import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { deliveryId } from '../../fleet/delivery-id';
import { FilterPolicy, parsedObject, readAttributes } from '../../policy/filter/filter-policy';
import { FilterPolicyError } from '../../policy/filter/filter-tree';
import { type EndpointName, groupOf } from '../../policy/fleet/endpoint';
import type { MatchItem } from '../../policy/fleet/fleet-items';
import { type Delivery, type FleetEvent, MAX_EVENT_BYTES, readFleetEvent } from '../../policy/fleet/fleet-messages';
import { formatProblem } from '../../policy/problem';
import { HOUR_MS } from '../../policy/time-units';
import { errorOf } from '../shared/log';
import { deadLetter, deadLetterDelivery, type GivenUp } from './dead-letters';
import type { DelayedDelivery, FleetPorts } from './ports';
import { park, States } from './states';
import { FleetTally } from './tally';

/** Endpoints of one page: fewer if the event is large, because a page is in memory several times, and ten events are dispatched at a time. */
const PAGE_SIZE = 500;
const PAGE_BYTES = 2 * 1_024 * 1_024;

/** How many endpoints one invocation sends an event to. */
const MOST_ENDPOINTS = 10_000;

/** What a later page has in addition to the event itself. */
const MAX_PAGE_BYTES = 1_024;

/** The pages of an event. A sender may write its time too, and must not have its messages given up at once, or never. */
const LONGEST_PAGING_MS = HOUR_MS;

/** A page is begun if this much time is left: it takes about a second. */
const PAGE_MS = 15_000;

/** One event in its invocation. */
interface Dispatch {
  readonly event: FleetEvent;
  readonly sentAtMs: number;
  readonly ports: FleetPorts;
  readonly states: States;
  readonly tally: FleetTally;
}

/**
 * Sends a delivery for each endpoint that an event matches. An event is done when every delivery is in the queue, in the table or in the
 * dead-letter queue. Otherwise it comes back, and its deliveries have the same ids.
 */
export function dispatcherHandler(
  ports: FleetPorts,
): (event: SQSEvent, context: Pick<Context, 'getRemainingTimeInMillis'>) => Promise<SQSBatchResponse> {
  return async ({ Records }, context) => {
    const tally = new FleetTally();
    const states = new States(ports);
    const hasTime = () => context.getRemainingTimeInMillis() > PAGE_MS;
    const isDone = async (record: SQSRecord): Promise<boolean> => {
      try {
        return await dispatch(record, { ports, states, tally }, hasTime);
      } catch (error) {
        const more = { sqsMessageId: record.messageId, stack: errorOf(error).stack };
        tally.broken(ports, 'an event was not dispatched, and comes back', error, more);
        return false;
      }
    };
    const done = await Promise.all(Records.map(isDone));
    tally.print(ports);
    return {
      batchItemFailures: Records.filter((_, index) => !done[index]).map(it => ({ itemIdentifier: it.messageId })),
    };
  };
}

/** @returns whether the event may be deleted */
async function dispatch(
  { body, attributes }: SQSRecord,
  invocation: Omit<Dispatch, 'event' | 'sentAtMs'>,
  hasTime: () => boolean,
): Promise<boolean> {
  const { ports, tally } = invocation;
  const queuedAtMs = Number(attributes.SentTimestamp);
  const giveUp = (cause: GivenUp['cause'], reason: string) =>
    deadLetter(body, ports.settings.fleetName, { cause, reason, sentAtMs: queuedAtMs }, ports, tally);
  const reading = readFleetEvent(body);
  if (reading.kind === 'problems') return giveUp('not-an-event', reading.problems.map(formatProblem).join('; '));
  const { event } = reading;
  const bytes = Buffer.byteLength(body);
  if (bytes > MAX_EVENT_BYTES + (event.after === undefined ? 0 : MAX_PAGE_BYTES)) {
    return giveUp('too-large', `the event must have at most ${MAX_EVENT_BYTES} bytes: got ${bytes}`);
  }
  const sentAtMs = Math.min(queuedAtMs, Math.max(event.sentAtMs ?? queuedAtMs, queuedAtMs - LONGEST_PAGING_MS));
  let { after } = event;
  const size = Math.max(1, Math.min(PAGE_SIZE, Math.floor(PAGE_BYTES / bytes)));
  for (let sent = 0; sent < MOST_ENDPOINTS && (sent === 0 || hasTime()); sent += size) {
    const { matches, after: next } = await ports.table.matches(event.tenant, event.type, after, size);
    // Each of many endpoints would be a quiet group of its own, and all of them together would keep other tenants waiting.
    const group = after === undefined && next === undefined ? {} : { group: event.tenant };
    const isSent = await sendPage(matches, { ...invocation, event, sentAtMs }, group);
    if (!isSent) return false;
    if (next === undefined) return true;
    after = next;
  }
  await ports.queues.sendEvent({ ...event, sentAtMs, ...(after !== undefined && { after }) });
  return true;
}

/** @returns whether every message of the page is somewhere */
async function sendPage(
  matches: readonly MatchItem[],
  dispatch: Dispatch,
  group: Pick<DelayedDelivery, 'group'>,
): Promise<boolean> {
  const { event, ports, states, tally } = dispatch;
  const isWanted = matcher(event);
  const readings = matches.map(match => ({ delivery: deliveryOf(match, dispatch), wanted: isWanted(match) }));
  const bad = await Promise.all(
    readings.map(
      ({ delivery, wanted }) =>
        typeof wanted === 'boolean' ||
        deadLetterDelivery(delivery, { cause: 'bad-filter', reason: wanted }, ports, tally),
    ),
  );
  const deliveries = readings.filter(({ wanted }) => wanted === true).map(({ delivery }) => delivery);
  if (deliveries.length === 0) return bad.every(Boolean);
  const known = await ports.table.states(deliveries);
  const ready: DelayedDelivery[] = [];
  const waiting: Delivery[] = [];
  for (const delivery of deliveries) {
    const state = known.get(groupOf(delivery));
    // A state that could not be read: the deliverer reads it again.
    if (state?.health === 'open' || state?.health === 'disabled') waiting.push(delivery);
    else ready.push({ delivery, delaySeconds: 0, ...group });
  }
  const parkings = waiting.map(async (delivery): Promise<readonly DelayedDelivery[]> => {
    try {
      await park(delivery, { attempts: 0, reason: 'the endpoint is down or disabled' }, ports, states);
    } catch (error) {
      // The whole event would come back, and reach the other endpoints again. The deliverer parks it, or hides it.
      tally.broken(ports, 'a message was not parked, and is queued', error, { delivery: delivery.id });
      return [{ delivery, delaySeconds: 0, ...group }];
    }
    tally.count('Parked');
    return [];
  });
  const [left, ...unparked] = await Promise.all([ports.queues.sendDeliveries(ready), ...parkings]);
  const notSent = left.length + (await ports.queues.sendDeliveries(unparked.flat())).length;
  if (notSent > 0) tally.count('Broken', notSent);
  return notSent === 0 && bad.every(Boolean);
}

function deliveryOf({ sk: endpoint, createdAtMs }: MatchItem, { event, sentAtMs, ports }: Dispatch): Delivery {
  const { id: eventId, tenant, type, data } = event;
  const name: EndpointName = { tenant, endpoint };
  const id = deliveryId(ports.settings.fleetName, eventId, name);
  const of = createdAtMs === undefined ? {} : { endpointCreatedAtMs: createdAtMs };
  return { id, ...name, eventId, type, data, sentAtMs, attempts: 0, ...of };
}

/** A compiled filter takes about ten times as much as its text. */
const MOST_CHARACTERS = 4 * 1_024 * 1_024;

/** Compiled filters by scope and text: a tenant's endpoints have the same from event to event. */
export class Filters {
  private readonly kept = new Map<string, FilterPolicy>();
  private characters = 0;

  constructor(private readonly mostCharacters = MOST_CHARACTERS) {}

  get size(): number {
    return this.kept.size;
  }

  /** @throws FilterPolicyError */
  compiled({ filter, filterScope = 'MessageBody' }: Pick<MatchItem, 'filter' | 'filterScope'>): FilterPolicy {
    const text = JSON.stringify(filter);
    const key = `${filterScope} ${text}`;
    const known = this.kept.get(key);
    if (known) return known;
    const policy = new FilterPolicy(text, filterScope);
    this.characters += key.length;
    if (this.characters > this.mostCharacters) {
      this.kept.clear();
      this.characters = key.length;
    }
    this.kept.set(key, policy);
    return policy;
  }
}

const filters = new Filters();

/** Returns whether an endpoint wants the event, or why its filter cannot be applied. */
function matcher({ data, attributes = {} }: FleetEvent): (match: MatchItem) => boolean | string {
  const document = parsedObject(data);
  const read = Object.entries(attributes).map(([name, { Type, Value }]) => [
    name,
    { DataType: Type, StringValue: Value },
  ]);
  const filterable = readAttributes(Object.fromEntries(read));
  return match => {
    if (!match.filter) return true;
    try {
      return filters.compiled(match).rejects({ filterable, document }) === undefined;
    } catch (error) {
      if (error instanceof FilterPolicyError) return `the filter of the endpoint is not valid: ${error.message}`;
      throw error;
    }
  };
}
