import { asText } from '../mapping/java';
import { orRefused } from '../mapping/template';
import type { Integration, IntegrationResponse, Templates } from '../model/method';
import type { Exchange } from './exchange';
import { templateVariables } from './exchange';
import { misconfigured } from './gateway-failure';
import { mappedValue, mappingSource } from './integration-request';

/** What the backend said. */
export interface BackendAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What the client is told. */
export interface ClientAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * Turns the backend's answer into the method's: the integration response whose pattern fits the backend's status, or the
 * one without a pattern, says how.
 *
 * @throws GatewayFailure when no integration response fits, or its template fails
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-integration-settings-integration-response.html
 */
export function clientAnswer(exchange: Exchange, integration: Integration, answer: BackendAnswer): ClientAnswer {
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

function responseFor({ responses }: Integration, status: number): IntegrationResponse {
  const selected =
    responses.find(({ selectionPattern }) => selectionPattern?.test(String(status))) ??
    responses.find(({ selectionPattern }) => selectionPattern === undefined);
  if (selected) return selected;
  throw misconfigured('No match for output mapping and no default output mapping configured');
}

/** By what the client accepts, else JSON, else the first. */
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
