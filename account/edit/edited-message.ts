import { createHash } from 'node:crypto';
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { diffArrays } from 'diff';
import { awsFailureOf, isCertainlyRefused } from '../../mover/aws/aws-calls';
import { MAX_MESSAGE_ATTRIBUTES, QUEUE_LIMITS } from '../../policy/aws-limits';
import { isNonEmptyText, isObject, type JsonObject, nonEmptyText, parseObject } from '../../policy/json-members';
import type { QueueMessage } from '../../policy/messages/decode-message';
import { messageBytes, type QueueAttributes, textAttribute } from '../../policy/messages/queue-attributes';
import { formatProblem, type Problem } from '../../policy/problem';
import { attributesCheck, attributesDocument, attributesIn } from '../archive/archive-format';
import type { Connection } from '../connection/connection';
import { UnrepeatedSqs } from '../connection/one-attempt';
import { BadInput, messageOf } from '../errors';
import type { Remover } from '../messages/each-message';
import type { HeldMessage } from '../messages/message-hold';
import type { NamedQueue } from '../messages/named-queue';

export interface EditedMessage {
  readonly body: string;
  readonly attributes: QueueAttributes;
  /** In FIFO queues. */
  readonly groupId?: string;
}

/** The attribute that has the id of the message before the edit. */
export const EDITED_FROM = 'EditedFromMessageId';

/** The body as JSON, if the same text comes out of it again: numbers beyond 2^53 would be rounded. */
function jsonBodyOf(body: string): unknown {
  try {
    const value: unknown = JSON.parse(body);
    const isSame = [JSON.stringify(value), JSON.stringify(value, null, 2)].includes(body);
    return typeof value === 'object' && value !== null && isSame ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The document that the user edits. A body that is JSON is an object or a list, so that it need not be escaped. */
export function editableText({ body, attributes, groupId }: EditedMessage): string {
  const document = {
    body: jsonBodyOf(body) ?? body,
    attributes: attributesDocument(attributes),
    ...(groupId !== undefined && { groupId }),
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

function bodyText(edited: unknown, { body }: EditedMessage): string {
  if (typeof edited === 'string') return edited;
  // An indented body stays indented.
  return JSON.stringify(edited, null, body.includes('\n') ? 2 : undefined);
}

const NAME = /^[\p{L}\p{N}_-]+(\.[\p{L}\p{N}_-]+)*$/u;

const MAX_NAME_CHARACTERS = 256;

const NAME_RULE = `must have at most ${MAX_NAME_CHARACTERS} letters, digits, _, - and single dots, and not begin with AWS. or Amazon.`;

function attributeProblems([name, attribute]: [string, QueueAttributes[string]]): readonly Problem[] {
  const property = `attributes.${name}`;
  const { DataType, StringValue, BinaryValue } = attribute;
  const [kind = ''] = DataType.split('.');
  const isNamed = NAME.test(name) && name.length <= MAX_NAME_CHARACTERS && !/^(aws|amazon)\./i.test(name);
  const isBinary = kind === 'Binary';
  const value = isBinary ? BinaryValue : StringValue;
  return [
    ...(isNamed ? [] : [{ property, rule: NAME_RULE, value: name }]),
    ...(['String', 'Number', 'Binary'].includes(kind)
      ? []
      : [{ property: `${property}.type`, rule: 'must begin with String, Number or Binary', value: DataType }]),
    ...(value === undefined || value.length === 0
      ? [
          {
            property,
            rule: `must have a ${isBinary ? 'base64' : 'value'} that is not empty`,
            value: value ?? undefined,
          },
        ]
      : []),
    ...(kind === 'Number' && !Number.isFinite(Number(StringValue?.trim() || Number.NaN))
      ? [{ property: `${property}.value`, rule: 'must be a number', value: StringValue }]
      : []),
    ...(StringValue === undefined ? [] : textProblems(StringValue, `${property}.value`)),
  ];
}

function textProblems(text: string, property: string): readonly Problem[] {
  if (textAttribute(text).StringValue === text) return [];
  return [
    { property, rule: 'must have only characters that SQS accepts: no control characters', value: text.slice(0, 40) },
  ];
}

/** What a queue accepts. */
export interface SendLimits {
  readonly isFifo: boolean;
  readonly maximumMessageBytes: number;
}

function limitProblems(edited: EditedMessage, { isFifo, maximumMessageBytes }: SendLimits): readonly Problem[] {
  const { body, attributes, groupId } = edited;
  const count = Object.keys(attributes).length;
  const bytes = messageBytes(body, attributes);
  const most = Math.min(maximumMessageBytes, QUEUE_LIMITS.messageBytes.max);
  return [
    ...(body === '' ? [{ property: 'body', rule: 'must not be empty', value: body }] : textProblems(body, 'body')),
    ...(count > MAX_MESSAGE_ATTRIBUTES
      ? [{ property: 'attributes', rule: `must be at most ${MAX_MESSAGE_ATTRIBUTES}`, value: count }]
      : Object.entries(attributes).flatMap(attributeProblems)),
    ...(bytes > most
      ? [
          {
            property: 'body and attributes',
            rule: `must have at most ${most} bytes, which the queue accepts`,
            value: bytes,
          },
        ]
      : []),
    ...(isFifo ? nonEmptyText(groupId, 'groupId') : []),
  ];
}

export function readEdited(text: string, original: EditedMessage, limits: SendLimits): EditedMessage {
  const members: JsonObject | undefined = parseObject(text);
  if (!members) throw new BadInput(['the edited message must be a JSON object with body and attributes']);
  const { body, attributes = {}, groupId, ...others } = members;
  const unknown = Object.keys(others).map(property => ({
    property,
    rule: 'must not be there: only body, attributes and groupId are sent',
    value: others[property],
  }));
  const isBody = typeof body === 'string' || isObject(body) || Array.isArray(body);
  const problems = [
    ...unknown,
    ...(isBody ? [] : [{ property: 'body', rule: 'must be a string, an object or a list', value: body }]),
    ...attributesCheck(attributes, 'attributes'),
    ...(groupId === undefined ? [] : nonEmptyText(groupId, 'groupId')),
  ];
  if (problems.length > 0) throw new BadInput(problems.map(formatProblem));
  const edited = {
    body: bodyText(body, original),
    attributes: attributesIn({ attributes: attributes as Parameters<typeof attributesIn>[0]['attributes'] }),
    ...(isNonEmptyText(groupId) && { groupId }),
  };
  const wrong = limitProblems(edited, limits);
  if (wrong.length > 0) throw new BadInput(wrong.map(formatProblem));
  return edited;
}

/**
 * Adds the id of the message before the edit, if SQS accepts one more attribute.
 * @returns undefined if there is no room
 */
export function withOldId(
  edited: EditedMessage,
  { messageId }: QueueMessage,
  limits: SendLimits,
): EditedMessage | undefined {
  const attributes = { ...edited.attributes, [EDITED_FROM]: textAttribute(messageId) };
  const noted = { ...edited, attributes };
  return limitProblems(noted, limits).length === 0 ? noted : undefined;
}

export type DiffLine = `${' ' | '-' | '+'} ${string}`;

/** Texts that differ more are shown as a whole, the old one and the new one. */
const MOST_EDITS = 2_000;

/** The lines that differ between two texts, each with some equal lines around it. */
export function differences(before: string, after: string, around = 2): readonly DiffLine[] {
  const [old, now] = [before.trimEnd().split('\n'), after.trimEnd().split('\n')];
  const changes = diffArrays(old, now, { maxEditLength: MOST_EDITS }) ?? [
    { value: old, removed: true, added: false },
    { value: now, removed: false, added: true },
  ];
  const lines = changes.flatMap(({ value, added, removed }) => {
    return value.map((line): DiffLine => `${added ? '+' : removed ? '-' : ' '} ${line}`);
  });
  const differs = (line: DiffLine) => !line.startsWith(' ');
  const first = lines.findIndex(differs);
  return first === -1 ? [] : lines.slice(Math.max(first - around, 0), lines.findLastIndex(differs) + 1 + around);
}

export interface ResendOutcome {
  /** The id of the new message. @default - SQS may or may not have it: `unsure` says why */
  readonly newMessageId?: string;
  /** Why it is unknown whether SQS has the new message. Then the old one stays. @default - it is known */
  readonly unsure?: string;
  /** Why the old message may still be in its queue. @default - SQS has deleted it */
  readonly notDeleted?: string;
}

/**
 * The deduplication id of an edited message: the same edit of the same message has the same id, so that SQS drops a second copy
 * within five minutes. SQS would drop the new message as well if it had the id of the old one.
 */
function deduplicationId({ messageId }: HeldMessage, edited: EditedMessage): string {
  return createHash('sha256')
    .update(JSON.stringify([messageId, edited.body, Object.keys(edited.attributes)]))
    .digest('hex');
}

/** Sends an edited message as a new one, and deletes the old one when SQS has the new one for certain. */
export async function resend(
  aws: Connection,
  to: NamedQueue,
  old: HeldMessage,
  edited: EditedMessage,
  remover: Remover,
): Promise<ResendOutcome> {
  const { body, attributes, groupId } = edited;
  const command = new SendMessageCommand({
    QueueUrl: to.url,
    MessageBody: body,
    MessageAttributes: { ...attributes },
    ...(groupId !== undefined && { MessageGroupId: groupId }),
    ...(to.isFifo && { MessageDeduplicationId: deduplicationId(old, edited) }),
    ...(old.traceHeader !== undefined && {
      MessageSystemAttributes: { AWSTraceHeader: { DataType: 'String', StringValue: old.traceHeader } },
    }),
  });
  let newMessageId: string | undefined;
  try {
    newMessageId = (await aws.client(UnrepeatedSqs).send(command)).MessageId;
  } catch (error) {
    if (!awsFailureOf(error, '') || isCertainlyRefused(error)) throw error;
    return { unsure: messageOf(error) };
  }
  const { reason } = await remover.remove([old]);
  return { ...(newMessageId !== undefined && { newMessageId }), ...(reason !== undefined && { notDeleted: reason }) };
}
