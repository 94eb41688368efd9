import { type Answer, ApiFixture, deployedApi, jsonReply, PUBLISHER_ROLE, signedBy, snsIntegration } from './fixture';

const ORDER = { orderId: 'A-1', status: 'confirmed' };

async function post(
  fixture: ApiFixture,
  host: string,
  body: string | object = ORDER,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return fixture.send({ host, headers: { 'content-type': 'application/json', ...headers }, body: Buffer.from(text) });
}

describe('a request to SNS', () => {
  test('arrives as a form, as the role of the integration', async () => {
    const fixture = new ApiFixture();
    const { host, apiId } = deployedApi(fixture);
    const answer = await post(fixture, host);
    expect(answer).toMatchObject({ status: 200, text: '{"messageId":"m-1"}' });
    expect(answer.headers['content-type']).toBe('application/json');
    const [request] = fixture.received;
    expect(request).toMatchObject({ protocol: 'https', method: 'POST', path: '/', port: 443 });
    expect(request?.headers).toMatchObject({
      accept: 'application/json',
      'content-type': 'application/x-www-form-urlencoded',
      'x-amzn-apigateway-api-id': apiId,
      'x-amz-date': '20260102T030405Z',
      'x-amz-security-token': 'token',
      authorization: expect.stringContaining(`Credential=ASIA-${PUBLISHER_ROLE}/20260102/us-east-1/sns/aws4_request`),
    });
    expect(Object.fromEntries(new URLSearchParams(Buffer.from(request?.body ?? []).toString()))).toEqual({
      Action: 'Publish',
      TopicArn: 'arn:aws:sns:us-east-1:123456789012:Rental-Orders',
      Message: JSON.stringify(ORDER),
      'MessageAttributes.entry.1.Name': 'order-status',
      'MessageAttributes.entry.1.Value.DataType': 'String',
      'MessageAttributes.entry.1.Value.StringValue': 'confirmed',
    });
  });

  test.each([
    'it\'s "quoted"',
    'a&b=c+d%20e',
    'line one\nline two\r\n\ttab',
    'Zoë 🚗 Straße 東京',
    '$util.urlEncode(1) #if($x) $y \\',
  ])('carries %j unharmed', async status => {
    const fixture = new ApiFixture();
    const { host } = deployedApi(fixture);
    await post(fixture, host, { status });
    const form = new URLSearchParams(Buffer.from(fixture.received[0]?.body ?? []).toString());
    expect(form.get('MessageAttributes.entry.1.Value.StringValue')).toBe(status);
    expect(JSON.parse(form.get('Message') ?? '')).toEqual({ status });
  });

  test('in its other form names the action in the URL, and takes mapped parameters along', async () => {
    const fixture = new ApiFixture();
    const { host } = deployedApi(fixture, {
      RequestParameters: { 'method.request.querystring.tenant': false },
      Integration: snsIntegration({
        Uri: 'arn:aws:apigateway:us-east-1:sns:action/Publish',
        PassthroughBehavior: 'WHEN_NO_MATCH',
        RequestTemplates: {},
        RequestParameters: {
          'integration.request.querystring.TopicArn': "'arn:aws:sns:us-east-1:123456789012:T'",
          'integration.request.querystring.Message': 'method.request.body.orderId',
          'integration.request.querystring.Subject': 'method.request.querystring.tenant',
          'integration.request.header.X-Request': 'context.requestId',
          'integration.request.querystring.Absent': 'method.request.header.X-Absent',
        },
      }),
    });
    await fixture.send({ host, path: '/prod/orders?tenant=a%20b', body: Buffer.from(JSON.stringify(ORDER)) });
    const [request] = fixture.received;
    expect(Object.fromEntries(new URLSearchParams(request?.path.slice(2)))).toEqual({
      Action: 'Publish',
      TopicArn: 'arn:aws:sns:us-east-1:123456789012:T',
      Message: 'A-1',
      Subject: 'a b',
    });
    expect(request?.headers['x-request']).toBe(fixture.trace.happenings[0]?.requestId);
  });

  test.each([
    [400, 400, '{"message":"refused"}'],
    [500, 503, '{"message":"later"}'],
    [503, 503, '{"message":"later"}'],
  ])('that SNS answers %i ends %i, by selection pattern', async (backend, status, text) => {
    const fixture = new ApiFixture();
    const { host } = deployedApi(fixture);
    fixture.backend = () => jsonReply(backend, { Error: { Code: 'X' } });
    expect(await post(fixture, host)).toMatchObject({ status, text });
  });

  test('takes the default response when no pattern fits, and fails when there is no default', async () => {
    const fixture = new ApiFixture();
    const { host } = deployedApi(fixture);
    fixture.backend = () => jsonReply(403, {});
    expect((await post(fixture, host)).status).toBe(200);
    const strict = new ApiFixture();
    const [, only] = snsIntegration()['IntegrationResponses'] as object[];
    const api = deployedApi(strict, { Integration: snsIntegration({ IntegrationResponses: [only] }) });
    strict.backend = () => jsonReply(403, {});
    expect(await post(strict, api.host)).toMatchObject({ status: 500, text: '{"message":"Internal server error"}' });
    expect(strict.trace.happenings[0]?.reason).toContain('No match for output mapping');
  });

  test('whose answer comes later, by some due work, is answered then', async () => {
    const fixture = new ApiFixture();
    const { host } = deployedApi(fixture);
    fixture.backend = () =>
      new Promise(resolve => {
        fixture.timeline.after(2_000, () => resolve(jsonReply(200, {})));
      });
    const answer = post(fixture, host);
    await fixture.timeline.runUntilIdle();
    expect((await answer).status).toBe(200);
    expect(fixture.trace.happenings[0]).toMatchObject({ latencyMs: 2_000 });
  });

  test('is answered as late as SNS answers, and logged then', async () => {
    const fixture = new ApiFixture();
    const { host } = deployedApi(fixture);
    fixture.backend = () => jsonReply(200, {}, 1_500);
    expect((await post(fixture, host)).latencyMs).toBe(1_500);
    expect(fixture.trace.happenings).toEqual([]);
    await fixture.timeline.runUntilIdle();
    expect(fixture.trace.happenings[0]).toMatchObject({ latencyMs: 1_500, atMs: fixture.timeline.nowMs });
  });
});

describe('what API Gateway answers itself', () => {
  const CASES: readonly [string, Parameters<ApiFixture['send']>[0] | object, number, string, string][] = [
    ['an unknown path', { path: '/prod/none' }, 403, 'Missing Authentication Token', 'MissingAuthenticationToken'],
    ['an unknown method', { method: 'GET' }, 403, 'Missing Authentication Token', 'MissingAuthenticationToken'],
    ['an unknown stage', { path: '/test/orders' }, 403, 'Forbidden', 'Forbidden'],
    ['no stage at all', { path: '/' }, 403, 'Forbidden', 'Forbidden'],
    [
      'a content type without a template',
      { headers: { 'content-type': 'text/csv' } },
      415,
      'Unsupported Media Type',
      'UnsupportedMediaType',
    ],
    ['a template that needs JSON and gets none', { body: Buffer.from('{') }, 500, 'Internal server error', 'Internal'],
    ['a body beyond 10 MB', { body: Buffer.alloc(10 * 1024 * 1024 + 1) }, 413, 'Request Too Long', 'RequestTooLarge'],
  ];
  test.each(CASES)('%s', async (_, request, status, message, errorType) => {
    const fixture = new ApiFixture();
    const { host } = deployedApi(fixture);
    const answer = await fixture.send({ host, ...request });
    expect(answer).toMatchObject({ status, text: JSON.stringify({ message }) });
    expect(answer.headers['x-amzn-errortype']).toContain(errorType);
    expect(fixture.received).toEqual([]);
  });

  test('a role that does not trust API Gateway is a server error, and the trace says which role', async () => {
    const fixture = new ApiFixture();
    const { host } = deployedApi(fixture);
    fixture.denied.add(PUBLISHER_ROLE);
    expect(await post(fixture, host)).toMatchObject({ status: 500, text: '{"message":"Internal server error"}' });
    expect(fixture.trace.happenings[0]).toMatchObject({
      responseType: 'API_CONFIGURATION_ERROR',
      reason: `Execution failed due to configuration error: API Gateway does not have permission to assume the provided role ${PUBLISHER_ROLE}`,
    });
  });

  test.each([
    ['silence', 504, 'Endpoint request timed out', 29_000],
    ['an answer after half a minute', 504, 'Endpoint request timed out', 29_000],
    ['a refused connection', 504, 'Network error communicating with endpoint', 40],
  ])('%s from the backend', async (kind, status, message, latencyMs) => {
    const fixture = new ApiFixture();
    const { host } = deployedApi(fixture);
    fixture.backend = () => {
      if (kind === 'silence') return { kind: 'silence' };
      if (kind.startsWith('an answer')) return jsonReply(200, {}, 30_000);
      return { kind: 'no-answer', code: 'ECONNREFUSED', latencyMs: 40 };
    };
    expect(await post(fixture, host)).toMatchObject({ status, text: JSON.stringify({ message }), latencyMs });
    await fixture.timeline.runUntilIdle();
    expect(fixture.trace.happenings[0]).toMatchObject({ status, latencyMs });
  });

  test('a fault that a scenario sets', async () => {
    const fixture = new ApiFixture();
    const { host } = deployedApi(fixture);
    fixture.faults.set({ service: 'execute-api' });
    expect((await post(fixture, host)).status).toBe(503);
  });

  test('can be worded by the owner of the API', async () => {
    const fixture = new ApiFixture();
    const { host } = deployedApi(fixture, {}, {}, RestApiId => {
      fixture.ref('GatewayResponse', {
        RestApiId,
        ResponseType: 'DEFAULT_4XX',
        StatusCode: '404',
        ResponseParameters: { 'gatewayresponse.header.Access-Control-Allow-Origin': "'*'" },
        ResponseTemplates: { 'application/json': '{"error":$context.error.messageString,"id":"$context.requestId"}' },
      });
    });
    const answer = await fixture.send({ host, path: '/prod/none' });
    expect(answer.status).toBe(404);
    expect(answer.headers['access-control-allow-origin']).toBe('*');
    expect(JSON.parse(answer.text)).toEqual({
      error: 'Missing Authentication Token',
      id: fixture.trace.happenings[0]?.requestId,
    });
  });
});

describe('a method with IAM authorization', () => {
  const withIam = (fixture: ApiFixture) => deployedApi(fixture, { AuthorizationType: 'AWS_IAM' });

  test('turns away requests without a signature', async () => {
    const fixture = new ApiFixture();
    expect(await post(fixture, withIam(fixture).host)).toMatchObject({
      status: 403,
      text: '{"message":"Missing Authentication Token"}',
    });
  });

  test('and those with another kind of authorization', async () => {
    const fixture = new ApiFixture();
    const answer = await post(fixture, withIam(fixture).host, ORDER, { authorization: 'Bearer x' });
    expect(answer.status).toBe(403);
    expect(answer.headers['x-amzn-errortype']).toBe('IncompleteSignatureException');
  });

  test('lets in who may invoke it', async () => {
    const fixture = new ApiFixture();
    const answer = await post(fixture, withIam(fixture).host, ORDER, { authorization: signedBy('ASIACLIENT') });
    expect(answer.status).toBe(200);
  });

  test('tells the others what they lack, with most of the account hidden', async () => {
    const fixture = new ApiFixture();
    fixture.denied.add('execute-api:Invoke');
    const { host, apiId } = withIam(fixture);
    const answer = await post(fixture, host, ORDER, { authorization: signedBy('ASIACLIENT') });
    expect(answer.status).toBe(403);
    expect(JSON.parse(answer.text)).toEqual({
      Message: `User: arn:aws:iam::123456789012:role/Client is not authorized to perform: execute-api:Invoke on resource: arn:aws:execute-api:us-east-1:********9012:${apiId}/prod/POST/orders`,
    });
  });
});

describe('request validation', () => {
  const SCHEMA = {
    $schema: 'http://json-schema.org/draft-04/schema#',
    type: 'object',
    required: ['orderId', 'status'],
    properties: {
      orderId: { type: 'string', minLength: 1 },
      status: { type: 'string', pattern: '^[a-z]+(-[a-z]+)*$' },
      days: { type: 'number', minimum: 0, exclusiveMinimum: true },
    },
  };

  function validated(fixture: ApiFixture) {
    const { created } = fixture.create('RestApi', { Name: 'Rental-Orders' });
    const RestApiId = created.ref;
    const ParentId = created.attributes['RootResourceId'];
    const names = {
      RequestValidatorId: fixture.ref('RequestValidator', {
        RestApiId,
        ValidateRequestBody: true,
        ValidateRequestParameters: 'true',
      }),
      RequestModels: {
        'application/json': fixture.ref('Model', {
          RestApiId,
          Name: 'Order',
          ContentType: 'application/json',
          Schema: SCHEMA,
        }),
      },
    };
    const ResourceId = fixture.ref('Resource', { RestApiId, ParentId, PathPart: 'orders' });
    fixture.ref('Method', {
      RestApiId,
      ResourceId,
      HttpMethod: 'POST',
      RequestParameters: { 'method.request.header.X-Tenant': true, 'method.request.querystring.page': false },
      Integration: snsIntegration({ PassthroughBehavior: 'WHEN_NO_MATCH' }),
      MethodResponses: [200, 400, 503].map(StatusCode => ({ StatusCode })),
      ...names,
    });
    const DeploymentId = fixture.ref('Deployment', { RestApiId });
    fixture.ref('Stage', { RestApiId, DeploymentId, StageName: 'prod' });
    return `${RestApiId}.execute-api.us-east-1.amazonaws.com`;
  }

  test.each([
    ['a field is missing', { orderId: 'A-1' }],
    ['a field has the wrong type', { orderId: 1, status: 'confirmed' }],
    ['a text does not fit its pattern', { orderId: 'A-1', status: 'Not Confirmed' }],
    ['a number is not above its minimum, as draft 4 words it', { ...ORDER, days: 0 }],
    ['the body is not an object', '[]'],
    ['the body is not JSON', '{"orderId":"A-1",'],
    ['the body is empty', ''],
  ])('%s: 400, and nothing reaches SNS', async (_, body) => {
    const fixture = new ApiFixture();
    const answer = await post(fixture, validated(fixture), body, { 'x-tenant': 'acme' });
    expect(answer).toMatchObject({ status: 400, text: '{"message":"Invalid request body"}' });
    expect(fixture.received).toEqual([]);
    expect(fixture.trace.happenings[0]?.responseType).toBe('BAD_REQUEST_BODY');
  });

  test('a required parameter is missing: 400 with its name', async () => {
    const fixture = new ApiFixture();
    expect(await post(fixture, validated(fixture))).toMatchObject({
      status: 400,
      text: '{"message":"Missing required request parameters: [X-Tenant]"}',
    });
  });

  test('a good request passes, and so does a body whose content type has no model', async () => {
    const fixture = new ApiFixture();
    const host = validated(fixture);
    expect((await post(fixture, host, { ...ORDER, days: 0.5 }, { 'x-tenant': 'acme' })).status).toBe(200);
    const plain = { 'x-tenant': 'acme', 'content-type': 'text/plain' };
    expect((await post(fixture, host, 'anything', plain)).status).toBe(200);
    expect(fixture.received).toHaveLength(2);
  });

  test('models refer to each other as API Gateway has them do', async () => {
    const fixture = new ApiFixture();
    const api = fixture.apiGateway.createRestApi('models');
    api.schemas.add('Money', { type: 'object', required: ['amount'] });
    const $ref = `https://apigateway.amazonaws.com/restapis/${api.id}/models/Money`;
    api.schemas.add('Order', { type: 'object', properties: { price: { $ref } } });
    expect(api.schemas.problems('Order', { price: {} })).toEqual(["/price must have required property 'amount'"]);
    expect(api.schemas.problems('Order', { price: { amount: 1 } })).toEqual([]);
    expect(() => api.schemas.add('Lost', { $ref: '#/definitions/none' })).toThrow('Invalid model specified');
    expect(() => api.schemas.add('Wrong', { type: 'thing' })).toThrow('Invalid model specified');
  });
});

describe('routing', () => {
  function mockAt(fixture: ApiFixture, ...paths: string[][]): string {
    const { created } = fixture.create('RestApi', { Name: 'Paths' });
    const RestApiId = created.ref;
    const ids = new Map([['', created.attributes['RootResourceId']]]);
    for (const path of paths) {
      path.forEach((PathPart, depth) => {
        const [parent, own] = [path.slice(0, depth).join('/'), path.slice(0, depth + 1).join('/')];
        if (!ids.has(own)) ids.set(own, fixture.ref('Resource', { RestApiId, ParentId: ids.get(parent), PathPart }));
      });
      fixture.ref('Method', {
        RestApiId,
        ResourceId: ids.get(path.join('/')),
        HttpMethod: 'ANY',
        Integration: {
          Type: 'MOCK',
          RequestTemplates: { 'application/json': '{"statusCode": 200}' },
          IntegrationResponses: [
            {
              StatusCode: 200,
              ResponseTemplates: {
                'text/plain': '$context.resourcePath $input.params("id")$input.params("proxy") $context.httpMethod',
              },
              ResponseParameters: { 'method.response.header.X-Path': 'context.path' },
            },
          ],
        },
        MethodResponses: [{ StatusCode: 200, ResponseParameters: { 'method.response.header.X-Path': true } }],
      });
    }
    const DeploymentId = fixture.ref('Deployment', { RestApiId });
    fixture.ref('Stage', { RestApiId, DeploymentId, StageName: 'v1' });
    return `${RestApiId}.execute-api.us-east-1.amazonaws.com`;
  }

  test.each([
    ['/v1', '/  GET'],
    ['/v1/orders', '/orders  GET'],
    ['/v1/orders/', '/orders  GET'],
    ['/v1/orders/a%20b', '/orders/{id} a b GET'],
    ['/v1/orders/open', '/orders/open  GET'],
    ['/v1/files/a/b.txt?x=1', '/files/{proxy+} a/b.txt GET'],
    ['/v1/orders/100%25', '/orders/{id} 100% GET'],
  ])('%s', async (path, text) => {
    const fixture = new ApiFixture();
    const host = mockAt(fixture, [], ['orders'], ['orders', '{id}'], ['orders', 'open'], ['files', '{proxy+}']);
    const answer = await fixture.send({ host, path, method: 'GET', headers: {} });
    expect(answer).toMatchObject({ status: 200, text });
    expect(answer.headers).toMatchObject({ 'content-type': 'text/plain', 'x-path': path.split('?')[0] });
  });

  test('two variables under one parent, and two resources of one name, are refused', () => {
    const fixture = new ApiFixture();
    const { created } = fixture.create('RestApi', { Name: 'Paths' });
    const at = { RestApiId: created.ref, ParentId: created.attributes['RootResourceId'] };
    fixture.ref('Resource', { ...at, PathPart: '{id}' });
    expect(() => fixture.ref('Resource', { ...at, PathPart: '{other}' })).toThrow('only one is allowed');
    expect(() => fixture.ref('Resource', { ...at, PathPart: '{id}' })).toThrow('already has this name');
    expect(() => fixture.ref('Resource', { ...at, PathPart: 'a/b' })).toThrow("Resource's path part only allow");
  });

  test('what is changed after the deployment does not reach the stage', async () => {
    const fixture = new ApiFixture();
    const { host, apiId } = deployedApi(fixture);
    const api = fixture.apiGateway.restApi(apiId);
    api.addResource('late', api.root.id, 'late');
    const answer = await fixture.send({ host, path: '/prod/late' });
    expect(answer.status).toBe(403);
  });
});

describe('the template of an integration', () => {
  test('may override the status and the headers of the answer', async () => {
    const fixture = new ApiFixture();
    const template =
      '#set($context.responseOverride.status = 202)#set($context.responseOverride.header.X-Id = $context.requestId){}';
    const { host } = deployedApi(fixture, {
      Integration: snsIntegration({
        IntegrationResponses: [{ StatusCode: 200, ResponseTemplates: { 'application/json': template } }],
      }),
    });
    const answer = await post(fixture, host);
    expect(answer).toMatchObject({ status: 202, text: '{}' });
    expect(answer.headers['x-id']).toBe(fixture.trace.happenings[0]?.requestId);
  });

  test('a mock without a status is a configuration error', async () => {
    const fixture = new ApiFixture();
    const { host } = deployedApi(fixture, {
      Integration: { Type: 'MOCK', IntegrationResponses: [{ StatusCode: 200 }] },
    });
    expect((await post(fixture, host)).status).toBe(500);
    expect(fixture.trace.happenings[0]?.reason).toContain('statusCode');
  });
});

describe('throttling', () => {
  test('a burst is let through, then a steady rate, and the rest is told to come back', async () => {
    const fixture = new ApiFixture();
    const { host } = deployedApi(
      fixture,
      {},
      { MethodSettings: [{ HttpMethod: '*', ResourcePath: '/*', ThrottlingBurstLimit: 3, ThrottlingRateLimit: 2 }] },
    );
    const burst = [];
    for (let i = 0; i < 5; i += 1) burst.push((await post(fixture, host)).status);
    expect(burst).toEqual([200, 200, 200, 429, 429]);
    await fixture.timeline.advanceTo(fixture.timeline.nowMs + 500);
    expect((await post(fixture, host)).status).toBe(200);
    expect(await post(fixture, host)).toMatchObject({ status: 429, text: '{"message":"Too Many Requests"}' });
  });
});

describe('what is written down', () => {
  const ACCESS_LOG = 'arn:aws:logs:us-east-1:123456789012:log-group:Access:*';

  function logging(fixture: ApiFixture, LoggingLevel: string) {
    fixture.ref('Account', { CloudWatchRoleArn: 'arn:aws:iam::123456789012:role/Logs' });
    return deployedApi(
      fixture,
      {},
      {
        AccessLogSetting: {
          DestinationArn: ACCESS_LOG,
          Format:
            '$context.requestId $context.identity.sourceIp [$context.requestTime] "$context.httpMethod $context.resourcePath $context.protocol" $context.status $context.responseLength $context.identity.user',
        },
        MethodSettings: [{ HttpMethod: '*', ResourcePath: '/*', LoggingLevel }],
      },
    );
  }

  test('the access log has one line a request; a variable without a value is a dash', async () => {
    const fixture = new ApiFixture();
    const { host } = logging(fixture, 'OFF');
    await post(fixture, host);
    await fixture.send({ host, path: '/prod/none' });
    const ids = fixture.trace.happenings.map(({ requestId }) => requestId);
    expect(fixture.logged).toEqual([
      `Access: ${ids[0]} 127.0.0.1 [02/Jan/2026:03:04:05 +0000] "POST /orders HTTP/1.1" 200 19 -`,
      `Access: ${ids[1]} 127.0.0.1 [02/Jan/2026:03:04:05 +0000] "POST - HTTP/1.1" 403 42 -`,
    ]);
  });

  test('the execution log tells of errors only, at that level', async () => {
    const fixture = new ApiFixture();
    const { host, apiId } = logging(fixture, 'ERROR');
    await post(fixture, host);
    await post(fixture, host, '{');
    const id = fixture.trace.happenings[1]?.requestId;
    const lines = fixture.logged.filter(line => line.startsWith(`API-Gateway-Execution-Logs_${apiId}/prod: `));
    expect(lines.map(line => line.split(': ').slice(1).join(': '))).toEqual([
      expect.stringContaining(`(${id}) Execution failed due to configuration error: Unable to transform request`),
      `(${id}) Method completed with status: 500`,
    ]);
  });

  test('and of every request at the level INFO', async () => {
    const fixture = new ApiFixture();
    const { host } = logging(fixture, 'INFO');
    await post(fixture, host);
    const id = fixture.trace.happenings[0]?.requestId;
    expect(fixture.logged.slice(1).map(line => line.replace(/^[^:]*: /, ''))).toEqual([
      `(${id}) Starting execution for request: ${id}`,
      `(${id}) HTTP Method: POST, Resource Path: /orders`,
      `(${id}) Successfully completed execution`,
      `(${id}) Method completed with status: 200`,
    ]);
  });

  test('the metrics count requests and errors by API and by stage', async () => {
    const fixture = new ApiFixture();
    const { host } = deployedApi(
      fixture,
      {},
      { MethodSettings: [{ HttpMethod: 'POST', ResourcePath: '/~1orders', MetricsEnabled: true }] },
    );
    await post(fixture, host);
    await post(fixture, host, '{');
    const sum = (name: string, dimensions: object) =>
      fixture.measured
        .filter(it => it.name === name && JSON.stringify(it.dimensions) === JSON.stringify(dimensions))
        .reduce((total, { value }) => total + value, 0);
    const byStage = { ApiName: 'Rental-Orders', Stage: 'prod' };
    expect(sum('Count', { ApiName: 'Rental-Orders' })).toBe(2);
    expect(sum('Count', byStage)).toBe(2);
    expect(sum('5XXError', byStage)).toBe(1);
    expect(sum('4XXError', byStage)).toBe(0);
    expect(sum('Count', { ...byStage, Resource: '/orders', Method: 'POST' })).toBe(2);
  });

  test('nothing, and the deploy fails, as long as the account has no role for logs', () => {
    const fixture = new ApiFixture();
    const setting = { DestinationArn: ACCESS_LOG, Format: '$context.requestId' };
    expect(() => deployedApi(fixture, {}, { AccessLogSetting: setting })).toThrow(
      'CloudWatch Logs role ARN must be set in account settings to enable logging',
    );
    fixture.denied.add('logs:PutLogEvents');
    expect(() => fixture.ref('Account', { CloudWatchRoleArn: 'arn:aws:iam::123456789012:role/Logs' })).toThrow(
      'The role ARN does not have required permissions configured',
    );
  });
});
