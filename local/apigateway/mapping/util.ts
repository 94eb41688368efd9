import { parseJson } from '../../kernel/json-problem';
import { asText } from './java';
import { TemplateFailure } from './template-failure';

const SHORT_ESCAPES: Readonly<Record<string, string>> = {
  '\b': '\\b',
  '\t': '\\t',
  '\n': '\\n',
  '\f': '\\f',
  '\r': '\\r',
  '"': '\\"',
  "'": "\\'",
  '\\': '\\\\',
  '/': '\\/',
};

/**
 * `$util` of a mapping template.
 *
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-mapping-template-reference.html
 */
export const templateUtil = {
  /** Java's escaping for JavaScript: single quotes too, which JSON does not allow, and everything beyond ASCII. */
  escapeJavaScript: (value: unknown): string =>
    asText(value).replace(
      // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what has to be escaped
      /["'\\/\u0000-\u001f]|[^\u0000-\u007f]/g,
      character => SHORT_ESCAPES[character] ?? unicodeEscapes(character),
    ),
  parseJson: (value: unknown): unknown => parseJson(asText(value), words => new TemplateFailure(words)),
  /** The encoding of HTML forms: a space is a plus. */
  urlEncode: (value: unknown): string => new URLSearchParams({ '': asText(value) }).toString().slice(1),
  urlDecode: (value: unknown): string => new URLSearchParams(`=${asText(value)}`.replaceAll('&', '%26')).get('') ?? '',
  base64Encode: (value: unknown): string => Buffer.from(asText(value)).toString('base64'),
  base64Decode: (value: unknown): string => Buffer.from(asText(value), 'base64').toString(),
};

function unicodeEscapes(text: string): string {
  return Array.from({ length: text.length }, (_, i) => {
    const code = text.charCodeAt(i).toString(16).toUpperCase();
    return `\\u${code.padStart(4, '0')}`;
  }).join('');
}
