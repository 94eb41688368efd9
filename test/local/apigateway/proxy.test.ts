import { Duration, type Stack } from 'aws-cdk-lib';
import { LambdaRestApi } from 'aws-cdk-lib/aws-apigateway';
import { Deployed } from '../../support/deployed';
import { inlineFunction } from '../../support/inline-function';

/** Answers as its query string `as` says, or with the event. */
const CODE = `
const answers = {
  text: () => 'text', array: () => [], status: () => ({ statusCode: 'x' }), body: () => ({ body: {} }),
  none: () => undefined, teapot: () => ({ statusCode: 418, headers: { 'X-Tea': 1 }, multiValueHeaders: { 'X-Pot': ['a', 'b'] } }),
  base64: () => ({ body: 'aGk=', isBase64Encoded: true }), error: () => { throw new Error('broken'); },
  slow: () => new Promise(resolve => setTimeout(() => resolve({ body: 'late' }), 40000)),
};
exports.handler = async event => (answers[event.queryStringParameters?.as] ?? (() => ({ body: JSON.stringify(event) })))();
`;

function proxyApi(stack: Stack): void {
  const handler = inlineFunction(stack, 'Handler', CODE, { timeout: Duration.minutes(1) });
  const api = new LambdaRestApi(stack, 'Api', { handler, cloudWatchRole: false, proxy: false });
  api.root.addProxy();
  api.root.addResource('orders').addResource('{id}').addMethod('PUT');
}

describe('a proxy integration', () => {
  let deployed: Deployed;
  let url: string;

  beforeAll(async () => {
    deployed = await Deployed.stack(proxyApi);
    url = deployed.aws.state().apis[0]?.url ?? '';
  });

  const request = async (method: string, path: string, body?: string) => {
    const answer = deployed.aws.request(method, `${url}${path.slice(1)}`, body);
    await deployed.aws.advance({ seconds: 30 });
    return answer;
  };

  test('passes the request to the function, and its result to the client', async () => {
    const { status, text: body } = await request('PUT', '/orders/a%20b?q=1&q=2', '{"n":1}');
    expect(status).toBe(200);
    const event = JSON.parse(body);
    expect(event).toMatchObject({
      resource: '/orders/{id}',
      path: '/orders/a%20b',
      httpMethod: 'PUT',
      queryStringParameters: { q: '2' },
      multiValueQueryStringParameters: { q: ['1', '2'] },
      pathParameters: { id: 'a b' },
      stageVariables: null,
      body: '{"n":1}',
      isBase64Encoded: false,
      requestContext: { stage: 'prod', httpMethod: 'PUT', resourcePath: '/orders/{id}', accountId: '123456789012' },
    });
    expect(event.requestContext).not.toHaveProperty('error');
  });

  test.each<[string, number, string]>([
    ['teapot', 418, ''],
    ['base64', 200, 'hi'],
    ['text', 502, '{"message": "Internal server error"}'],
    ['array', 502, '{"message": "Internal server error"}'],
    ['none', 502, '{"message": "Internal server error"}'],
    ['status', 502, '{"message": "Internal server error"}'],
    ['body', 502, '{"message": "Internal server error"}'],
    ['error', 502, '{"message": "Internal server error"}'],
    ['slow', 504, '{"message":"Endpoint request timed out"}'],
  ])('answers %s with %i', async (as, status, body) => {
    expect(await request('GET', `/any/path?as=${as}`)).toMatchObject({ status, text: body });
  });

  test('answers 500 if the policy of the function does not allow API Gateway', async () => {
    const denied = await Deployed.stack(stack => {
      proxyApi(stack);
      for (const child of stack.node.findAll()) {
        if (child.node.id.startsWith('ApiPermission.')) child.node.scope?.node.tryRemoveChild(child.node.id);
      }
    });
    const at = denied.aws.state().apis[0]?.url ?? '';
    expect(await denied.aws.request('GET', `${at}x`)).toMatchObject({
      status: 500,
      text: JSON.stringify({ message: 'Internal server error' }),
    });
  });
});
