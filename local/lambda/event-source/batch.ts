import type { Message, MessageAttributeValue } from '@aws-sdk/client-sqs';
import { compileEventPattern, type EventPattern } from '../../event-pattern';
import { isMembers } from '../../kernel/json';
import type { Outcome } from '../invocation';

/** An event may have 6 MB, the members around the messages included. */
const MOST_BYTES = 6 * 1024 * 1024 - 1024;

/** Messages on their way into the function, in their order: those that fit into one event, and those of the next. */
export class OpenBatch {
  private batches: Message[][] = [];
  private bytes = 0;
  private count = 0;

  /** How many messages there are. */
  get size(): number {
    return this.count;
  }

  /** Whether there are more than fit into one event. */
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

  /** Takes everything out, in batches that fit into an event each. */
  take(): readonly (readonly Message[])[] {
    const { batches } = this;
    this.batches = [];
    this.bytes = 0;
    this.count = 0;
    return batches;
  }
}

/** Where messages come from. */
export interface MessageSource {
  readonly queueArn: string;
  readonly region: string;
}

/**
 * The event a function gets for messages of a queue.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/with-sqs.html#example-standard-queue-message-event
 */
export function sqsEvent(messages: readonly Message[], source: MessageSource): string {
  return JSON.stringify({ Records: messages.map(message => sqsRecord(message, source)) });
}

/** One record of it. */
export function sqsRecord(message: Message, { queueArn: eventSourceARN, region: awsRegion }: MessageSource) {
  return {
    messageId: message.MessageId,
    receiptHandle: message.ReceiptHandle,
    body: message.Body,
    attributes: message.Attributes ?? {},
    messageAttributes: messageAttributes(message.MessageAttributes ?? {}),
    ...(message.MD5OfMessageAttributes && { md5OfMessageAttributes: message.MD5OfMessageAttributes }),
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

/** Bytes a message takes of the 6 MB an event may have. */
export function messageBytes(message: Message): number {
  return Buffer.byteLength(JSON.stringify(message));
}

/** What a pattern says of the body: that it has JSON members, that it is a text, or nothing at all. */
type BodyPattern = 'json' | 'text' | 'any';

interface Filter {
  readonly body: BodyPattern;
  readonly matches: EventPattern;
}

/**
 * Which messages a mapping invokes its function for: those that match one of its filters. AWS compares how a filter has
 * the body with what the body is: where one is JSON and the other a plain text, the message is dropped. By our choice a
 * body is JSON when it is an object or a list: a text such as `42` may as well be meant as one.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/with-sqs-filtering.html
 */
export class MessageFilter {
  private readonly filters: readonly Filter[];

  /**
   * @param patterns none lets every message pass
   * @throws EventPatternError for a pattern that is none
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

/** What a pattern says of the body, at its top or in one of its alternatives. */
function bodyPattern(pattern: unknown): BodyPattern {
  if (!isMembers(pattern)) return 'any';
  const { body, $or: alternatives } = pattern;
  if (body !== undefined) return isMembers(body) ? 'json' : 'text';
  if (!Array.isArray(alternatives)) return 'any';
  return alternatives.map(bodyPattern).find(kind => kind !== 'any') ?? 'any';
}

function jsonDocument(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    // A plain text that begins like JSON.
    return undefined;
  }
}

/**
 * Which messages of a batch the function did not process. Without `ReportBatchItemFailures` a batch succeeds or fails as
 * a whole. With it, the answer names the failed ones, and an answer that cannot be read that way fails them all.
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

/** The message a failure names; an empty text, which is the id of none, when it names none. */
function identifierOf(failure: unknown): string {
  if (typeof failure !== 'object' || failure === null || !('itemIdentifier' in failure)) return '';
  return typeof failure.itemIdentifier === 'string' ? failure.itemIdentifier : '';
}
