import { atLeast, type MemberRule, memberProblems, must, nonEmptyText, parseObject } from '../json-members';
import { areAttributes, type EnvelopedAttribute, type NotificationEnvelope, readEnvelope } from '../messages/envelope';
import type { Problem } from '../problem';
import { type EndpointName, eventType, nameCheck } from './endpoint';

/** An event in the events queue of a fleet, for every endpoint of the tenant that it matches. */
export interface FleetEvent {
  /** The same in every copy of the event: SNS's message id, or what the sender chose. */
  readonly id: string;
  readonly tenant: string;
  readonly type: string;
  /** What the endpoints get, as it is: JSON. */
  readonly data: string;
  /** For filters with the scope `MessageAttributes`, as in an SNS envelope. @default - none */
  readonly attributes?: Readonly<Record<string, EnvelopedAttribute>>;
  /** The endpoint after which the next page of endpoints begins. @default - the first page */
  readonly after?: string;
  /** When the fleet took the event, at most an hour ago: set with `after`. @default - when this message was sent */
  readonly sentAtMs?: number;
}

/**
 * The largest message in the events queue, in bytes. A delivery of it fits into a message of SQS and into an item of DynamoDB, with
 * all that is added to it.
 */
export const MAX_EVENT_BYTES = 256 * 1_024;

/** A message in the deliveries queue, or parked: one event for one endpoint. */
export interface Delivery extends EndpointName {
  /** The `webhook-id`: the same for the same event and endpoint. */
  readonly id: string;
  readonly eventId: string;
  readonly type: string;
  readonly data: string;
  /** When the fleet took the event, in milliseconds since the Unix epoch. */
  readonly sentAtMs: number;
  /** Attempts before this message was sent to the queue. */
  readonly attempts: number;
  /** The `createdAtMs` of the endpoint that it is for: another endpoint of that name does not get it. @default - any may get it */
  readonly endpointCreatedAtMs?: number;
  /**
   * It probes an endpoint whose breaker is open, and stays parked with this due time until the probe succeeds.
   * @default - it is no probe, and not parked
   */
  readonly probeDueAtMs?: number;
  /**
   * It was parked with this due time, and the prober deletes that copy after sending this one. So if it is parked again, it gets a later
   * due time: otherwise the prober could delete the new copy.
   * @default - it was not parked
   */
  readonly returnedDueAtMs?: number;
  /** How often it was sent again to wait for a turn or a slot. @default 0 */
  readonly waits?: number;
}

/** Whether a message is for this endpoint, and not for one of the same name that was removed. */
export function isFor(
  { endpointCreatedAtMs }: Pick<Delivery, 'endpointCreatedAtMs'>,
  { createdAtMs }: { readonly createdAtMs: number },
): boolean {
  return endpointCreatedAtMs === undefined || endpointCreatedAtMs === createdAtMs;
}

/** The message attributes, and the members of a sender's event, that say for whom an event is. */
const TENANT_ATTRIBUTE = 'tenant';
const TYPE_ATTRIBUTE = 'type';

export type FleetEventReading =
  | { readonly kind: 'event'; readonly event: FleetEvent }
  | { readonly kind: 'problems'; readonly problems: readonly Problem[] };

const text = must('must be a string', value => typeof value === 'string');

const MEMBERS: Readonly<Record<keyof FleetEvent, MemberRule>> = {
  id: { check: nonEmptyText },
  tenant: { check: nameCheck },
  type: { check: eventType },
  data: { check: text },
  attributes: {
    check: must('must be an object of objects with Type and Value, both strings', areAttributes),
    isOptional: true,
  },
  after: { check: nonEmptyText, isOptional: true },
  sentAtMs: { check: atLeast(0), isOptional: true },
};

const DELIVERY_MEMBERS: Readonly<Record<keyof Delivery, MemberRule>> = {
  id: { check: nonEmptyText },
  tenant: { check: nameCheck },
  endpoint: { check: nameCheck },
  eventId: { check: nonEmptyText },
  type: { check: nonEmptyText },
  data: { check: text },
  sentAtMs: { check: atLeast(0) },
  attempts: { check: atLeast(0) },
  endpointCreatedAtMs: { check: atLeast(0), isOptional: true },
  probeDueAtMs: { check: atLeast(0), isOptional: true },
  returnedDueAtMs: { check: atLeast(0), isOptional: true },
  waits: { check: atLeast(0), isOptional: true },
};

/** Two characters of JSON that SQS refuses in a message. */
const REFUSED = /[\ufffe\uffff]/g;

/** Writes the body of a message of a queue. */
export function messageText(message: object): string {
  return JSON.stringify(message).replace(REFUSED, one => `\\u${one.charCodeAt(0).toString(16)}`);
}

/** Reads the body of a message in the events queue: an SNS notification with the attributes `tenant` and `type`, or a sender's event. */
export function readFleetEvent(body: string): FleetEventReading {
  const reading = readEnvelope(body);
  const value = reading.kind === 'notification' ? membersOf(reading.envelope) : parseObject(body);
  if (!value) {
    return {
      kind: 'problems',
      problems: [{ property: 'the event', rule: 'must be a JSON object', value: `${body.length} characters` }],
    };
  }
  const problems = memberProblems(MEMBERS, value, '');
  return problems.length > 0
    ? { kind: 'problems', problems }
    : { kind: 'event', event: value as unknown as FleetEvent };
}

/** The members of an event that a topic sent. They are not checked yet. */
function membersOf({ MessageId: id, Message: data, MessageAttributes: attributes = {} }: NotificationEnvelope) {
  const textOf = (name: string) => attributes[name]?.Value;
  return { id, tenant: textOf(TENANT_ATTRIBUTE), type: textOf(TYPE_ATTRIBUTE), data, attributes };
}

/** Reads the body of a message in the deliveries queue; undefined if it is none. Only the fleet itself writes them. */
export function readDelivery(body: string): Delivery | undefined {
  const value = parseObject(body);
  const isDelivery = value && memberProblems(DELIVERY_MEMBERS, value, '').length === 0;
  return isDelivery ? (value as unknown as Delivery) : undefined;
}
