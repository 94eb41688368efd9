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
