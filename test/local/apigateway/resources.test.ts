import { ApiFixture, deployedApi, snsIntegration } from './fixture';

/** What is wrong with a method that is like the rental backend's but for these properties. */
function methodProblems(properties: Readonly<Record<string, unknown>>): readonly string[] {
  const fixture = new ApiFixture();
  const { created } = fixture.create('RestApi', { Name: 'Rental-Orders' });
  return fixture.create('Method', {
    RestApiId: created.ref,
    ResourceId: created.attributes['RootResourceId'],
    HttpMethod: 'POST',
    Integration: snsIntegration(),
    MethodResponses: [200, 400, 503].map(StatusCode => ({ StatusCode })),
    ...properties,
  }).problems;
}

test('a method like the one of the rental backend has nothing wrong with it', () => {
  expect(methodProblems({})).toEqual([]);
});

test.each<[string, Readonly<Record<string, unknown>>]>([
  ['AuthorizationType is not implemented: only NONE and AWS_IAM are', { AuthorizationType: 'COGNITO_USER_POOLS' }],
  ['AuthorizerId is not implemented by the embedded AWS', { AuthorizerId: 'a1' }],
  ['ApiKeyRequired is not implemented', { ApiKeyRequired: true }],
  ['HttpMethod must be one of ANY, DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT', { HttpMethod: 'FETCH' }],
  ['Integration is required', { Integration: undefined }],
  ['RequestModels must name a model of the API', { RequestModels: { 'application/json': 'None' } }],
  ['RequestValidatorId must name a validator of the API', { RequestValidatorId: 'none' }],
  [
    'RequestParameters.method.request.multivalueheader.x must name a header, a query string or a path parameter',
    { RequestParameters: { 'method.request.multivalueheader.x': true } },
  ],
  [
    'Integration.Type is not implemented: only AWS, AWS_PROXY and MOCK are',
    { Integration: { ...snsIntegration(), Type: 'HTTP_PROXY' } },
  ],
  [
    'Integration.Credentials must name a role: the embedded AWS does not implement calling as the caller',
    { Integration: snsIntegration({ Credentials: 'arn:aws:iam::*:user/*' }) },
  ],
  [
    'Integration.PassthroughBehavior must be one of WHEN_NO_MATCH, WHEN_NO_TEMPLATES, NEVER',
    { Integration: snsIntegration({ PassthroughBehavior: 'ALWAYS' }) },
  ],
  [
    'Integration.TimeoutInMillis must be from 50 to 29000',
    { Integration: snsIntegration({ TimeoutInMillis: 30_000 }) },
  ],
  [
    'Integration.RequestParameters.integration.request.body is not a mapping that the embedded AWS implements',
    { Integration: snsIntegration({ RequestParameters: { 'integration.request.body': "'x'" } }) },
  ],
  [
    'Integration.ContentHandling is not implemented by the embedded AWS',
    { Integration: snsIntegration({ ContentHandling: 'CONVERT_TO_BINARY' }) },
  ],
  [
    'Integration.IntegrationResponses[0].StatusCode must be one of the statuses of MethodResponses',
    { Integration: snsIntegration({ IntegrationResponses: [{ StatusCode: 201 }] }) },
  ],
  [
    'Integration.IntegrationResponses[0].ResponseParameters must name headers of the method response',
    {
      Integration: snsIntegration({
        IntegrationResponses: [{ StatusCode: 200, ResponseParameters: { 'method.response.header.X': "'1'" } }],
      }),
    },
  ],
])('%s', (problem, properties) => {
  expect(methodProblems(properties)).toContain(problem);
});

test("a template that is no Velocity, and a pattern that is none, fail the deploy with the parser's words", () => {
  const problems = methodProblems({
    Integration: snsIntegration({
      RequestTemplates: { 'application/json': '#if($x' },
      IntegrationResponses: [{ StatusCode: 200, SelectionPattern: '(' }],
    }),
  });
  expect(problems).toEqual([
    expect.stringMatching(
      /^Integration\.RequestTemplates\.application\/json must be a Velocity template: .*Parse error/s,
    ),
    expect.stringMatching(/^Integration\.IntegrationResponses\[0\]\.SelectionPattern must be a regular expression/),
  ]);
});

test.each([
  ['RestApi', { Name: 'x', Body: {} }, 'Body is not implemented by the embedded AWS'],
  [
    'RestApi',
    { Name: 'x', EndpointConfiguration: { Types: ['PRIVATE'] } },
    'EndpointConfiguration.Types PRIVATE is not implemented by the embedded AWS: there is no VPC',
  ],
  ['RestApi', { Name: 'x', Policy: {} }, 'Policy is not implemented by the embedded AWS'],
  ['Deployment', { RestApiId: 'x', StageName: 'prod' }, 'StageName is not implemented by the embedded AWS'],
  [
    'GatewayResponse',
    { RestApiId: 'x', ResponseType: 'WAF_FILTERED' },
    'ResponseType is a gateway response that never occurs in the embedded AWS',
  ],
])('%s %j: %s', (type, properties, problem) => {
  expect(new ApiFixture().create(type, properties).problems).toContain(problem);
});

test.each<[Readonly<Record<string, unknown>>, string]>([
  [{ CacheClusterEnabled: true }, 'CacheClusterEnabled is not implemented by the embedded AWS'],
  [{ CanarySetting: {} }, 'CanarySetting is not implemented by the embedded AWS'],
  [
    { AccessLogSetting: { DestinationArn: 'arn:aws:firehose:us-east-1:123456789012:deliverystream/x', Format: 'x' } },
    'AccessLogSetting.DestinationArn must name a log group: the embedded AWS does not implement other destinations',
  ],
  [
    {
      AccessLogSetting: {
        DestinationArn: 'arn:aws:logs:us-east-1:123456789012:log-group:x',
        Format: '$context.status',
      },
    },
    'AccessLogSetting.Format must contain $context.requestId or $context.extendedRequestId',
  ],
  [
    { MethodSettings: [{ DataTraceEnabled: true }] },
    'MethodSettings[0].DataTraceEnabled is not implemented by the embedded AWS',
  ],
  [
    { MethodSettings: [{ ThrottlingRateLimit: 1 }] },
    'MethodSettings[0].ThrottlingRateLimit and ThrottlingBurstLimit must be given together in the embedded AWS',
  ],
  [{ MethodSettings: [{ LoggingLevel: 'DEBUG' }] }, 'MethodSettings[0].LoggingLevel must be one of OFF, ERROR, INFO'],
])('a stage with %j fails the deploy', (properties, problem) => {
  const fixture = new ApiFixture();
  expect(() => deployedApi(fixture, {}, properties)).toThrow(problem);
});

test('an API without methods cannot be deployed, and a stage cannot be made twice', () => {
  const fixture = new ApiFixture();
  const { created } = fixture.create('RestApi', { Name: 'Empty' });
  expect(() => fixture.ref('Deployment', { RestApiId: created.ref })).toThrow("doesn't contain any methods");
  const { apiId } = deployedApi(fixture);
  const DeploymentId = fixture.ref('Deployment', { RestApiId: apiId });
  expect(() => fixture.ref('Stage', { RestApiId: apiId, DeploymentId, StageName: 'prod' })).toThrow('already exists');
  expect(() => fixture.ref('Stage', { RestApiId: apiId, DeploymentId: 'x', StageName: 'b' })).toThrow(
    'Invalid Deployment identifier specified',
  );
});
