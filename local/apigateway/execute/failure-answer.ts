import { contextVariable, withContext } from '../mapping/context';
import { configuredResponse, GATEWAY_RESPONSES } from '../model/gateway-response';
import type { Exchange } from './exchange';
import type { GatewayFailure } from './gateway-failure';
import type { ClientAnswer } from './integration-response';

/**
 * What the client is told of a request that failed inside API Gateway.
 *
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-gatewayResponse-definition.html
 */
export function failureAnswer(exchange: Exchange, failure: GatewayFailure): ClientAnswer {
  const { status, message: usual, errorType } = GATEWAY_RESPONSES[failure.type];
  const message = failure.reported ?? usual;
  const messageString = JSON.stringify(message);
  exchange.context['error'] = { message, messageString, responseType: failure.type };
  const configured = configuredResponse(exchange.stage.deployment.gatewayResponses, failure.type);
  const [contentType = 'application/json', template] = Object.entries(configured?.templates ?? {})[0] ?? [];
  // IAM's refusals are the only ones that begin with a capital letter.
  const key = failure.type === 'ACCESS_DENIED' ? 'Message' : 'message';
  return {
    status: configured?.statusCode ?? status,
    headers: {
      'content-type': contentType,
      'x-amzn-errortype': errorType,
      ...configuredHeaders(exchange, configured?.headers ?? {}),
    },
    body: template === undefined ? `{"${key}":${messageString}}` : withContext(template, exchange.context, ''),
  };
}

function configuredHeaders(
  { context }: Exchange,
  headers: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, expression]) => {
      const [, literal] = /^'(.*)'$/s.exec(expression) ?? [];
      return [name.toLowerCase(), literal ?? contextVariable(context, expression.replace(/^context\./, '')) ?? ''];
    }),
  );
}
