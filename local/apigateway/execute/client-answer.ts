import { asText, orRefused } from '../mapping/template';
import { contextVariable, withContext } from '../mapping/template-variables';
import { configuredResponse, GATEWAY_RESPONSES, type GatewayFailure, misconfigured } from '../model/gateway-response';
import type { IntegrationResponse, MappedIntegration, Templates } from '../model/method';
import { type Exchange, templateVariables } from './exchange';
import { mappedValue, mappingSource } from './integration-request';

export interface BackendAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface ClientAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * Converts the backend's answer into the method's. It uses the integration response whose pattern matches the backend's
 * status, or the default one without a pattern.
 *
 * @throws GatewayFailure when no integration response matches, or its template fails
 * @see
 *   https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-integration-settings-integration-response.html
 */
export function clientAnswer(exchange: Exchange, integration: MappedIntegration, answer: BackendAnswer): ClientAnswer {
  const response = responseFor(integration, answer.status);
  const chosen = templateFor(response.templates, exchange.request.headers['accept']);
  const body = transformed(exchange, chosen?.template, answer.body);
  const source = mappingSource(exchange, answer.headers, answer.body);
  const headers: Record<string, string> = { 'content-type': chosen?.contentType ?? 'application/json' };
  for (const { target, value } of response.parameters) {
    const text = mappedValue(value, source);
    if (text !== undefined) headers[target.name.toLowerCase()] = text;
  }
  const override: { status?: unknown; header?: object } = Object(exchange.context['responseOverride']);
  for (const [name, value] of Object.entries(override.header ?? {})) headers[name.toLowerCase()] = asText(value);
  return { status: Number(override.status ?? response.statusCode), headers, body };
}

function responseFor({ responses }: MappedIntegration, status: number): IntegrationResponse {
  const selected =
    responses.find(({ selects }) => selects?.(status)) ?? responses.find(({ selects }) => selects === undefined);
  if (selected) return selected;
  throw misconfigured('No match for output mapping and no default output mapping configured');
}

/** Chooses the template of the accepted media type, otherwise that of JSON, otherwise the first. */
function templateFor(templates: Templates, accept: string | undefined) {
  const [first] = templates.keys();
  const contentType = [accept, 'application/json', first].find(type => type !== undefined && templates.has(type));
  const template = contentType === undefined ? undefined : templates.get(contentType);
  return contentType !== undefined && template ? { contentType, template } : undefined;
}

function transformed(exchange: Exchange, template: ReturnType<Templates['get']>, body: string): string {
  if (!template) return body;
  return orRefused(
    () => template.render(templateVariables(exchange, body)),
    ({ message }) => misconfigured(`Unable to transform response: ${message}`),
  );
}

/**
 * The answer for a request that failed inside API Gateway.
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
  // Only IAM's refusals spell it `Message`.
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
