import { isObject, parseObject } from '../../policy/members';
import { type EnvelopedAttribute, readEnvelope } from '../../policy/messages/envelope';
import type { QueueAttribute, QueueAttributes } from '../../policy/messages/queue-attributes';
import { withoutReplayMark } from '../../policy/redrive/replay-mark';
import type { Form } from './route';

/** What of a letter is sent on. */
export interface Content {
  readonly body: string;
  readonly attributes: QueueAttributes;
}

function attributeOf({ Type, Value }: EnvelopedAttribute): QueueAttribute {
  if (Type !== 'Binary') return { DataType: Type, StringValue: Value };
  return { DataType: Type, BinaryValue: Buffer.from(Value, 'base64') };
}

/** As SNS sends it to a queue whose subscription is raw. What is no envelope stays as it is. */
function unwrapped<T extends Content>(message: T): T {
  const reading = readEnvelope(message.body);
  if (reading.kind === 'none') return message;
  const { Message: body, MessageAttributes = {} } = reading.envelope;
  const attributes = Object.entries(MessageAttributes).map(([name, enveloped]) => [name, attributeOf(enveloped)]);
  return { ...message, body, attributes: Object.fromEntries(attributes) };
}

/** The event of an invocation that a destination on failure was told of; undefined where it is no such record. */
function eventInRecord(body: string): string | undefined {
  const { requestContext, requestPayload } = parseObject(body) ?? {};
  if (!isObject(requestContext) || typeof requestContext['condition'] !== 'string') return undefined;
  return requestPayload === undefined ? undefined : JSON.stringify(requestPayload);
}

/** Whoever asks by hand gives a letter another replay that had one before. */
function event<T extends Content>(message: T): T {
  const body = withoutReplayMark(message.body);
  return { ...message, body: eventInRecord(body) ?? body };
}

/** What becomes of a letter before it goes on. */
const INTO: Readonly<Record<Form, <T extends Content>(message: T) => T>> = {
  'as-they-are': message => message,
  unwrapped,
  event,
};

/** A letter in the form in which it goes on; all but body and attributes stays. */
export function inForm<T extends Content>(message: T, form: Form): T {
  return INTO[form](message);
}
