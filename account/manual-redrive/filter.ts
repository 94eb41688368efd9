import { JMESPathError, search } from '@aws-lambda-powertools/jmespath';
import { isoInstant } from '../../policy/instants';
import { decodeMessage, type QueueMessage } from '../../policy/messages/decode-message';
import type { QueueAttributes } from '../../policy/messages/queue-attributes';
import { BadInput, messageOf } from '../errors';

type JsonValue = Parameters<typeof search>[1];

export type Match =
  | { readonly kind: 'matches' }
  /** The reason continues a sentence that begins with the message. */
  | { readonly kind: 'differs'; readonly reason: string };

const DIFFERS: Match = { kind: 'differs', reason: 'does not match the filter' };

/** Names of the library's errors that do not depend on the message. */
const EXPRESSION_ERRORS =
  /^(Lexer|Parse|IncompleteExpression|EmptyExpression|UnknownFunction|Arity|VariadicArity)Error$/;

function attributeTexts(attributes: QueueAttributes): Record<string, string> {
  const texts = Object.entries(attributes).map(([name, { StringValue, BinaryValue }]) => {
    return [name, StringValue ?? Buffer.from(BinaryValue ?? []).toString('base64')] as const;
  });
  return Object.fromEntries(texts);
}

/** The document that an expression is applied to. Instants are both text and, for comparisons, milliseconds since 1970. */
function viewOf(message: QueueMessage): JsonValue {
  const { payload, data = payload, who } = decodeMessage(message);
  const { messageId, body, attributes, receiveCount, sentAtMs, groupId = null, movedFromArn = null } = message;
  const view = {
    data,
    body,
    attributes: attributeTexts(attributes),
    who,
    messageId,
    receiveCount,
    sentAt: isoInstant(sentAtMs),
    sentAtMs,
    groupId,
    movedFromArn,
  };
  // The library expects JSON: a missing member is null.
  return JSON.parse(JSON.stringify(view)) as JsonValue;
}

const SAMPLE: QueueMessage = {
  messageId: '',
  body: '{}',
  attributes: {},
  sentAtMs: 0,
  firstReceivedAtMs: 0,
  receiveCount: 1,
};

/** Truth by the rules of JMESPath. */
function isTrue(value: unknown): boolean {
  if (value === null || value === undefined || value === false || value === '') return false;
  if (Array.isArray(value)) return value.length > 0;
  return typeof value !== 'object' || Object.keys(value).length > 0;
}

/** The lexer and the parser name the position differently. */
function positionIn(error: JMESPathError): number | undefined {
  if ('lexPosition' in error) return Number(error.lexPosition);
  return 'lexerPosition' in error ? Number(error.lexerPosition) : undefined;
}

function wrongText(expression: string, error: JMESPathError): string {
  const [what = ''] = error.message.replace(/^(Invalid|Bad) jmespath expression: /, '').split(' in expression: ');
  const at = positionIn(error);
  const place = at === undefined ? '' : `\n  ${expression}\n  ${' '.repeat(at)}^`;
  return `--filter must be a JMESPath expression, as in aws --query: ${what}${place}`;
}

const NUMBER_LITERAL = /`\s*(-?\d[^`]*?)\s*`/g;

/** A whole number beyond 2^53 would be rounded, and could match a wrong message. */
function checkExact(expression: string): void {
  const [wrong] = [...expression.matchAll(NUMBER_LITERAL)]
    .map(([, literal = '']) => literal)
    .filter(literal => /^-?\d+$/.test(literal) && !Number.isSafeInteger(Number(literal)));
  if (wrong === undefined) return;
  throw new BadInput([
    `--filter must have no number beyond 2^53, which would be rounded: got ${wrong}. Compare it as text: ` +
      `contains(body, '${wrong}')`,
  ]);
}

export function filterOf(expression: string): (message: QueueMessage) => Match {
  checkExact(expression);
  const evaluate = (message: QueueMessage) => search(expression, viewOf(message));
  try {
    evaluate(SAMPLE);
  } catch (error) {
    if (!(error instanceof JMESPathError)) throw new BadInput([`--filter cannot be evaluated: ${messageOf(error)}`]);
    if (EXPRESSION_ERRORS.test(error.name)) throw new BadInput([wrongText(expression, error)]);
  }
  return message => {
    try {
      return isTrue(evaluate(message)) ? { kind: 'matches' } : DIFFERS;
    } catch (error) {
      // The expression does not fit this kind of message. Some errors of the library are not of its own error class.
      const why = error instanceof JMESPathError ? error.name : messageOf(error);
      return { kind: 'differs', reason: `does not fit the filter: ${why}` };
    }
  };
}
