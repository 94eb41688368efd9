import { ApiFixture, deployedApi } from './fixture';

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
