import { notImplemented } from '../../kernel/aws-error';
import { invalidParameter } from '../errors';
import { parseJsonFilter } from './json-filter';

/** Decides about one log event. */
export type LogFilter = (message: string) => boolean;

/**
 * Reads a filter pattern: nothing (every event), terms, or a condition on JSON. Regular expressions and patterns of
 * space-separated columns are not implemented.
 *
 * @throws AwsError when the pattern is malformed or not implemented
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/FilterAndPatternSyntax.html
 */
export function parseFilterPattern(pattern: string): LogFilter {
  const text = pattern.trim();
  if (text === '') return () => true;
  if (text.startsWith('[')) throw notImplemented('filter patterns of space-separated columns');
  if (text.includes('%')) throw notImplemented('regular expressions in filter patterns');
  if (text.startsWith('{')) {
    if (!text.endsWith('}')) throw invalidParameter(`Invalid metric filter pattern: ${pattern}`);
    const matches = parseJsonFilter(text.slice(1, -1));
    return message => {
      const document = parsed(message);
      return document !== undefined && matches(document);
    };
  }
  return termFilter(text);
}

/** Every plain term must occur, none with a minus; of those with a question mark, one. */
function termFilter(pattern: string): LogFilter {
  const terms = [...pattern.matchAll(/([?-]?)(?:"((?:[^"\\]|\\.)*)"|(\S+))/g)].map(([, sign, quoted, word]) => ({
    sign,
    text: quoted?.replace(/\\(.)/g, '$1') ?? word ?? '',
  }));
  const all = terms.filter(({ sign }) => sign === '');
  const none = terms.filter(({ sign }) => sign === '-');
  const any = terms.filter(({ sign }) => sign === '?');
  return message =>
    all.every(({ text }) => message.includes(text)) &&
    !none.some(({ text }) => message.includes(text)) &&
    (any.length === 0 || any.some(({ text }) => message.includes(text)));
}

/** The JSON document a message is, if it is one. */
export function parsed(message: string): unknown {
  try {
    return JSON.parse(message);
  } catch {
    // A line of plain text among JSON documents: no condition on JSON can hold for it.
    return undefined;
  }
}
