import { ownMember } from '../../../policy/json-members';
import type { Credentials, RoleTrust, SessionCredentials } from '../../kernel/access';
import type { Place } from '../../kernel/place';
import type { OutgoingRequest } from '../../network/network';
import type { MappingSource, ParameterMapping } from '../mapping/parameter-mapping';
import { asText, orRefused } from '../mapping/template';
import type { ParameterLocation } from '../mapping/template-variables';
import { GatewayFailure, misconfigured } from '../model/gateway-response';
import type { AwsIntegration, MappedIntegration } from '../model/method';
import { contentTypeOf, type Exchange, templateVariables } from './exchange';

const HTTPS_PORT = 443;

interface IntegrationDependencies {
  readonly place: Place;
  readonly roles: RoleTrust;
  readonly credentials: Credentials;
  /** Sessions of roles that are already assumed, by role ARN. */
  readonly sessions: Map<string, SessionCredentials>;
}

/**
 * The body for the backend: rendered by the template of its content type, or unchanged where the method allows
 * passthrough.
 *
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/integration-passthrough-behaviors.html
 */
export function integrationBody(exchange: Exchange, integration: MappedIntegration): string {
  const { requestTemplates, passthroughBehavior } = integration;
  const template = requestTemplates.get(contentTypeOf(exchange.request.headers));
  if (template) {
    return orRefused(
      () => template.render(templateVariables(exchange, exchange.body)),
      ({ message }) => misconfigured(`Unable to transform request: ${message}`),
    );
  }
  const passes =
    passthroughBehavior === 'WHEN_NO_MATCH' ||
    (passthroughBehavior === 'WHEN_NO_TEMPLATES' && requestTemplates.size === 0);
  if (!passes) {
    const type = contentTypeOf(exchange.request.headers);
    throw new GatewayFailure('UNSUPPORTED_MEDIA_TYPE', `There is no template for the content type ${type}`);
  }
  return exchange.body;
}

/** The request to the AWS service, signed with the integration's role. */
export function integrationRequest(
  exchange: Exchange,
  integration: AwsIntegration,
  neighbours: IntegrationDependencies,
): OutgoingRequest {
  const target = serviceTarget(integration.uri, neighbours.place);
  if (!target) throw misconfigured(`Invalid integration URI: ${integration.uri}`);
  const body = integrationBody(exchange, integration);
  const mapped = mappedParameters(exchange, integration.requestParameters);
  return {
    protocol: 'https',
    host: target.host,
    port: HTTPS_PORT,
    method: integration.httpMethod,
    path: withQuery(withPathParameters(target.path, mapped.path), mapped.querystring),
    headers: {
      accept: 'application/json',
      'content-type': contentTypeOf(exchange.request.headers),
      'user-agent': `AmazonAPIGateway_${exchange.api.id}`,
      'x-amzn-apigateway-api-id': exchange.api.id,
      ...mapped.header,
      ...signature(target, sessionFor(integration.roleArn, neighbours), exchange.startedAtMs),
      host: target.host,
    },
    body: Buffer.from(body),
  };
}

type Mapped = Readonly<Record<ParameterLocation, Record<string, string>>>;

/** The mapped parameters, overridden by those that the template sets in `$context.requestOverride`. */
function mappedParameters(exchange: Exchange, mappings: readonly ParameterMapping[]): Mapped {
  const mapped: Mapped = { header: {}, querystring: {}, path: {} };
  const source = mappingSource(exchange, {}, '');
  for (const { target, value } of mappings) {
    const text = mappedValue(value, source);
    if (text !== undefined) mapped[target.location][keyOf(target.location, target.name)] = text;
  }
  const overrides: Readonly<Record<string, object>> = Object(exchange.context['requestOverride']);
  for (const location of ['header', 'querystring', 'path'] as const) {
    for (const [name, value] of Object.entries(overrides[location] ?? {})) {
      mapped[location][keyOf(location, name)] = asText(value);
    }
  }
  return mapped;
}

/** @throws GatewayFailure when the expression cannot be evaluated, for example on a body that is not JSON */
export function mappedValue(value: ParameterMapping['value'], source: MappingSource): string | undefined {
  return orRefused(
    () => value(source),
    ({ message }) => misconfigured(`Invalid mapping expression: ${message}`),
  );
}

export function mappingSource(
  exchange: Exchange,
  responseHeaders: Readonly<Record<string, string>>,
  responseBody: string,
): MappingSource {
  return {
    request: exchange.parameters,
    requestBody: exchange.body,
    responseHeaders,
    responseBody,
    context: exchange.context,
    stageVariables: exchange.stage.variables,
  };
}

const keyOf = (location: ParameterLocation, name: string): string =>
  location === 'header' ? name.toLowerCase() : name;

function withPathParameters(path: string, values: Readonly<Record<string, string>>): string {
  return path.replace(/\{([\w.-]+)\+?\}/g, (whole, name) => ownMember(values, name) ?? whole);
}

function withQuery(path: string, values: Readonly<Record<string, string>>): string {
  const query = new URLSearchParams(values).toString();
  if (query === '') return path;
  return `${path}${path.includes('?') ? '&' : '?'}${query}`;
}

function sessionFor(roleArn: string, { roles, credentials, sessions }: IntegrationDependencies): SessionCredentials {
  if (!roles.decideAssumeRole('apigateway.amazonaws.com', roleArn).allowed) {
    throw misconfigured(`API Gateway does not have permission to assume the provided role ${roleArn}`);
  }
  const session = sessions.get(roleArn) ?? credentials.issue(roleArn);
  sessions.set(roleArn, session);
  return session;
}

/** The headers that identify the session. The embedded AWS reads the access key and verifies no signature. */
function signature(
  { service, region }: { readonly service: string; readonly region: string },
  { accessKeyId, sessionToken }: SessionCredentials,
  atMs: number,
): Readonly<Record<string, string>> {
  const instant = new Date(atMs).toISOString().replace(/[-:]|\.\d{3}/g, '');
  const scope = `${accessKeyId}/${instant.slice(0, 8)}/${region}/${service}/aws4_request`;
  return {
    authorization: `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=host;x-amz-date;x-amz-security-token, Signature=unverified`,
    'x-amz-date': instant,
    'x-amz-security-token': sessionToken,
  };
}

interface ServiceTarget {
  /** The service in signatures and host names, for example `sns`. */
  readonly service: string;
  readonly region: string;
  readonly host: string;
  /** The path with its query. */
  readonly path: string;
}

const URI = /^arn:[^:]+:apigateway:([^:]+):([\w-]+(?:\.[\w-]+)?):(path|action)\/(.*)$/s;

/**
 * Parses `arn:aws:apigateway:us-east-1:sns:path//` or `…:sns:action/Publish&TopicArn=…`; undefined for any other URI.
 *
 * @see https://docs.aws.amazon.com/apigateway/latest/api/API_Integration.html
 */
function serviceTarget(uri: string, place: Place): ServiceTarget | undefined {
  const [, region = '', name = '', form, rest = ''] = URI.exec(uri) ?? [];
  if (!form) return undefined;
  const service = name.split('.').at(-1) ?? name;
  const host = `${name.replace(/^([\w-]+)\.([\w-]+)$/, '$1.$2')}.${region}.${place.urlSuffix}`;
  const path = form === 'action' ? `/?Action=${rest}` : `/${rest.replace(/^\//, '')}`;
  return { service, region, host, path };
}
