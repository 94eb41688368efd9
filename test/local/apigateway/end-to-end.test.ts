import { EXAMPLE_PLACE } from '../../../local/kernel/place';
import { Random } from '../../../local/kernel/random';
import { Simulation } from '../../../local/simulation';
import { createResource } from '../create-resource';
import { signedBy, snsIntegration } from './fixture';

const START_MS = Date.parse('2026-01-02T03:04:05Z');
const TOPIC = 'arn:aws:sns:us-east-1:123456789012:Rental-Orders';
const QUEUE = 'arn:aws:sqs:us-east-1:123456789012:Rental-Fulfilment';
const QUEUE_URL = 'https://sqs.us-east-1.amazonaws.com/123456789012/Rental-Fulfilment';

const trustedBy = (Service: string) => ({
  Version: '2012-10-17',
  Statement: [{ Effect: 'Allow', Action: 'sts:AssumeRole', Principal: { Service } }],
});

const allowing = (Action: string, Resource: string) => ({
  Version: '2012-10-17',
  Statement: [{ Effect: 'Allow', Action, Resource }],
});

/** The rental backend in small: an API before a topic, a queue behind it, everything with its true permissions. */
class Backend {
  readonly world = new Simulation({ place: EXAMPLE_PLACE, random: new Random('end to end'), startAtMs: START_MS }).home;
  readonly host: string;
  readonly apiId: string;

  /** @param permitted what the role of the API may do to the topic */
  constructor({ permitted = 'sns:Publish', filter = ['confirmed'] } = {}) {
    this.ref('SNS::Topic', { TopicName: 'Rental-Orders' });
    this.ref('SQS::Queue', { QueueName: 'Rental-Fulfilment' });
    const sendFromTopic = {
      Effect: 'Allow',
      Principal: { Service: 'sns.amazonaws.com' },
      Action: 'sqs:SendMessage',
      Resource: QUEUE,
      Condition: { ArnEquals: { 'aws:SourceArn': TOPIC } },
    };
    this.ref('SQS::QueuePolicy', {
      Queues: [QUEUE_URL],
      PolicyDocument: { Version: '2012-10-17', Statement: [sendFromTopic] },
    });
    this.ref('SNS::Subscription', {
      TopicArn: TOPIC,
      Protocol: 'sqs',
      Endpoint: QUEUE,
      RawMessageDelivery: true,
      FilterPolicy: { 'order-status': filter },
    });
    this.role('Publisher', permitted, TOPIC);
    this.apiId = this.api();
    this.host = `${this.apiId}.execute-api.us-east-1.amazonaws.com`;
    this.role('Client', 'execute-api:Invoke', `arn:aws:execute-api:us-east-1:123456789012:${this.apiId}/prod/POST/*`);
    this.role('Stranger', 'execute-api:Invoke', 'arn:aws:execute-api:us-east-1:123456789012:other/*');
  }

  /** Posts an order as somebody who has assumed the role. */
  async post(body: string, role = 'Client'): Promise<{ readonly status: number; readonly text: string }> {
    const { accessKeyId } = this.world.iam.credentials.issue(`arn:aws:iam::123456789012:role/${role}`);
    const reply = await this.world.network.send({
      protocol: 'https',
      host: this.host,
      port: 443,
      method: 'POST',
      path: '/prod/orders',
      headers: { 'content-type': 'application/json', authorization: signedBy(accessKeyId) },
      body: Buffer.from(body),
    });
    if (reply.kind !== 'response') throw new Error(`no response but ${reply.kind}`);
    return { status: reply.status, text: Buffer.from(reply.body).toString('utf8') };
  }

  /** What has come to the queue, up to ten at a time. */
  async received() {
    await this.world.timeline.advanceTo(this.world.timeline.nowMs + 1_000);
    const { Messages } = await this.world.sqs.call(
      'ReceiveMessage',
      { principal: { kind: 'account', account: '123456789012' }, context: {} },
      { QueueUrl: QUEUE_URL, MaxNumberOfMessages: 10, MessageAttributeNames: ['All'] },
    );
    return Messages ?? [];
  }

  private ref(type: string, properties: Readonly<Record<string, unknown>>, logicalId = 'Thing'): string {
    const types = this.world.resourceTypes();
    const { created, problems } = createResource(types, `AWS::${type}`, properties, logicalId);
    if (problems.length > 0) throw new Error(problems.join('; '));
    return created.ref;
  }

  private role(RoleName: string, action: string, resource: string): void {
    this.ref('IAM::Role', {
      RoleName,
      AssumeRolePolicyDocument: trustedBy('apigateway.amazonaws.com'),
      Policies: [{ PolicyName: 'Only', PolicyDocument: allowing(action, resource) }],
    });
  }

  private api(): string {
    const RestApiId = this.ref('ApiGateway::RestApi', { Name: 'Rental-Orders' });
    const { root } = this.world.apiGateway.restApi(RestApiId);
    const Schema = { type: 'object', required: ['orderId', 'status'], properties: { status: { type: 'string' } } };
    const ResourceId = this.ref('ApiGateway::Resource', { RestApiId, ParentId: root.id, PathPart: 'orders' });
    this.ref('ApiGateway::Method', {
      RestApiId,
      ResourceId,
      HttpMethod: 'POST',
      AuthorizationType: 'AWS_IAM',
      Integration: snsIntegration(),
      MethodResponses: [200, 400, 503].map(StatusCode => ({ StatusCode })),
      RequestModels: { 'application/json': this.ref('ApiGateway::Model', { RestApiId, Name: 'Order', Schema }) },
      RequestValidatorId: this.ref('ApiGateway::RequestValidator', { RestApiId, ValidateRequestBody: true }),
    });
    const DeploymentId = this.ref('ApiGateway::Deployment', { RestApiId });
    this.ref('ApiGateway::Stage', { RestApiId, DeploymentId, StageName: 'prod' });
    return RestApiId;
  }
}

const order = (orderId: string, status = 'confirmed') => JSON.stringify({ orderId, status });

test('an order goes through the API, the wire, the topic and its filter into the queue, with its message id', async () => {
  const backend = new Backend();
  const { status, text } = await backend.post(order('A-1'));
  expect(status).toBe(200);
  const { messageId } = JSON.parse(text);
  const [message, ...others] = await backend.received();
  expect(others).toEqual([]);
  expect(JSON.parse(message?.Body ?? '')).toEqual({ orderId: 'A-1', status: 'confirmed' });
  expect(message?.MessageAttributes?.['order-status']).toMatchObject({ DataType: 'String', StringValue: 'confirmed' });
  expect(backend.world.trace.events.find(({ type }) => type === 'sns.published')).toMatchObject({ messageId });
});

test.each(['it\'s "quoted"', 'a&b=c+d%20e', 'line one\nline two\ttab', 'Zoë 🚗 Straße 東京', '$x #set \\'])(
  'an order of the customer %j arrives as it was sent',
  async customer => {
    const backend = new Backend();
    const body = JSON.stringify({ orderId: 'A-1', status: 'confirmed', customer });
    expect((await backend.post(body)).status).toBe(200);
    const [message] = await backend.received();
    expect(message?.Body).toBe(body);
  },
);

test('an order of another status is published, and filtered out', async () => {
  const backend = new Backend();
  expect((await backend.post(order('A-1', 'requested'))).status).toBe(200);
  expect(await backend.received()).toEqual([]);
});

test('an order that does not fit the model never reaches the topic', async () => {
  const backend = new Backend();
  expect(await backend.post('{"orderId":"A-1"}')).toEqual({ status: 400, text: '{"message":"Invalid request body"}' });
  expect(backend.world.trace.events.some(({ type }) => type === 'sns.published')).toBe(false);
});

test('a role without the grant to publish is refused by SNS, and the API says what its default response says', async () => {
  const backend = new Backend({ permitted: 'sns:ListTopics' });
  expect(await backend.post(order('A-1'))).toEqual({ status: 200, text: '{"messageId":""}' });
  expect(backend.world.trace.events.some(({ type }) => type === 'sns.published')).toBe(false);
  expect(await backend.received()).toEqual([]);
});

test('SNS out of order is told to the client as such', async () => {
  const backend = new Backend();
  backend.world.faults.set({ service: 'sns', action: 'Publish', httpStatus: 500, code: 'InternalError' });
  expect(await backend.post(order('A-1'))).toEqual({ status: 503, text: '{"message":"later"}' });
});

test('who may not invoke the API is turned away with the reason AWS gives', async () => {
  const backend = new Backend();
  const { status, text } = await backend.post(order('A-1'), 'Stranger');
  expect(status).toBe(403);
  expect(JSON.parse(text).Message).toBe(
    `User: arn:aws:iam::123456789012:role/Stranger is not authorized to perform: execute-api:Invoke on resource: arn:aws:execute-api:us-east-1:********9012:${backend.apiId}/prod/POST/orders`,
  );
});

test('the same orders write the same trace', async () => {
  const play = async (): Promise<string> => {
    const backend = new Backend();
    for (const id of ['A-1', 'A-2', 'A-3']) await backend.post(order(id));
    await backend.received();
    return backend.world.trace.toJsonLines();
  };
  expect(await play()).toBe(await play());
});
