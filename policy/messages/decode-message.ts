import { isObject, type JsonObject, parseObject } from '../json-members';
import { type EnvelopedAttribute, type NotificationEnvelope, readEnvelope } from './envelope';
import { type QueueAttributes, timeIn } from './queue-attributes';

/** A message of a queue, as whoever received it has it. */
export interface QueueMessage {
  /** SQS's id, which a move or a redrive makes anew. */
  readonly messageId: string;
  readonly body: string;
  readonly attributes: QueueAttributes;
  /** When it was first put into a queue: SQS's own moves keep it, on a standard queue. */
  readonly sentAtMs: number;
  readonly firstReceivedAtMs: number;
  /** This receive included. */
  readonly receiveCount: number;
  /** Of a FIFO queue, and of fair ones. */
  readonly groupId?: string;
  readonly deduplicationId?: string;
  readonly sequenceNumber?: string;
  /** The queue SQS moved it from, by a redrive policy. */
  readonly movedFromArn?: string;
  /** X-Ray's. */
  readonly traceHeader?: string;
}

/** The records of a stream or topic a function failed at, which are in the source and not in the letter. */
export interface FailedBatch {
  readonly sourceArn?: string;
  readonly records?: number;
}

/** One thing that is said of a letter: who said it, and what. */
export type DecodedKind =
  /** SNS: an envelope, in a queue or among the dead letters of any subscription, or the event of a function. */
  | { readonly kind: 'notification'; readonly envelope: NotificationEnvelope }
  /** Lambda's dead letter of an event: the body is the event, the attributes say why. */
  | {
      readonly kind: 'function-event';
      /** As of HTTP: 200 where the function ran and failed, 429 where it was throttled, 403 where its role may not. */
      readonly errorCode: string;
      readonly errorMessage: string;
      readonly requestId: string;
    }
  /** Lambda's record of a failed invocation or batch, for a destination on failure. */
  | {
      readonly kind: 'invocation-record';
      /** With its version or alias. */
      readonly functionArn: string;
      /** Why Lambda gave up: `RetriesExhausted`, `EventAgeExceeded`. */
      readonly condition: string;
      /** What the function threw, `Type: message`. @default - it never ran, or answered nothing readable */
      readonly error?: string;
      readonly requestId?: string;
      readonly statusCode?: number;
      readonly invokeCount?: number;
      /** @default - the record is of an invocation, and holds its event */
      readonly batch?: FailedBatch;
    }
  /** EventBridge's or Scheduler's dead letter: the body is the event or input. */
  | {
      readonly kind: 'undelivered-event';
      readonly by: 'rule' | 'schedule';
      readonly byArn?: string;
      readonly targetArn?: string;
      readonly errorCode: string;
      readonly errorMessage: string;
      /** `MaximumRetryAttempts` or `MaximumEventAgeInSeconds`. @default - it was not tried again */
      readonly exhausted?: string;
      readonly retries?: number;
      /** Whether the body is only the beginning of the input. */
      readonly isTruncated?: boolean;
    }
  /** A relay of ours gave it up, and said why. */
  | {
      readonly kind: 'relayed';
      readonly cause: string;
      readonly reason: string;
      readonly destination: string;
      readonly statusCode?: number;
      readonly attemptsSpent?: number;
      readonly deadLetteredAtMs?: number;
    }
  /** A redrive of ours put it into a quarantine, and said why. */
  | {
      readonly kind: 'quarantined';
      readonly cause: string;
      readonly reason: string;
      readonly fromArn?: string;
      readonly quarantinedAtMs?: number;
    }
  /** Nobody says. */
  | { readonly kind: 'plain' };

/** A letter, understood. */
export interface DecodedMessage {
  readonly message: QueueMessage;
  /** Who spoke last. */
  readonly who: DecodedKind;
  /** Who spoke before that, the latest first: of a relay's letter the notification it was to deliver. */
  readonly before: readonly DecodedKind[];
  /** The notifications of SNS it holds, however they are wrapped: several where it is a batch. */
  readonly notifications: readonly NotificationEnvelope[];
  /**
   * What was meant to be delivered, without all that was put around it: of an envelope its message, of a record the event of
   * the invocation, else the body. A batch stays whole. Where it was inside JSON, it is that JSON written anew.
   */
  readonly payload: string;
  /** The payload as JSON has it, where it is. */
  readonly data?: unknown;
}

/** What attributes say, by their names; binary ones say nothing here. */
type Sayings = Readonly<Record<string, string>>;

type Said<Kind extends DecodedKind['kind']> = Extract<DecodedKind, { readonly kind: Kind }>;

/** How many wrappings are taken off. Our choice: more than all that AWS and we put around a message. */
const MOST_WRAPPINGS = 8;

function sayingsOf(attributes: QueueAttributes): Sayings {
  const said = Object.entries(attributes).flatMap(([name, { StringValue }]) =>
    StringValue === undefined ? [] : [[name, StringValue] as const],
  );
  return Object.fromEntries(said);
}

function envelopedSayings(attributes: Readonly<Record<string, EnvelopedAttribute>> = {}): Sayings {
  return Object.fromEntries(Object.entries(attributes).map(([name, { Value }]) => [name, Value]));
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function numberOf(value: unknown): number | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  const number = Number(value);
  return Number.isFinite(number) ? number : undefined;
}

/** The members that have a value. */
function known<T extends object>(members: { readonly [Name in keyof T]: T[Name] | undefined }): T {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as T;
}

function quarantined(said: Sayings): DecodedKind | undefined {
  const { QuarantineCause: cause, QuarantineReason: reason = '', QuarantinedFrom, QuarantinedAt = '' } = said;
  if (cause === undefined) return undefined;
  const quarantinedAtMs = timeIn(QuarantinedAt);
  return known<Said<'quarantined'>>({ kind: 'quarantined', cause, reason, fromArn: QuarantinedFrom, quarantinedAtMs });
}

function relayed(said: Sayings): DecodedKind | undefined {
  const { DeadLetterCause: cause, DeadLetterReason: reason, Destination: destination = '' } = said;
  if (cause === undefined || reason === undefined) return undefined;
  return known<Said<'relayed'>>({
    kind: 'relayed',
    cause,
    reason,
    destination,
    statusCode: numberOf(said['LastStatusCode']),
    attemptsSpent: numberOf(said['AttemptsSpent']),
    deadLetteredAtMs: timeIn(said['DeadLetteredAt'] ?? ''),
  });
}

/** @see https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-retain-records.html#invocation-dlq */
function functionEvent(said: Sayings): DecodedKind | undefined {
  const { RequestID: requestId, ErrorCode: errorCode, ErrorMessage: errorMessage = '' } = said;
  if (requestId === undefined || errorCode === undefined) return undefined;
  return { kind: 'function-event', errorCode, errorMessage, requestId };
}

/**
 * @see https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-rule-event-delivery.html#eb-rule-dlq
 * @see https://docs.aws.amazon.com/scheduler/latest/UserGuide/configuring-schedule-dlq.html
 */
function undeliveredEvent(said: Sayings): DecodedKind | undefined {
  const { RULE_ARN, SCHEDULE_ARN, TARGET_ARN, ERROR_CODE: errorCode, ERROR_MESSAGE: errorMessage = '' } = said;
  const byArn = SCHEDULE_ARN ?? RULE_ARN;
  if (byArn === undefined || errorCode === undefined) return undefined;
  return known<Said<'undelivered-event'>>({
    kind: 'undelivered-event',
    by: SCHEDULE_ARN === undefined ? 'rule' : 'schedule',
    byArn,
    targetArn: TARGET_ARN,
    errorCode,
    errorMessage,
    exhausted: said['EXHAUSTED_RETRY_CONDITION'],
    retries: numberOf(said['RETRY_ATTEMPTS']),
    isTruncated: said['IS_PAYLOAD_TRUNCATED'] === 'true' || undefined,
  });
}

/** Who leaves attributes beside a letter, the latest first: each keeps those that were there before. */
const BESIDE = [quarantined, relayed, functionEvent, undeliveredEvent];

/** What a wrapping says, and what is inside it: several things of a batch, nothing where it is elsewhere. */
interface Wrapping {
  readonly said?: DecodedKind;
  readonly inside: readonly Inside[];
}

interface Inside {
  readonly body: string;
  readonly said: Sayings;
}

function notification(envelope: NotificationEnvelope): Wrapping {
  const inside = { body: envelope.Message, said: envelopedSayings(envelope.MessageAttributes) };
  return { said: { kind: 'notification', envelope }, inside: [inside] };
}

/** A stream's or Kafka's: `KinesisBatchInfo`, `DDBStreamBatchInfo`, `KafkaBatchInfo`. */
function batchIn(record: JsonObject): FailedBatch | undefined {
  const [, info] = Object.entries(record).find(([name, value]) => name.endsWith('BatchInfo') && isObject(value)) ?? [];
  if (!isObject(info)) return undefined;
  const sourceArn = textOf(info['streamArn']) ?? textOf(info['eventSourceArn']);
  return known<FailedBatch>({ sourceArn, records: numberOf(info['batchSize']) });
}

function thrownIn(answer: unknown): string | undefined {
  if (!isObject(answer)) return undefined;
  const parts = [textOf(answer['errorType']), textOf(answer['errorMessage'])].filter(part => part !== undefined);
  return parts.length === 0 ? undefined : parts.join(': ');
}

/** @see https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-retain-records.html#invocation-async-destinations */
function invocationRecord(record: JsonObject): Wrapping | undefined {
  const { requestContext: context, responseContext: answered, requestPayload: event, responsePayload } = record;
  if (!isObject(context)) return undefined;
  const functionArn = textOf(context['functionArn']);
  const condition = textOf(context['condition']);
  if (functionArn === undefined || condition === undefined) return undefined;
  const said = known<Said<'invocation-record'>>({
    kind: 'invocation-record',
    functionArn,
    condition,
    error: thrownIn(responsePayload),
    requestId: textOf(context['requestId']),
    statusCode: isObject(answered) ? numberOf(answered['statusCode']) : undefined,
    invokeCount: numberOf(context['approximateInvokeCount']),
    batch: batchIn(record),
  });
  return { said, inside: event === undefined ? [] : [{ body: jsonText(event), said: {} }] };
}

function jsonText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** What SNS hands to a function, as the envelope it would be in a queue. */
function handedOver(sns: JsonObject): NotificationEnvelope | undefined {
  const { SigningCertUrl: SigningCertURL, UnsubscribeUrl: UnsubscribeURL, ...rest } = sns;
  const reading = readEnvelope(JSON.stringify({ SigningCertURL, UnsubscribeURL, ...rest }));
  return reading.kind === 'notification' ? reading.envelope : undefined;
}

/** A message of SQS, as a function is handed it. */
function queuedIn({ body, messageAttributes }: JsonObject): Inside | undefined {
  if (typeof body !== 'string') return undefined;
  const attributes = isObject(messageAttributes) ? Object.entries(messageAttributes) : [];
  const said = attributes.flatMap(([name, value]) => {
    const text = isObject(value) ? textOf(value['stringValue']) : undefined;
    return text === undefined ? [] : [[name, text] as const];
  });
  return { body, said: Object.fromEntries(said) };
}

/** The event a function was invoked with by SNS, or by SQS. */
function eventRecords({ Records: records }: JsonObject): Wrapping | undefined {
  if (!Array.isArray(records) || records.length === 0) return undefined;
  const wrapped = records.map((record): Wrapping | undefined => {
    if (!isObject(record)) return undefined;
    const envelope = isObject(record['Sns']) ? handedOver(record['Sns']) : undefined;
    if (envelope) return notification(envelope);
    const queued = queuedIn(record);
    return queued && { inside: [queued] };
  });
  const found = wrapped.filter(wrapping => wrapping !== undefined);
  if (found.length < records.length) return undefined;
  const [only] = found;
  if (only && found.length === 1) return only;
  const envelopes = found.flatMap(({ said }) =>
    said?.kind === 'notification' ? [{ body: JSON.stringify(said.envelope), said: {} }] : [],
  );
  return { inside: envelopes.length > 0 ? envelopes : found.flatMap(({ inside }) => inside) };
}

function wrappingOf(body: string): Wrapping | undefined {
  const members = parseObject(body);
  if (!members) return undefined;
  if (members['Type'] === 'Notification') {
    const reading = readEnvelope(body);
    return reading.kind === 'notification' ? notification(reading.envelope) : undefined;
  }
  return invocationRecord(members) ?? eventRecords(members);
}

interface Unwrapped {
  readonly kinds: readonly DecodedKind[];
  readonly notifications: readonly NotificationEnvelope[];
  readonly payload: string;
}

function unwrapped({ body, said }: Inside, wrappings: number): Unwrapped {
  const beside = BESIDE.flatMap(read => read(said) ?? []);
  const wrapping = wrappings < MOST_WRAPPINGS ? wrappingOf(body) : undefined;
  if (!wrapping) return { kinds: beside, notifications: [], payload: body };
  const kinds = [...beside, ...(wrapping.said ? [wrapping.said] : [])];
  const own = wrapping.said?.kind === 'notification' ? [wrapping.said.envelope] : [];
  const inside = wrapping.inside.map(part => unwrapped(part, wrappings + 1));
  const notifications = [...own, ...inside.flatMap(part => part.notifications)];
  const [only] = inside;
  // What is said of one message of a batch is not said of the batch.
  if (!only || inside.length > 1) return { kinds, notifications, payload: body };
  return { kinds: [...kinds, ...only.kinds], notifications, payload: only.payload };
}

function dataOf(payload: string): { readonly data?: unknown } {
  try {
    return { data: JSON.parse(payload) };
  } catch {
    return {};
  }
}

/** Understands a letter: who says what of it, and what it was to deliver. Whatever is none of that is `plain`. */
export function decodeMessage(message: QueueMessage): DecodedMessage {
  const { kinds, notifications, payload } = unwrapped({ body: message.body, said: sayingsOf(message.attributes) }, 0);
  const [who = { kind: 'plain' }, ...before] = kinds;
  return { message, who, before, notifications, payload, ...dataOf(payload) };
}
