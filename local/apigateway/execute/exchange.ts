import type { Place } from '../../kernel/place';
import type { OutgoingRequest } from '../../network/network';
import type { TemplateVariables } from '../mapping/template';
import {
  type ContextVariables,
  type RequestParameters,
  templateInput,
  templateUtil,
} from '../mapping/template-variables';
import type { Method } from '../model/method';
import type { RestApi, Stage } from '../model/rest-api';
import { type ApiResource, type Deployment, isGreedy, isVariable, methodKey } from '../model/rest-api';

/** One request while API Gateway processes it, with what is known of it so far. */
export interface Exchange {
  readonly api: RestApi;
  readonly stage: Stage;
  readonly request: OutgoingRequest;
  /** The path without stage and query. */
  readonly path: string;
  readonly match: Match | undefined;
  readonly parameters: RequestParameters;
  readonly body: string;
  readonly requestId: string;
  readonly startedAtMs: number;
  readonly context: ContextVariables;
  /** The latency of the integration; undefined before it has answered. */
  integrationLatencyMs: number | undefined;
}

interface ExchangeStart {
  readonly api: RestApi;
  readonly stage: Stage;
  readonly request: OutgoingRequest;
  readonly path: string;
  readonly match: Match | undefined;
  readonly requestId: string;
  readonly startedAtMs: number;
  readonly place: Place;
}

export function startExchange(start: ExchangeStart): Exchange {
  const { request, match } = start;
  const question = request.path.indexOf('?');
  const query = new URLSearchParams(question === -1 ? '' : request.path.slice(question + 1));
  return {
    ...start,
    parameters: {
      path: match?.pathParameters ?? {},
      querystring: Object.fromEntries(query),
      header: request.headers,
    },
    body: Buffer.from(request.body).toString('utf8'),
    context: contextOf(start),
    integrationLatencyMs: undefined,
  };
}

/**
 * The `$context` of a new request.
 *
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-mapping-template-reference.html
 */
function contextOf({ api, stage, request, match, requestId, startedAtMs, place }: ExchangeStart): ContextVariables {
  return {
    accountId: place.account,
    apiId: api.id,
    deploymentId: stage.deployment.id,
    domainName: request.host,
    domainPrefix: request.host.split('.')[0],
    extendedRequestId: requestId,
    httpMethod: request.method,
    identity: { sourceIp: '127.0.0.1', userAgent: request.headers['user-agent'] },
    path: request.path.split('?')[0],
    protocol: 'HTTP/1.1',
    requestId,
    requestTime: commonLogTime(startedAtMs),
    requestTimeEpoch: startedAtMs,
    resourceId: match?.resource.id,
    resourcePath: match?.resource.path,
    stage: stage.name,
    error: {},
    integration: {},
    requestOverride: { header: {}, querystring: {}, path: {} },
    responseOverride: { header: {} },
  };
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** Formats an instant for the common log format: `02/Jan/2026:03:04:05 +0000`. */
function commonLogTime(atMs: number): string {
  const [date = '', time = ''] = new Date(atMs).toISOString().split('T');
  const [year, month, day] = date.split('-');
  return `${day}/${MONTHS[Number(month) - 1]}/${year}:${time.slice(0, 8)} +0000`;
}

/** The variables of a mapping template; `body` is that of the request, or of the integration's answer. */
export function templateVariables(exchange: Exchange, body: string): TemplateVariables {
  return {
    input: templateInput(body, exchange.parameters),
    util: templateUtil,
    context: exchange.context,
    stageVariables: exchange.stage.variables,
  };
}

/** The media type of a body, without its parameters. */
export function contentTypeOf(headers: Readonly<Record<string, string>>): string {
  return headers['content-type']?.split(';')[0]?.trim().toLowerCase() || 'application/json';
}

interface Match {
  readonly resource: ApiResource;
  readonly method: Method;
  readonly pathParameters: Readonly<Record<string, string>>;
}

interface Walk {
  readonly resource: ApiResource;
  readonly pathParameters: Readonly<Record<string, string>>;
}

/**
 * Finds the method for a path. Fixed parts come before variables, and `{proxy+}`, which matches the rest of the path,
 * comes last.
 *
 * @param path without stage and query, still percent-encoded
 */
export function route(deployment: Deployment, httpMethod: string, path: string): Match | undefined {
  const parts = path.split('/').filter(part => part !== '');
  const root = deployment.resources.find(it => it.parentId === undefined);
  const found = root && walk(deployment, { resource: root, pathParameters: {} }, parts);
  if (!found) return undefined;
  const { methods } = deployment;
  const method =
    methods.get(methodKey(found.resource.id, httpMethod)) ?? methods.get(methodKey(found.resource.id, 'ANY'));
  return method && { ...found, method };
}

function walk(deployment: Deployment, at: Walk, parts: readonly string[]): Walk | undefined {
  const [part, ...rest] = parts;
  if (part === undefined) return at;
  const children = deployment.resources.filter(it => it.parentId === at.resource.id);
  const exact = children.find(it => it.pathPart === part);
  const variable = children.find(it => isVariable(it.pathPart) && !isGreedy(it.pathPart));
  const greedy = children.find(it => isGreedy(it.pathPart));
  const enter = (resource: ApiResource | undefined, value: string, left: readonly string[]): Walk | undefined =>
    resource && walk(deployment, { resource, pathParameters: withParameter(at, resource, value) }, left);
  return enter(exact, part, rest) ?? enter(variable, part, rest) ?? enter(greedy, parts.join('/'), []);
}

function withParameter(at: Walk, { pathPart }: ApiResource, value: string): Readonly<Record<string, string>> {
  if (!isVariable(pathPart)) return at.pathParameters;
  return { ...at.pathParameters, [pathPart.replace(/^\{|\+?\}$/g, '')]: decoded(value) };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A single percent sign: API Gateway passes the text on unchanged.
    return text;
  }
}
