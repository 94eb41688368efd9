import { ApiFixture, deployedApi, jsonReply, ORDER, PUBLISHER_ROLE, post, snsIntegration } from './fixture';

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
