import { ApiFixture, ORDER, post, snsIntegration } from './fixture';

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
    // Whoever tries one way after the other tries 2 to the power of 10,000.
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
