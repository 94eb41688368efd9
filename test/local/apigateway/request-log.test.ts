import { ApiFixture, deployedApi, post } from './fixture';

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
