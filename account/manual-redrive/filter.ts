import { JMESPathError, search } from '@aws-lambda-powertools/jmespath';
import { isoInstant } from '../../local';
import { decodeMessage, type QueueMessage } from '../../policy/messages/decode-message';
import type { QueueAttributes } from '../../policy/messages/queue-attributes';
import { BadInput, messageOf } from '../errors';

type JsonValue = Parameters<typeof search>[1];

/** What a filter says of a letter. */
export type Match =
  | { readonly kind: 'matches' }
  /** Completes a sentence that begins with the letter. */
  | { readonly kind: 'differs'; readonly reason: string };

const DIFFERS: Match = { kind: 'differs', reason: 'does not match the filter' };

/** What is wrong with an expression whatever letter it is asked of, by the names of the library's errors. */
const WRONG_FOR_ALL = /^(Lexer|Parse|IncompleteExpression|EmptyExpression|UnknownFunction|Arity|VariadicArity)Error$/;

function attributeTexts(attributes: QueueAttributes): Record<string, string> {
  const texts = Object.entries(attributes).map(([name, { StringValue, BinaryValue }]) => {
    return [name, StringValue ?? Buffer.from(BinaryValue ?? []).toString('base64')] as const;
  });
  return Object.fromEntries(texts);
}

/** A letter as an expression sees it. Instants are there as text and, to be compared, as milliseconds since 1970. */
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
  // What is left out is null to an expression, as in JSON.
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

/** As JMESPath tells true from false. */
function isTrue(value: unknown): boolean {
  if (value === null || value === undefined || value === false || value === '') return false;
  if (Array.isArray(value)) return value.length > 0;
  return typeof value !== 'object' || Object.keys(value).length > 0;
}

/** A lexer and a parser each call it their own way. */
function positionIn(error: JMESPathError): number | undefined {
  if ('lexPosition' in error) return Number(error.lexPosition);
  return 'lexerPosition' in error ? Number(error.lexerPosition) : undefined;
}

/** What is wrong with an expression, and where. */
function wrongText(expression: string, error: JMESPathError): string {
  const [what = ''] = error.message.replace(/^(Invalid|Bad) jmespath expression: /, '').split(' in expression: ');
  const at = positionIn(error);
  const place = at === undefined ? '' : `\n  ${expression}\n  ${' '.repeat(at)}^`;
  return `--filter must be an expression of JMESPath, as in aws --query: ${what}${place}`;
}

/** A number that stands in an expression as JSON. */
const NUMBER_LITERAL = /`\s*(-?\d[^`]*?)\s*`/g;

/** A whole number beyond 2^53 is read as one nearby: a letter might go that was not meant. */
function checkExact(expression: string): void {
  const [wrong] = [...expression.matchAll(NUMBER_LITERAL)]
    .map(([, literal = '']) => literal)
    .filter(literal => /^-?\d+$/.test(literal) && !Number.isSafeInteger(Number(literal)));
  if (wrong === undefined) return;
  throw new BadInput([
    `--filter must have no number beyond 2^53, which is not told from its neighbours, got ${wrong}: look for it as text, ` +
      `contains(body, '${wrong}')`,
  ]);
}

/**
 * Compiles what says which letters go.
 * @throws BadInput that says where the expression is wrong
 */
export function filterOf(expression: string): (message: QueueMessage) => Match {
  checkExact(expression);
  const ask = (message: QueueMessage) => search(expression, viewOf(message));
  try {
    ask(SAMPLE);
  } catch (error) {
    if (!(error instanceof JMESPathError)) throw new BadInput([`--filter cannot be asked: ${messageOf(error)}`]);
    if (WRONG_FOR_ALL.test(error.name)) throw new BadInput([wrongText(expression, error)]);
  }
  return message => {
    try {
      return isTrue(ask(message)) ? { kind: 'matches' } : DIFFERS;
    } catch (error) {
      // A letter of another kind, of which what is asked cannot be asked. Not all of the library's errors are of its class.
      const why = error instanceof JMESPathError ? error.name : messageOf(error);
      return { kind: 'differs', reason: `cannot be asked what the filter asks: ${why}` };
    }
  };
}
