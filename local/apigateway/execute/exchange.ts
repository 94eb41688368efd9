import type { Place } from '../../kernel/place';
import type { OutgoingRequest } from '../../network/network';
import type { ContextVariables } from '../mapping/context';
import type { RequestParameters } from '../mapping/input';
import { templateInput } from '../mapping/input';
import type { TemplateVariables } from '../mapping/template';
import { templateUtil } from '../mapping/util';
import type { RestApi } from '../model/rest-api';
import type { Stage } from '../model/stage';
import type { Match } from './router';

/** One request on its way through API Gateway, and what is known of it so far. */
export interface Exchange {
  readonly api: RestApi;
  readonly stage: Stage;
  readonly request: OutgoingRequest;
  /** Without stage and query. */
  readonly path: string;
  readonly match: Match | undefined;
  readonly parameters: RequestParameters;
  readonly body: string;
  readonly requestId: string;
  readonly startedAtMs: number;
  readonly context: ContextVariables;
  /** How long the integration took, once it has answered. */
  integrationLatencyMs: number | undefined;
}

export interface ExchangeStart {
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
 * What `$context` knows when a request comes in.
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

/** `02/Jan/2026:03:04:05 +0000` */
function commonLogTime(atMs: number): string {
  const [date = '', time = ''] = new Date(atMs).toISOString().split('T');
  const [year, month, day] = date.split('-');
  return `${day}/${MONTHS[Number(month) - 1]}/${year}:${time.slice(0, 8)} +0000`;
}

/** What a mapping template of this exchange sees; `body` is the request's, or the integration's answer. */
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
