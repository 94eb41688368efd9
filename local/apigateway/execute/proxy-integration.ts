import { AwsError } from '../../kernel/aws-error';
import { roleCaller, serviceCaller } from '../../kernel/caller';
import { isObject } from '../../kernel/json';
import { arnIn, type Place } from '../../kernel/place';
import { GatewayFailure, misconfigured } from '../model/gateway-response';
import type { ProxyIntegration } from '../model/method';
import type { Functions } from '../ports';
import type { ClientAnswer } from './client-answer';
import type { Exchange } from './exchange';

const API_GATEWAY = 'apigateway.amazonaws.com';

/**
 * Invokes the function of a proxy integration and returns its answer for the client.
 *
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/set-up-lambda-proxy-integrations.html
 */
export async function invokeProxy(
  exchange: Exchange,
  { functionArn, roleArn }: ProxyIntegration,
  { functions, place }: { readonly functions: Functions; readonly place: Place },
): Promise<ClientAnswer> {
  const { api, stage, request, match } = exchange;
  const sourceArn = arnIn(place, 'execute-api', `${api.id}/${stage.name}/${request.method}${match?.resource.path}`);
  const caller = roleArn === undefined ? serviceCaller(API_GATEWAY, sourceArn, place.account) : roleCaller(roleArn);
  const input = { FunctionName: functionArn, Payload: JSON.stringify(proxyEvent(exchange)) };
  try {
    const { FunctionError, Payload } = await functions.call('Invoke', caller, input);
    const text = Payload === undefined ? 'null' : Buffer.from(Payload).toString();
    return FunctionError === undefined ? proxyAnswer(text) : BAD_GATEWAY;
  } catch (error) {
    if (!(error instanceof AwsError)) throw error;
    throw misconfigured(`${error.code}: ${error.message}`);
  }
}

/** The answer after a function error, and for a result that is no answer. */
const BAD_GATEWAY: ClientAnswer = {
  status: 502,
  headers: { 'content-type': 'application/json', 'x-amzn-errortype': 'InternalServerErrorException' },
  body: '{"message": "Internal server error"}',
};

/**
 * The event of a REST API, format 1.0. Bodies are text: binary media types are not simulated.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/services-apigateway.html#apigateway-example-event
 */
function proxyEvent({ request, path, match, parameters, context, stage, body }: Exchange): object {
  const { error: _error, integration: _integration, requestOverride: _in, responseOverride: _out, ...rest } = context;
  const [, query = ''] = request.path.split('?', 2);
  const many = new Map<string, string[]>();
  for (const [name, value] of new URLSearchParams(query)) many.set(name, [...(many.get(name) ?? []), value]);
  const headers = Object.entries(request.headers);
  return {
    resource: match?.resource.path,
    path,
    httpMethod: request.method,
    headers: request.headers,
    multiValueHeaders: Object.fromEntries(headers.map(([name, value]) => [name, [value]])),
    queryStringParameters: orNull(parameters.querystring),
    multiValueQueryStringParameters: orNull(Object.fromEntries(many)),
    pathParameters: orNull(parameters.path),
    stageVariables: orNull(stage.variables),
    requestContext: rest,
    body: body === '' ? null : body,
    isBase64Encoded: false,
  };
}

const orNull = (members: object): object | null => (Object.keys(members).length === 0 ? null : members);

function proxyAnswer(text: string): ClientAnswer {
  const answer: unknown = JSON.parse(text);
  if (!isObject(answer)) return BAD_GATEWAY;
  const { statusCode = 200, headers, multiValueHeaders, body = '', isBase64Encoded } = answer;
  const status = Number(statusCode);
  if (!Number.isInteger(status) || status < 100 || status > 599) return BAD_GATEWAY;
  if (body !== null && typeof body !== 'string') return BAD_GATEWAY;
  const given = { ...textsOf(multiValueHeaders), ...textsOf(headers) };
  const decoded = isBase64Encoded === true ? Buffer.from(body ?? '', 'base64').toString() : (body ?? '');
  return { status, headers: { 'content-type': 'application/json', ...given }, body: decoded };
}

function textsOf(headers: unknown): Readonly<Record<string, string>> {
  if (!isObject(headers)) return {};
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]));
}

export const timedOut = (): GatewayFailure =>
  new GatewayFailure('INTEGRATION_TIMEOUT', 'Execution failed due to a timeout error');
