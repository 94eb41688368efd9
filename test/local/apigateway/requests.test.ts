import { ApiFixture, deployedApi, jsonReply, ORDER, PUBLISHER_ROLE, post, signedBy, snsIntegration } from './fixture';

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
    expect(request?.headers['x-request']).toBe(fixture.trace.events[0]?.requestId);
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
    expect(strict.trace.events[0]?.reason).toContain('No match for output mapping');
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
    expect(fixture.trace.events[0]).toMatchObject({ latencyMs: 2_000 });
  });

  test('is answered as late as SNS answers, and logged then', async () => {
    const fixture = new ApiFixture();
    const { host } = deployedApi(fixture);
    fixture.backend = () => jsonReply(200, {}, 1_500);
    expect((await post(fixture, host)).latencyMs).toBe(1_500);
    expect(fixture.trace.events).toEqual([]);
    await fixture.timeline.runUntilIdle();
    expect(fixture.trace.events[0]).toMatchObject({ latencyMs: 1_500, atMs: fixture.timeline.nowMs });
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
    expect(answer.headers['x-id']).toBe(fixture.trace.events[0]?.requestId);
  });

  test('a mock without a status is a configuration error', async () => {
    const fixture = new ApiFixture();
    const { host } = deployedApi(fixture, {
      Integration: { Type: 'MOCK', IntegrationResponses: [{ StatusCode: 200 }] },
    });
    expect((await post(fixture, host)).status).toBe(500);
    expect(fixture.trace.events[0]?.reason).toContain('statusCode');
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
    expect(fixture.trace.events[0]?.responseType).toBe('BAD_REQUEST_BODY');
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

  test('the pattern of a model takes linear time, whatever a client sends', () => {
    const { schemas } = new ApiFixture().apiGateway.createRestApi('models');
    schemas.add('Text', { type: 'string', pattern: '^(a+)+$' });
    expect(schemas.problems('Text', 'a'.repeat(10_000))).toEqual([]);
    // A backtracking matcher would try 2 to the power of 10,000 ways.
    expect(schemas.problems('Text', `${'a'.repeat(10_000)}!`)).toEqual(['/ must match pattern "^(a+)+$"']);
    schemas.add('Accented', { type: 'string', pattern: '^\\u00e9\\d$' });
    expect(schemas.problems('Accented', 'é5')).toEqual([]);
  });

  test('each pattern of a model is a pattern of its own', () => {
    const { schemas } = new ApiFixture().apiGateway.createRestApi('models');
    const properties = { status: { pattern: '^[a-z]+$' }, currency: { pattern: '^[A-Z]{3}$' } };
    schemas.add('Order', { type: 'object', properties });
    expect(schemas.problems('Order', { status: 'confirmed', currency: 'EUR' })).toEqual([]);
    expect(schemas.problems('Order', { status: 'Confirmed', currency: 'EURO' })).toHaveLength(2);
  });

  test('a pattern that looks ahead is refused when the model is made', () => {
    const { schemas } = new ApiFixture().apiGateway.createRestApi('models');
    expect(() => schemas.add('Text', { type: 'string', pattern: '^(?!x)' })).toThrow(
      'The embedded AWS does not implement the pattern ^(?!x) of a model',
    );
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
