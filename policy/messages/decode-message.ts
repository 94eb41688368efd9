import { isObject, type JsonObject, parseObject, withoutUndefined } from '../json-members';
import { type EnvelopedAttribute, type NotificationEnvelope, readEnvelope } from './envelope';
import { type QueueAttributes, timeIn } from './queue-attributes';

export interface QueueMessage {
  /** SQS's id. A move or a redrive creates a new one. */
  readonly messageId: string;
  readonly body: string;
  readonly attributes: QueueAttributes;
  /** When it was first sent to a queue. On a standard queue, moves by SQS keep this time. */
  readonly sentAtMs: number;
  readonly firstReceivedAtMs: number;
  /** This receive included. */
  readonly receiveCount: number;
  /** In FIFO queues and fair queues. */
  readonly groupId?: string;
  readonly deduplicationId?: string;
  readonly sequenceNumber?: string;
  /** The queue from which SQS moved it by a redrive policy. */
  readonly movedFromArn?: string;
  readonly traceHeader?: string;
}

/** The records of a stream or topic that a function failed on. The records are in the source, not in the message. */
interface FailedBatch {
  readonly sourceArn?: string;
  readonly records?: number;
}

/** One report about a message: who made it, and what it says. */
export type DecodedKind =
  /** SNS: an envelope in a queue, in any subscription's dead-letter queue, or in a function's event. */
  | { readonly kind: 'notification'; readonly envelope: NotificationEnvelope }
  /** Lambda's dead letter for an event: the body is the event, the attributes contain the error. */
  | {
      readonly kind: 'function-event';
      /**
       * Like an HTTP status: 200 if the function ran and failed, 429 if it was throttled, 403 if its role lacks a
       * permission.
       */
      readonly errorCode: string;
      readonly errorMessage: string;
      readonly requestId: string;
    }
  /** Lambda's record of a failed invocation or batch, sent to an on-failure destination. */
  | {
      readonly kind: 'invocation-record';
      /** With its version or alias. */
      readonly functionArn: string;
      /** Why Lambda gave up: `RetriesExhausted`, `EventAgeExceeded`. */
      readonly condition: string;
      /** What the function threw, `Type: message`. @default - the function never ran, or its answer cannot be read */
      readonly error?: string;
      readonly requestId?: string;
      readonly statusCode?: number;
      readonly invokeCount?: number;
      /** @default - the record is about an invocation, and contains its event */
      readonly batch?: FailedBatch;
    }
  /** The dead letter of EventBridge or EventBridge Scheduler: the body is the event or input. */
  | {
      readonly kind: 'undelivered-event';
      readonly by: 'rule' | 'schedule';
      readonly byArn?: string;
      readonly targetArn?: string;
      readonly errorCode: string;
      readonly errorMessage: string;
      /** `MaximumRetryAttempts` or `MaximumEventAgeInSeconds`. @default - EventBridge did not retry */
      readonly exhausted?: string;
      readonly retries?: number;
      /** Whether the body contains only the beginning of the input. */
      readonly isTruncated?: boolean;
    }
  /** One of our relays gave it up and recorded the reason. */
  | {
      readonly kind: 'relayed';
      readonly cause: string;
      readonly reason: string;
      readonly destination: string;
      readonly statusCode?: number;
      readonly attemptsSpent?: number;
      readonly deadLetteredAtMs?: number;
    }
  /** One of our redrives sent it to a quarantine queue and recorded the reason. */
  | {
      readonly kind: 'quarantined';
      readonly cause: string;
      readonly reason: string;
      readonly fromArn?: string;
      readonly quarantinedAtMs?: number;
    }
  /** There is no report. */
  | { readonly kind: 'plain' };

export interface DecodedMessage {
  readonly message: QueueMessage;
  /** The latest report. */
  readonly who: DecodedKind;
  /**
   * Earlier reports, the latest first. For a relay's dead letter, this includes the notification that it was to
   * deliver.
   */
  readonly before: readonly DecodedKind[];
  /** The SNS notifications it contains, however deeply wrapped: several in a batch. */
  readonly notifications: readonly NotificationEnvelope[];
  /**
   * What was to be delivered, without its wrapping: the message of an envelope, the event of an invocation record, else
   * the body. A batch stays whole. If the payload was inside JSON, it is serialized again.
   */
  readonly payload: string;
  /** The payload as JSON; absent if it is not JSON. */
  readonly data?: unknown;
}

/** String attributes by name. Binary attributes are left out. */
type AttributeTexts = Readonly<Record<string, string>>;

type Report<Kind extends DecodedKind['kind']> = Extract<DecodedKind, { readonly kind: Kind }>;

/** How many layers are unwrapped: more than AWS and our functions together ever put around a message. */
const MOST_LAYERS = 8;

function attributeTexts(attributes: QueueAttributes): AttributeTexts {
  const texts = Object.entries(attributes).flatMap(([name, { StringValue }]) =>
    StringValue === undefined ? [] : [[name, StringValue] as const],
  );
  return Object.fromEntries(texts);
}

function envelopeTexts(attributes: Readonly<Record<string, EnvelopedAttribute>> = {}): AttributeTexts {
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

function quarantined(texts: AttributeTexts): DecodedKind | undefined {
  const { QuarantineCause: cause, QuarantineReason: reason = '', QuarantinedFrom, QuarantinedAt = '' } = texts;
  if (cause === undefined) return undefined;
  const quarantinedAtMs = timeIn(QuarantinedAt);
  return withoutUndefined<Report<'quarantined'>>({
    kind: 'quarantined',
    cause,
    reason,
    fromArn: QuarantinedFrom,
    quarantinedAtMs,
  });
}

function relayed(texts: AttributeTexts): DecodedKind | undefined {
  const { DeadLetterCause: cause, DeadLetterReason: reason, Destination: destination = '' } = texts;
  if (cause === undefined || reason === undefined) return undefined;
  return withoutUndefined<Report<'relayed'>>({
    kind: 'relayed',
    cause,
    reason,
    destination,
    statusCode: numberOf(texts['LastStatusCode']),
    attemptsSpent: numberOf(texts['AttemptsSpent']),
    deadLetteredAtMs: timeIn(texts['DeadLetteredAt'] ?? ''),
  });
}

/** @see https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-retain-records.html#invocation-dlq */
function functionEvent(texts: AttributeTexts): DecodedKind | undefined {
  const { RequestID: requestId, ErrorCode: errorCode, ErrorMessage: errorMessage = '' } = texts;
  if (requestId === undefined || errorCode === undefined) return undefined;
  return { kind: 'function-event', errorCode, errorMessage, requestId };
}

/**
 * @see https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-rule-event-delivery.html#eb-rule-dlq
 * @see https://docs.aws.amazon.com/scheduler/latest/UserGuide/configuring-schedule-dlq.html
 */
function undeliveredEvent(texts: AttributeTexts): DecodedKind | undefined {
  const { RULE_ARN, SCHEDULE_ARN, TARGET_ARN, ERROR_CODE: errorCode, ERROR_MESSAGE: errorMessage = '' } = texts;
  const byArn = SCHEDULE_ARN ?? RULE_ARN;
  if (byArn === undefined || errorCode === undefined) return undefined;
  return withoutUndefined<Report<'undelivered-event'>>({
    kind: 'undelivered-event',
    by: SCHEDULE_ARN === undefined ? 'rule' : 'schedule',
    byArn,
    targetArn: TARGET_ARN,
    errorCode,
    errorMessage,
    exhausted: texts['EXHAUSTED_RETRY_CONDITION'],
    retries: numberOf(texts['RETRY_ATTEMPTS']),
    isTruncated: texts['IS_PAYLOAD_TRUNCATED'] === 'true' || undefined,
  });
}

/**
 * Readers of the attributes that explain a dead letter, the latest writer first. Each writer keeps the attributes that
 * were there before.
 */
const REPORT_READERS = [quarantined, relayed, functionEvent, undeliveredEvent];

/**
 * One layer around a message: what it says, and what it contains. A batch contains several messages; a record may
 * contain none.
 */
interface Layer {
  readonly report?: DecodedKind;
  readonly inside: readonly Content[];
}

interface Content {
  readonly body: string;
  readonly texts: AttributeTexts;
}

function notification(envelope: NotificationEnvelope): Layer {
  const inside = { body: envelope.Message, texts: envelopeTexts(envelope.MessageAttributes) };
  return { report: { kind: 'notification', envelope }, inside: [inside] };
}

/** Reads the failed batch of a stream or Kafka record: `KinesisBatchInfo`, `DDBStreamBatchInfo` or `KafkaBatchInfo`. */
function batchIn(record: JsonObject): FailedBatch | undefined {
  const [, info] = Object.entries(record).find(([name, value]) => name.endsWith('BatchInfo') && isObject(value)) ?? [];
  if (!isObject(info)) return undefined;
  const sourceArn = textOf(info['streamArn']) ?? textOf(info['eventSourceArn']);
  return withoutUndefined<FailedBatch>({ sourceArn, records: numberOf(info['batchSize']) });
}

function thrownIn(answer: unknown): string | undefined {
  if (!isObject(answer)) return undefined;
  const parts = [textOf(answer['errorType']), textOf(answer['errorMessage'])].filter(part => part !== undefined);
  return parts.length === 0 ? undefined : parts.join(': ');
}

/** @see https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-retain-records.html#invocation-async-destinations */
function invocationRecord(record: JsonObject): Layer | undefined {
  const { requestContext: context, responseContext: answered, requestPayload: event, responsePayload } = record;
  if (!isObject(context)) return undefined;
  const functionArn = textOf(context['functionArn']);
  const condition = textOf(context['condition']);
  if (functionArn === undefined || condition === undefined) return undefined;
  const report = withoutUndefined<Report<'invocation-record'>>({
    kind: 'invocation-record',
    functionArn,
    condition,
    error: thrownIn(responsePayload),
    requestId: textOf(context['requestId']),
    statusCode: isObject(answered) ? numberOf(answered['statusCode']) : undefined,
    invokeCount: numberOf(context['approximateInvokeCount']),
    batch: batchIn(record),
  });
  return { report, inside: event === undefined ? [] : [{ body: jsonText(event), texts: {} }] };
}

function jsonText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function envelopeOfFunctionEvent(sns: JsonObject): NotificationEnvelope | undefined {
  const { SigningCertUrl: SigningCertURL, UnsubscribeUrl: UnsubscribeURL, ...rest } = sns;
  const reading = readEnvelope(JSON.stringify({ SigningCertURL, UnsubscribeURL, ...rest }));
  return reading.kind === 'notification' ? reading.envelope : undefined;
}

function queuedIn({ body, messageAttributes }: JsonObject): Content | undefined {
  if (typeof body !== 'string') return undefined;
  const attributes = isObject(messageAttributes) ? Object.entries(messageAttributes) : [];
  const texts = attributes.flatMap(([name, value]) => {
    const text = isObject(value) ? textOf(value['stringValue']) : undefined;
    return text === undefined ? [] : [[name, text] as const];
  });
  return { body, texts: Object.fromEntries(texts) };
}

function eventRecords({ Records: records }: JsonObject): Layer | undefined {
  if (!Array.isArray(records) || records.length === 0) return undefined;
  const wrapped = records.map((record): Layer | undefined => {
    if (!isObject(record)) return undefined;
    const envelope = isObject(record['Sns']) ? envelopeOfFunctionEvent(record['Sns']) : undefined;
    if (envelope) return notification(envelope);
    const queued = queuedIn(record);
    return queued && { inside: [queued] };
  });
  const found = wrapped.filter(wrapping => wrapping !== undefined);
  if (found.length < records.length) return undefined;
  const [only] = found;
  if (only && found.length === 1) return only;
  const envelopes = found.flatMap(({ report }) =>
    report?.kind === 'notification' ? [{ body: JSON.stringify(report.envelope), texts: {} }] : [],
  );
  return { inside: envelopes.length > 0 ? envelopes : found.flatMap(({ inside }) => inside) };
}

function layerOf(body: string): Layer | undefined {
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

function unwrapped({ body, texts }: Content, wrappings: number): Unwrapped {
  const reports = REPORT_READERS.flatMap(read => read(texts) ?? []);
  const wrapping = wrappings < MOST_LAYERS ? layerOf(body) : undefined;
  if (!wrapping) return { kinds: reports, notifications: [], payload: body };
  const kinds = [...reports, ...(wrapping.report ? [wrapping.report] : [])];
  const own = wrapping.report?.kind === 'notification' ? [wrapping.report.envelope] : [];
  const inside = wrapping.inside.map(part => unwrapped(part, wrappings + 1));
  const notifications = [...own, ...inside.flatMap(part => part.notifications)];
  const [only] = inside;
  // What is known about one message of a batch is not true of the whole batch.
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

/**
 * Decodes a message from a dead-letter queue: who reported a failure, and what was to be delivered. A message without
 * any such report is `plain`.
 */
export function decodeMessage(message: QueueMessage): DecodedMessage {
  const { kinds, notifications, payload } = unwrapped(
    { body: message.body, texts: attributeTexts(message.attributes) },
    0,
  );
  const [who = { kind: 'plain' }, ...before] = kinds;
  return { message, who, before, notifications, payload, ...dataOf(payload) };
}
