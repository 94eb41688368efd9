import { ApiFixture, deployedApi, jsonReply, PUBLISHER_ROLE, post } from './fixture';

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
    expect(fixture.trace.events[0]).toMatchObject({
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
    expect(fixture.trace.events[0]).toMatchObject({ status, latencyMs });
  });

  test('a fault that makes it slow, which counts in its latency', async () => {
    const fixture = new ApiFixture();
    const { host } = deployedApi(fixture);
    fixture.faults.set({ service: 'execute-api', latencyMs: 700 });
    const answered = post(fixture, host);
    await fixture.timeline.runUntilIdle();
    expect((await answered).status).toBe(200);
    expect(fixture.trace.events.at(-1)).toMatchObject({ status: 200, latencyMs: 700 });
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
      id: fixture.trace.events[0]?.requestId,
    });
  });
});

test('throttling: a burst is let through, then a steady rate, and the rest is told to come back', async () => {
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
    const ids = fixture.trace.events.map(({ requestId }) => requestId);
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
    const id = fixture.trace.events[1]?.requestId;
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
    const id = fixture.trace.events[0]?.requestId;
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
