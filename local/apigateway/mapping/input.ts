import { parseJson } from '../../kernel/json-problem';
import { jsonPath } from './jsonpath';
import { TemplateFailure } from './template-failure';

/** Where a request says something besides its body. Header names are in lower case. */
export interface RequestParameters {
  readonly path: Readonly<Record<string, string>>;
  readonly querystring: Readonly<Record<string, string>>;
  readonly header: Readonly<Record<string, string>>;
}

export type ParameterLocation = keyof RequestParameters;

/**
 * `$input` of a mapping template. A body that is asked for as JSON and is none makes the template fail; an empty one is
 * taken for an empty object.
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

/** Path, query string, header: the first that has it. */
function parameter(parameters: RequestParameters, name: string): string {
  const { path, querystring, header } = parameters;
  return own(path, name) ?? own(querystring, name) ?? own(header, name.toLowerCase()) ?? '';
}

/** The value of one parameter, if the request has it. */
export function parameterAt(
  parameters: RequestParameters,
  location: ParameterLocation,
  name: string,
): string | undefined {
  return own(parameters[location], location === 'header' ? name.toLowerCase() : name);
}

const own = (values: Readonly<Record<string, string>>, name: string): string | undefined =>
  Object.hasOwn(values, name) ? values[name] : undefined;
