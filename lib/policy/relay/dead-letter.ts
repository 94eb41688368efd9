import { QUEUE_LIMITS } from '../limits/queue-limits';
import type { DeadLetterCause } from './relay-step';

/** A message attribute of SQS. */
export interface QueueAttribute {
  /** `String`, `Number` or `Binary`, with a label of the sender's after a dot. */
  readonly DataType: string;
  readonly StringValue?: string;
  readonly BinaryValue?: Uint8Array;
}

export type QueueAttributes = Readonly<Record<string, QueueAttribute>>;

/** What is told of a message that is given up. */
export interface DeadLetterFacts {
  readonly cause: DeadLetterCause;
  readonly reason: string;
  /**
   * How many attempts of the schedule were spent, the initial one included: those that were made, and receives that came to
   * none although their time had come, throttled or not tried. SQS counts receives and nothing else, so nobody can tell them apart.
   */
  readonly attemptsSpent: number;
  /**
   * The status of the last answer.
   * @default - the last attempt had none
   */
  readonly lastStatusCode?: number;
  /** When the relay's queue got the message. */
  readonly sentAtMs: number;
  readonly firstReceivedAtMs: number;
  readonly deadLetteredAtMs: number;
  /** The endpoint, as records may show it. */
  readonly destination: string;
}

/** The attributes a dead letter is sent with. */
export interface DeadLetterAttributes {
  readonly attributes: QueueAttributes;
  /** The names of what did not fit, in the order it was tried. */
  readonly omitted: readonly string[];
}

/**
 * How many attributes a message can have.
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-message-metadata.html
 */
const MAX_ATTRIBUTES = 10;

/**
 * Characters a message of SQS cannot have: what XML 1.0 leaves out, and halves of surrogate pairs.
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessage.html
 */
const UNSENDABLE = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu;

function text(value: string): QueueAttribute {
  return { DataType: 'String', StringValue: value.replace(UNSENDABLE, '\u{fffd}') };
}

function number(value: number): QueueAttribute {
  return { DataType: 'Number', StringValue: String(value) };
}

function time(ms: number): QueueAttribute {
  return text(new Date(ms).toISOString());
}

/** What the relay says, by its importance. SQS refuses an empty value, and so an empty text is left out. */
function reasonAttributes(facts: DeadLetterFacts): [string, QueueAttribute][] {
  const { lastStatusCode } = facts;
  const attributes: [string, QueueAttribute][] = [
    ['DeadLetterCause', text(facts.cause)],
    ['DeadLetterReason', text(facts.reason)],
    ['AttemptsSpent', number(facts.attemptsSpent)],
    ...(lastStatusCode === undefined ? [] : [['LastStatusCode', number(lastStatusCode)] as [string, QueueAttribute]]),
    ['Destination', text(facts.destination)],
    ['SentAt', time(facts.sentAtMs)],
    ['FirstReceivedAt', time(facts.firstReceivedAtMs)],
    ['DeadLetteredAt', time(facts.deadLetteredAtMs)],
  ];
  return attributes.filter(([, { StringValue }]) => StringValue !== '');
}

/** Name, type and value count alike. */
function bytesOf([name, { DataType, StringValue = '', BinaryValue }]: [string, QueueAttribute]): number {
  const value = BinaryValue?.byteLength ?? Buffer.byteLength(StringValue);
  return Buffer.byteLength(name) + Buffer.byteLength(DataType) + value;
}

/**
 * The attributes that fit beside `body`: what the relay has to say first, then what the message came with. One that came by
 * a name of the relay's, as when the letter was dead once before, gives way to the relay's.
 *
 * @param original the attributes the message came with
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-messages.html
 */
export function deadLetterAttributes(
  facts: DeadLetterFacts,
  body: string,
  original: QueueAttributes = {},
): DeadLetterAttributes {
  const reasons = reasonAttributes(facts);
  const taken = new Set(reasons.map(([name]) => name));
  const others = Object.entries(original).filter(([name]) => !taken.has(name));
  const attributes: Record<string, QueueAttribute> = {};
  const omitted: string[] = [];
  let room = QUEUE_LIMITS.messageBytes.max - Buffer.byteLength(body);
  let places = MAX_ATTRIBUTES;
  for (const entry of [...reasons, ...others]) {
    const bytes = bytesOf(entry);
    if (places === 0 || bytes > room) {
      omitted.push(entry[0]);
      continue;
    }
    attributes[entry[0]] = entry[1];
    room -= bytes;
    places -= 1;
  }
  return { attributes, omitted };
}
