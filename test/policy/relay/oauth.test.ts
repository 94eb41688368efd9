import { formatProblem } from '../../../policy/problem';
import { readClientCredentials, readTokenAnswer, renewAfterMs, tokenRequest } from '../../../policy/relay/oauth';

const CLIENT = { clientId: 'relay 7', clientSecret: 'a+b/c=:%' };
const tokenUrl = 'https://auth.example.com/token';

/** https://www.rfc-editor.org/rfc/rfc6749#section-4.4.2 */
describe('A request for a token', () => {
  test('has the client in its header, encoded as in a form', () => {
    const { headers, body } = tokenRequest({ tokenUrl }, CLIENT);
    expect(body).toBe('grant_type=client_credentials');
    expect(headers).toEqual({
      'Content-Type': 'application/x-www-form-urlencoded',
      Accept: 'application/json',
      Authorization: `Basic ${Buffer.from('relay+7:a%2Bb%2Fc%3D%3A%25').toString('base64')}`,
    });
  });

  test('has the client in its body if that is stated, with scope and audience', () => {
    const request = { tokenUrl, scope: 'a b', audience: 'https://api.example.com', credentialsInBody: true };
    const { headers, body } = tokenRequest(request, CLIENT);
    expect(headers).not.toHaveProperty('Authorization');
    expect(Object.fromEntries(new URLSearchParams(body))).toEqual({
      grant_type: 'client_credentials',
      scope: 'a b',
      audience: 'https://api.example.com',
      client_id: 'relay 7',
      client_secret: 'a+b/c=:%',
    });
  });
});

/** https://www.rfc-editor.org/rfc/rfc6749#section-5 */
describe('The answer of a token endpoint', () => {
  const bearer = (more: object) => JSON.stringify({ access_token: 't0k', token_type: 'Bearer', ...more });

  test.each([
    [bearer({ expires_in: 3_600 }), 3_600],
    [bearer({ expires_in: '90', token_type: 'bearer' }), 90],
    [bearer({ token_type: undefined }), 300],
    [bearer({ expires_in: 'soon' }), 300],
    [bearer({ expires_in: -5 }), 0],
    [bearer({ expires_in: 1e12 }), 86_400],
  ])('that is %s has a token', (body, seconds) => {
    expect(readTokenAnswer({ statusCode: 200, body })).toEqual({
      kind: 'token',
      token: 't0k',
      lifetimeMs: seconds * 1_000,
    });
  });

  test.each([
    [200, '', 'answers 200, but not with a JSON object'],
    [200, '["hush"]', 'answers 200, but not with a JSON object'],
    [204, '', 'answers 204, but not with a JSON object'],
    [200, '{}', 'answers without a valid access_token'],
    [200, bearer({ access_token: '' }), 'answers without a valid access_token'],
    [200, bearer({ access_token: 'hush\r\nX-A: b' }), 'answers without a valid access_token'],
    [200, bearer({ access_token: 7 }), 'answers without a valid access_token'],
    [200, bearer({ token_type: 'DPoP' }), 'answers with a token_type other than Bearer'],
    [302, bearer({}), 'answers 302'],
    [401, '{"error":"invalid_client","error_description":"hush"}', 'answers 401 (invalid_client)'],
    [400, '{"error":"hush"}', 'answers 400'],
    [503, 'hush', 'answers 503'],
  ])('that is %d %j has none, and the reason shows nothing of it', (statusCode, body, reason) => {
    expect(readTokenAnswer({ statusCode, body })).toEqual({ kind: 'none', reason: `the token endpoint ${reason}` });
  });

  test('that is incomplete has none', () => {
    const answer = { statusCode: 200, body: bearer({}), cut: 'it is longer than 7 bytes' };
    expect(readTokenAnswer(answer)).toMatchObject({ kind: 'none', reason: expect.stringContaining('longer than 7') });
  });
});

test.each([
  [3_600, 3_540],
  [240, 180],
  [60, 45],
  [0, 0],
])('A token of %d seconds is replaced after %d', (lifetime, after) => {
  expect(renewAfterMs(lifetime * 1_000)).toBe(after * 1_000);
});

describe('The secret of a client', () => {
  test('is JSON, whose other members are ignored', () => {
    const reading = readClientCredentials('it', '{"client_id":"a","client_secret":"b","note":7}');
    expect(reading).toEqual({ kind: 'credentials', credentials: { clientId: 'a', clientSecret: 'b' } });
  });

  test.each([
    ['hush', 'it must be a JSON object with client_id and client_secret, got "4 characters"'],
    ['{"client_secret":"hush"}', 'it.client_id must be a string that is not empty, got "undefined"'],
    ['{"client_id":"hush","client_secret":""}', 'it.client_secret must be a string that is not empty, got "string"'],
    [
      '{"client_id":"hush","client_secret":["hush"]}',
      'it.client_secret must be a string that is not empty, got "object"',
    ],
  ])('that is %s is malformed, and the error does not show it', (text, line) => {
    const reading = readClientCredentials('it', text);
    expect(reading.kind === 'malformed' ? reading.problems.map(formatProblem) : []).toEqual([line]);
  });
});
