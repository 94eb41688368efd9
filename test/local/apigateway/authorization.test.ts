import { ApiFixture, deployedApi, ORDER, post, signedBy } from './fixture';

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
