import type { Message, MessageAttributeValue } from '@aws-sdk/client-sqs';
import { compileEventPattern, type EventPattern } from '../../../policy/event-pattern/event-pattern';
import { isObject } from '../../kernel/json';
import type { Outcome } from '../invocation';

/** The maximum size of an event is 6 MB, including the members around the messages. */
const MOST_BYTES = 6 * 1024 * 1024 - 1024;

/** Received messages that wait for an invocation, in order: those that fit into one event, and the rest. */
export class OpenBatch {
  private batches: Message[][] = [];
  private bytes = 0;
  private count = 0;

  get size(): number {
    return this.count;
  }

  /** Whether the messages do not fit into one event. */
  get overflows(): boolean {
    return this.batches.length > 1;
  }

  add(messages: readonly Message[]): void {
    for (const message of messages) {
      const more = messageBytes(message);
      const last = this.batches.at(-1);
      if (last && this.bytes + more <= MOST_BYTES) {
        last.push(message);
        this.bytes += more;
      } else {
        this.batches.push([message]);
        this.bytes = more;
      }
      this.count += 1;
    }
  }

  /** Removes and returns all messages, in batches that each fit into one event. */
  take(): readonly (readonly Message[])[] {
    const { batches } = this;
    this.batches = [];
    this.bytes = 0;
    this.count = 0;
    return batches;
  }
}

export interface MessageSource {
  readonly queueArn: string;
  readonly region: string;
}

/**
 * Builds the event with which Lambda passes messages of a queue to a function.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/with-sqs.html#example-standard-queue-message-event
 */
export function sqsEvent(messages: readonly Message[], source: MessageSource): string {
  return JSON.stringify({ Records: messages.map(message => sqsRecord(message, source)) });
}

function sqsRecord(message: Message, { queueArn: eventSourceARN, region: awsRegion }: MessageSource) {
  return {
    messageId: message.MessageId,
    receiptHandle: message.ReceiptHandle,
    body: message.Body,
    attributes: message.Attributes ?? {},
    messageAttributes: messageAttributes(message.MessageAttributes ?? {}),
    // Recorded on AWS: it is null for a message without attributes.
    md5OfMessageAttributes: message.MD5OfMessageAttributes ?? null,
    md5OfBody: message.MD5OfBody,
    eventSource: 'aws:sqs',
    eventSourceARN,
    awsRegion,
  };
}

function messageAttributes(attributes: Readonly<Record<string, MessageAttributeValue>>): object {
  const entries = Object.entries(attributes).map(([name, { DataType, StringValue, BinaryValue }]) => {
    const value = BinaryValue
      ? { binaryValue: Buffer.from(BinaryValue).toString('base64') }
      : { stringValue: StringValue };
    return [name, { ...value, stringListValues: [], binaryListValues: [], dataType: DataType }];
  });
  return Object.fromEntries(entries);
}

function messageBytes(message: Message): number {
  return Buffer.byteLength(JSON.stringify(message));
}

/** The kind of body that a pattern requires: JSON, plain text, or either. */
type BodyPattern = 'json' | 'text' | 'any';

interface Filter {
  readonly body: BodyPattern;
  readonly matches: EventPattern;
}

/**
 * Selects the messages for which a mapping invokes its function: those that match one of its filters. AWS drops a
 * message whose body has a different kind than the filter requires: JSON or plain text.
 *
 * **Assumption LAMBDA-7:** AWS does not publish which bodies count as JSON. Here an object or a list does; a body such
 * as `42` may also be meant as text.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/with-sqs-filtering.html
 */
export class MessageFilter {
  private readonly filters: readonly Filter[];

  /**
   * @param patterns an empty list accepts every message
   * @throws EventPatternError for an invalid pattern
   */
  constructor(
    patterns: readonly string[],
    private readonly source: MessageSource,
  ) {
    this.filters = patterns.map(pattern => ({
      matches: compileEventPattern(pattern),
      body: bodyPattern(JSON.parse(pattern)),
    }));
  }

  passes(message: Message): boolean {
    if (this.filters.length === 0) return true;
    const record = sqsRecord(message, this.source);
    const document = jsonDocument(message.Body ?? '');
    const asJson = document === undefined ? undefined : { ...record, body: document };
    return this.filters.some(({ body, matches }) => {
      if (body === 'any') return matches(record);
      if (body === 'text') return !asJson && matches(record);
      return asJson !== undefined && matches(asJson);
    });
  }
}

/** Returns the kind of body that a pattern requires, at its top level or in one of its alternatives. */
function bodyPattern(pattern: unknown): BodyPattern {
  if (!isObject(pattern)) return 'any';
  const { body, $or: alternatives } = pattern;
  if (body !== undefined) return isObject(body) ? 'json' : 'text';
  if (!Array.isArray(alternatives)) return 'any';
  return alternatives.map(bodyPattern).find(kind => kind !== 'any') ?? 'any';
}

function jsonDocument(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    // Plain text that begins like JSON.
    return undefined;
  }
}

/**
 * Returns the messages of a batch that the function failed to process. Without `ReportBatchItemFailures` the batch
 * succeeds or fails as a whole. With it, the response lists the failed messages, and a malformed response fails all of
 * them.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-errorhandling.html#services-sqs-batchfailurereporting
 */
export function failedMessages(
  messageIds: readonly string[],
  outcome: Outcome,
  reportsItemFailures: boolean,
): ReadonlySet<string> {
  const none = new Set<string>();
  const all = new Set(messageIds);
  if (outcome.kind !== 'success') return all;
  if (!reportsItemFailures) return none;
  const answer: unknown = JSON.parse(outcome.payload);
  if (answer === null || answer === '') return none;
  if (typeof answer !== 'object' || Array.isArray(answer)) return all;
  const failures: unknown = 'batchItemFailures' in answer ? answer.batchItemFailures : null;
  if (failures === null) return none;
  if (!Array.isArray(failures)) return all;
  const failed = new Set(failures.map(identifierOf));
  return [...failed].every(id => all.has(id)) ? failed : all;
}

/** Returns the message id that a failure names. Returns '', which is no message's id, if the failure is malformed. */
function identifierOf(failure: unknown): string {
  if (typeof failure !== 'object' || failure === null || !('itemIdentifier' in failure)) return '';
  return typeof failure.itemIdentifier === 'string' ? failure.itemIdentifier : '';
}
