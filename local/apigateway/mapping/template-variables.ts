import { JSONPath } from 'jsonpath-plus';
import { parseJson } from '../../kernel/json';
import { asText, TemplateFailure } from './template';

/** The parameters of a request. Header names are in lower case. */
export interface RequestParameters {
  readonly path: Readonly<Record<string, string>>;
  readonly querystring: Readonly<Record<string, string>>;
  readonly header: Readonly<Record<string, string>>;
}

export type ParameterLocation = keyof RequestParameters;

/**
 * `$input` of a mapping template. The template fails when it reads a body as JSON that is not JSON. An empty body
 * counts as an empty object.
 *
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-mapping-template-reference.html
 */
export function templateInput(body: string, parameters: RequestParameters): object {
  const text = body === '' ? '{}' : body;
  let document: { readonly value: unknown } | undefined;
  const find = (path: string): unknown => {
    document ??= { value: parseJson(text, words => new TemplateFailure(words)) };
    return jsonPath(document.value, path);
  };
  return {
    body: text,
    json: (path = '$'): string => JSON.stringify(find(path) ?? ''),
    path: (path = '$'): unknown => find(path),
    params: (name?: string): unknown => (name === undefined ? parameters : parameter(parameters, name)),
  };
}

/** The first match in this order: path, query string, header. */
function parameter(parameters: RequestParameters, name: string): string {
  const { path, querystring, header } = parameters;
  return own(path, name) ?? own(querystring, name) ?? own(header, name.toLowerCase()) ?? '';
}

export function parameterAt(
  parameters: RequestParameters,
  location: ParameterLocation,
  name: string,
): string | undefined {
  return own(parameters[location], location === 'header' ? name.toLowerCase() : name);
}

const own = (values: Readonly<Record<string, string>>, name: string): string | undefined =>
  Object.hasOwn(values, name) ? values[name] : undefined;

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
  /**
   * Escapes as Java does for JavaScript: also single quotes, which JSON does not allow, and everything that is not
   * ASCII.
   */
  escapeJavaScript: (value: unknown): string =>
    asText(value).replace(
      // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what has to be escaped
      /["'\\/\u0000-\u001f]|[^\u0000-\u007f]/g,
      character => SHORT_ESCAPES[character] ?? unicodeEscapes(character),
    ),
  parseJson: (value: unknown): unknown => parseJson(asText(value), words => new TemplateFailure(words)),
  /** Encodes as HTML forms do: a space is a plus. */
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

/** The `$context` of a request; members that are not known yet are missing. */
export type ContextVariables = Record<string, unknown>;

/** A value of the context by its path, such as `identity.sourceIp`, as text. */
export function contextVariable(context: ContextVariables, path: string): string | undefined {
  const value = path.split('.').reduce<unknown>((part, name) => {
    if (typeof part !== 'object' || part === null || !Object.hasOwn(part, name)) return undefined;
    return Reflect.get(part, name);
  }, context);
  return value === undefined || value === null || typeof value === 'object' ? undefined : String(value);
}

/**
 * Replaces the variables in a text such as `$context.requestId $context.status`. A variable without a value becomes
 * `missing`.
 */
export function withContext(text: string, context: ContextVariables, missing: string): string {
  return text.replace(
    /\$context\.([A-Za-z]\w*(?:\.[A-Za-z]\w*)*)/g,
    (_, path) => contextVariable(context, path) ?? missing,
  );
}

/**
 * Evaluates a JSONPath expression: one value for a definite path, a list for one with wildcards, undefined for no
 * match. Filter expressions are interpreted, never run as code.
 */
export function jsonPath(document: unknown, path: string): unknown {
  if (path === '$') return document;
  if (typeof document !== 'object' || document === null) return undefined;
  try {
    return JSONPath({ path, json: document, wrap: false, eval: 'safe' });
  } catch (error) {
    throw new TemplateFailure(`${path}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
