import { ownMember } from '../../../policy/json-members';
import { parseJson } from '../../kernel/json';
import { asText, TemplateFailure } from './template';
import {
  type ContextVariables,
  contextVariable,
  jsonPath,
  type ParameterLocation,
  parameterAt,
  type RequestParameters,
} from './template-variables';

interface ParameterTarget {
  readonly location: ParameterLocation;
  readonly name: string;
}

/** The data that mapping expressions read. */
export interface MappingSource {
  readonly request: RequestParameters;
  readonly requestBody: string;
  /** The headers of the integration's answer; empty before it has answered. */
  readonly responseHeaders: Readonly<Record<string, string>>;
  readonly responseBody: string;
  readonly context: ContextVariables;
  readonly stageVariables: Readonly<Record<string, string>>;
}

export interface ParameterMapping {
  readonly target: ParameterTarget;
  /** Undefined when the request has no such value. */
  readonly value: (source: MappingSource) => string | undefined;
}

const REQUEST_TARGET = /^integration\.request\.(header|querystring|path)\.(.+)$/;
const RESPONSE_TARGET = /^method\.response\.(header)\.(.+)$/;

/**
 * Parses one mapping of an integration's `RequestParameters`; undefined when it is invalid or not implemented.
 *
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/request-response-data-mappings.html
 */
export function requestMapping(target: string, expression: string): ParameterMapping | undefined {
  return mapping(REQUEST_TARGET.exec(target), requestValue(expression) ?? commonValue(expression));
}

/** Parses one mapping of an integration response's `ResponseParameters`. */
export function responseMapping(target: string, expression: string): ParameterMapping | undefined {
  return mapping(RESPONSE_TARGET.exec(target), responseValue(expression) ?? commonValue(expression));
}

function mapping(
  target: RegExpExecArray | null,
  value: ParameterMapping['value'] | undefined,
): ParameterMapping | undefined {
  const [, location, name] = target ?? [];
  if (!location || !name || !value) return undefined;
  return { target: { location: location as ParameterLocation, name }, value };
}

function requestValue(expression: string): ParameterMapping['value'] | undefined {
  const [, location, name = ''] = /^method\.request\.(header|querystring|path)\.(.+)$/.exec(expression) ?? [];
  if (location) return ({ request }) => parameterAt(request, location as ParameterLocation, name);
  return bodyValue('method.request.body', expression, source => source.requestBody);
}

function responseValue(expression: string): ParameterMapping['value'] | undefined {
  const [, name = ''] = /^integration\.response\.header\.(.+)$/.exec(expression) ?? [];
  if (name) return ({ responseHeaders }) => ownMember(responseHeaders, name.toLowerCase());
  return bodyValue('integration.response.body', expression, source => source.responseBody);
}

function bodyValue(
  prefix: string,
  expression: string,
  body: (source: MappingSource) => string,
): ParameterMapping['value'] | undefined {
  if (expression === prefix) return body;
  if (!expression.startsWith(`${prefix}.`)) return undefined;
  const path = `$.${expression.slice(prefix.length + 1)}`;
  return source => {
    const document = parseJson(body(source) || '{}', words => new TemplateFailure(words));
    const value = jsonPath(document, path);
    return value === undefined ? undefined : asText(value);
  };
}

function commonValue(expression: string): ParameterMapping['value'] | undefined {
  const [, literal] = /^'(.*)'$/s.exec(expression) ?? [];
  if (literal !== undefined) return () => literal;
  const [, kind, name = ''] = /^(context|stageVariables)\.(.+)$/.exec(expression) ?? [];
  if (kind === 'context') return ({ context }) => contextVariable(context, name);
  if (kind === 'stageVariables') return ({ stageVariables }) => ownMember(stageVariables, name);
  return undefined;
}
