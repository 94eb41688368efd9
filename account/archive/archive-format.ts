import {
  booleanValue,
  type Check,
  isObject,
  type JsonObject,
  type MemberRule,
  memberProblems,
  must,
  nonEmptyText,
  parseObject,
  wholeNumber,
} from '../../policy/json-members';
import type { QueueAttributes } from '../../policy/messages/queue-attributes';
import { formatProblem } from '../../policy/problem';
import type { MessageCounts } from '../messages/each-message';
import type { HeldMessage } from '../messages/message-hold';

/** Identifies a file as an export. */
export const ARCHIVE_FORMAT = { format: 'dead-letter-office/messages', version: 1 } as const;

/** The first line. */
export interface ArchiveHeader {
  readonly format: string;
  readonly version: number;
  readonly queueArn: string;
  /** ISO 8601. */
  readonly exportedAt: string;
  /** Whether values are hidden in the bodies. @default false */
  readonly isRedacted?: boolean;
}

/** One line of the file: a message. */
export interface ArchivedMessage {
  readonly messageId: string;
  readonly body: string;
  readonly attributes: Readonly<Record<string, AttributeDocument>>;
  /** Its system attributes, by SQS's names: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_ReceiveMessage.html */
  readonly system: Readonly<Record<string, string>>;
}

/** The last line. */
export interface ArchiveEnd {
  readonly messages: number;
  /** The hash of all bytes before this line, in hexadecimal. */
  readonly sha256: string;
  /** Whether SQS counted no other messages in the queue. */
  readonly isComplete: boolean;
  readonly unseen: MessageCounts;
}

export type ArchiveLine =
  | { readonly archive: ArchiveHeader }
  | { readonly message: ArchivedMessage }
  | { readonly end: ArchiveEnd };

export function lineOf(line: ArchiveLine): string {
  return `${JSON.stringify(line)}\n`;
}

export function archivedMessage({ messageId, body, attributes, system }: HeldMessage): ArchivedMessage {
  return { messageId, body, attributes: attributesDocument(attributes), system };
}

export function attributesIn({ attributes }: Pick<ArchivedMessage, 'attributes'>): QueueAttributes {
  const entries = Object.entries(attributes).map(([name, { type: DataType, value, base64 }]) => {
    const BinaryValue = base64 === undefined ? undefined : new Uint8Array(Buffer.from(base64, 'base64'));
    return [
      name,
      { DataType, ...(value !== undefined && { StringValue: value }), ...(BinaryValue && { BinaryValue }) },
    ];
  });
  return Object.fromEntries(entries);
}

function objectWith(table: Readonly<Record<string, MemberRule>>): Check {
  return (value, property) =>
    isObject(value) ? memberProblems(table, value, `${property}.`) : [{ property, rule: 'must be an object', value }];
}

function recordOf(check: Check): Check {
  return (value, property) =>
    isObject(value)
      ? Object.entries(value).flatMap(([name, entry]) => check(entry, `${property}.${name}`))
      : [{ property, rule: 'must be an object', value }];
}

const count = wholeNumber(0, Number.MAX_SAFE_INTEGER);
const string = must('must be a string', value => typeof value === 'string');
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const base64 = must('must be bytes in base64', value => typeof value === 'string' && BASE64.test(value));

const oneValue: Check = (value, property) => {
  const { value: texts, base64: bytes } = Object(value) as JsonObject;
  const isOne = (texts === undefined) !== (bytes === undefined);
  return isOne ? [] : [{ property, rule: 'must have either a value or base64', value }];
};

const ATTRIBUTE = objectWith({
  type: { check: nonEmptyText },
  value: { check: string, isOptional: true },
  base64: { check: base64, isOptional: true },
});

const attribute: Check = (value, property) => {
  const problems = ATTRIBUTE(value, property);
  return problems.length > 0 ? problems : oneValue(value, property);
};

export const attributesCheck: Check = recordOf(attribute);

const UNSEEN = objectWith({ visible: { check: count }, inFlight: { check: count }, delayed: { check: count } });

const { format, version } = ARCHIVE_FORMAT;

/** The rules for each kind of line. */
const CHECKS = {
  archive: objectWith({
    format: { check: must(`must be ${format}`, value => value === format) },
    version: { check: must(`must be ${version}, the version this dlo reads`, value => value === version) },
    queueArn: { check: nonEmptyText },
    exportedAt: { check: nonEmptyText },
    isRedacted: { check: booleanValue, isOptional: true },
  }),
  message: objectWith({
    messageId: { check: nonEmptyText },
    body: { check: nonEmptyText },
    attributes: { check: attributesCheck },
    system: { check: recordOf(string) },
  }),
  end: objectWith({
    messages: { check: count },
    sha256: { check: must('must be a SHA-256 in hexadecimal', value => /^[0-9a-f]{64}$/.test(String(value))) },
    isComplete: { check: booleanValue },
    unseen: { check: UNSEEN },
  }),
} as const satisfies Record<string, Check>;

const KINDS = ['archive', 'message', 'end'] as const;

export type LineReading = { readonly line: ArchiveLine } | { readonly problems: readonly string[] };

export function readLine(written: string): LineReading {
  const members = parseObject(written);
  const kind = members && KINDS.find(name => Object.hasOwn(members, name));
  if (!members || kind === undefined || Object.keys(members).length > 1) {
    return { problems: [`must be a JSON object with exactly one member: ${KINDS.join(', ')}`] };
  }
  const problems = CHECKS[kind](members[kind], kind).map(formatProblem);
  if (problems.length > 0) return { problems };
  const line: unknown = members;
  return { line: line as ArchiveLine };
}

/** An attribute as JSON has it: bytes in base64. */
export interface AttributeDocument {
  readonly type: string;
  readonly value?: string;
  readonly base64?: string;
}

export function attributesDocument(attributes: QueueAttributes): Readonly<Record<string, AttributeDocument>> {
  const entries = Object.entries(attributes).map(([name, { DataType: type, StringValue: value, BinaryValue }]) => {
    const base64 = BinaryValue && Buffer.from(BinaryValue).toString('base64');
    return [name, { type, ...(value !== undefined && { value }), ...(base64 !== undefined && { base64 }) }] as const;
  });
  return Object.fromEntries(entries);
}
