import { apiGatewayResourceTypes } from '../../../local/apigateway';
import { ApiGateway } from '../../../local/apigateway/api-gateway';
import type { ApiGatewayTraceEvent } from '../../../local/apigateway/trace-events';
import { administrator, type Caller, roleCaller } from '../../../local/kernel/caller';
import { Faults } from '../../../local/kernel/faults';
import { EXAMPLE_PLACE } from '../../../local/kernel/place';
import { Random } from '../../../local/kernel/random';
import type { Measurement } from '../../../local/kernel/telemetry';
import { Timeline } from '../../../local/kernel/timeline';
import { Trace } from '../../../local/kernel/trace';
import { InMemoryNetwork, type OutgoingRequest, type Reply } from '../../../local/network/network';
import { type Creation, createResource } from '../create-resource';

const START_MS = Date.parse('2026-01-02T03:04:05Z');
export const PUBLISHER_ROLE = 'arn:aws:iam::123456789012:role/Publisher';
const CLIENT_ROLE = 'arn:aws:iam::123456789012:role/Client';
const SNS_HOST = 'sns.us-east-1.amazonaws.com';

const KEYS: Readonly<Record<string, string>> = { ASIAPUBLISHER: PUBLISHER_ROLE, ASIACLIENT: CLIENT_ROLE };

export const signedBy = (accessKeyId: string): string =>
  `AWS4-HMAC-SHA256 Credential=${accessKeyId}/20260102/us-east-1/execute-api/aws4_request, SignedHeaders=host, Signature=0`;

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly latencyMs: number;
}

const PUBLISHED = { PublishResponse: { PublishResult: { MessageId: 'm-1', SequenceNumber: null } } };

/** API Gateway on a network where `sns.us-east-1.amazonaws.com` answers what the test says. */
export class ApiFixture {
  readonly timeline = new Timeline(START_MS);
  readonly trace = new Trace<ApiGatewayTraceEvent>(this.timeline);
  readonly faults = new Faults(this.timeline);
  readonly network = new InMemoryNetwork(() => ({ kind: 'no-answer', code: 'ENOTFOUND' }));
  readonly measured: Measurement[] = [];
  /** What was logged, as `group: line`. */
  readonly logged: string[] = [];
  /** What the backend got. */
  readonly received: OutgoingRequest[] = [];
  /** Roles that do not trust API Gateway, and actions nobody may do. */
  readonly denied = new Set<string>();
  backend: () => Reply | Promise<Reply> = () => jsonReply(200, PUBLISHED);

  readonly apiGateway = new ApiGateway(
    {
      place: EXAMPLE_PLACE,
      timeline: this.timeline,
      random: new Random('apigateway'),
      access: {
        decide: ({ action }) =>
          this.denied.has(action) ? { allowed: false, reason: 'denied by this test' } : { allowed: true, reason: '' },
      },
      keys: { decide: () => ({ allowed: true, reason: '' }) },
      faults: this.faults,
      metrics: { put: measurement => this.measured.push(measurement) },
      trace: this.trace,
    },
    {
      network: this.network,
      functions: { call: () => ({}) },
      logs: { write: (_caller, group, _stream, line) => this.logged.push(`${group}: ${line}`) },
      roles: {
        decideAssumeRole: (_service, roleArn) => ({
          allowed: !this.denied.has(roleArn),
          reason: `what the test says of ${roleArn}`,
        }),
      },
      credentials: {
        issue: roleArn => ({ accessKeyId: `ASIA-${roleArn}`, secretAccessKey: 'secret', sessionToken: 'token' }),
        caller: (accessKeyId = ''): Caller => {
          const role = KEYS[accessKeyId];
          return role ? roleCaller(role) : administrator(EXAMPLE_PLACE.account);
        },
      },
    },
  );

  constructor() {
    this.network.attach(SNS_HOST, request => {
      this.received.push(request);
      return this.backend();
    });
  }

  create(type: string, properties: Readonly<Record<string, unknown>>): Creation {
    return createResource(apiGatewayResourceTypes(this.apiGateway), `AWS::ApiGateway::${type}`, properties);
  }

  /** Creates a resource that must have nothing wrong with it, and answers its Ref. */
  ref(type: string, properties: Readonly<Record<string, unknown>>): string {
    const { created, problems } = this.create(type, properties);
    if (problems.length > 0) throw new Error(problems.join('; '));
    return created.ref;
  }

  async send(request: Partial<OutgoingRequest> & { readonly host: string }): Promise<Answer> {
    const reply = await this.network.send({
      protocol: 'https',
      port: 443,
      method: 'POST',
      path: '/prod/orders',
      headers: { 'content-type': 'application/json' },
      body: new Uint8Array(),
      ...request,
    });
    if (reply.kind !== 'response') throw new Error(`no response but ${reply.kind}`);
    const { status, headers, body, latencyMs = 0 } = reply;
    return { status, headers, text: Buffer.from(body).toString('utf8'), latencyMs };
  }
}

export function jsonReply(status: number, document: object, latencyMs = 0): Reply {
  const headers = { 'content-type': 'application/json', 'x-amzn-requestid': 'backend-1' };
  return { kind: 'response', status, headers, body: Buffer.from(JSON.stringify(document)), latencyMs };
}

/** An API with `POST /orders` on a stage `prod`; what is given replaces the method's and the stage's properties. */
export function deployedApi(
  fixture: ApiFixture,
  method: Readonly<Record<string, unknown>> = {},
  stage: Readonly<Record<string, unknown>> = {},
  more: (apiId: string) => void = () => undefined,
): { readonly apiId: string; readonly host: string } {
  const { created } = fixture.create('RestApi', { Name: 'Rental-Orders' });
  const apiId = created.ref;
  const ParentId = created.attributes['RootResourceId'];
  const orders = fixture.ref('Resource', { RestApiId: apiId, ParentId, PathPart: 'orders' });
  more(apiId);
  fixture.ref('Method', {
    RestApiId: apiId,
    ResourceId: orders,
    HttpMethod: 'POST',
    AuthorizationType: 'NONE',
    Integration: snsIntegration(),
    MethodResponses: [200, 400, 500, 503].map(StatusCode => ({ StatusCode })),
    ...method,
  });
  const DeploymentId = fixture.ref('Deployment', { RestApiId: apiId });
  fixture.ref('Stage', { RestApiId: apiId, DeploymentId, StageName: 'prod', ...stage });
  return { apiId, host: `${apiId}.execute-api.us-east-1.amazonaws.com` };
}

/** The integration of the rental backend's API, with what is given in its place. */
export function snsIntegration(properties: Readonly<Record<string, unknown>> = {}): Readonly<Record<string, unknown>> {
  return {
    Type: 'AWS',
    Uri: 'arn:aws:apigateway:us-east-1:sns:path//',
    IntegrationHttpMethod: 'POST',
    Credentials: PUBLISHER_ROLE,
    PassthroughBehavior: 'NEVER',
    RequestParameters: { 'integration.request.header.Content-Type': "'application/x-www-form-urlencoded'" },
    RequestTemplates: {
      'application/json':
        "Action=Publish&TopicArn=$util.urlEncode('arn:aws:sns:us-east-1:123456789012:Rental-Orders')" +
        '&Message=$util.urlEncode($input.body)' +
        '&MessageAttributes.entry.1.Name=order-status&MessageAttributes.entry.1.Value.DataType=String' +
        "&MessageAttributes.entry.1.Value.StringValue=$util.urlEncode($input.path('$.status'))",
    },
    IntegrationResponses: [
      {
        StatusCode: 200,
        ResponseTemplates: {
          'application/json': '{"messageId":"$input.path(\'$.PublishResponse.PublishResult.MessageId\')"}',
        },
      },
      { StatusCode: 400, SelectionPattern: '400', ResponseTemplates: { 'application/json': '{"message":"refused"}' } },
      {
        StatusCode: 503,
        SelectionPattern: '5\\d{2}',
        ResponseTemplates: { 'application/json': '{"message":"later"}' },
      },
    ],
    ...properties,
  };
}

export const ORDER = { orderId: 'A-1', status: 'confirmed' };

/** Posts an order, or whatever is given instead, to `/orders` of the stage `prod`. */
export async function post(
  fixture: ApiFixture,
  host: string,
  body: string | object = ORDER,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return fixture.send({ host, headers: { 'content-type': 'application/json', ...headers }, body: Buffer.from(text) });
}
