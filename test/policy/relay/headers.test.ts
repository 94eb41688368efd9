import { headerProblems, readSecretHeaders } from '../../../policy/relay/headers';

const TOKEN_RULE = "must be a valid HTTP header name: letters, digits and !#$%&'*+-.^_`|~";
const OWN_RULE = 'must not replace a header of the relay, of SNS or of the connection';
const VALUE_RULE = 'must be visible Latin-1 characters, blanks and tabs, on one line';

describe('A header of a user', () => {
  test.each([
    ['Authorization', 'Bearer abc.def'],
    ['x-api-key', ''],
    ["!#$%&'*+-.^_`|~09azAZ", 'any token'],
    ['X-Note', 'a\ttab and é, ÿ'],
    ['webhook', 'not one of Standard Webhooks'],
    ['x-amz-date', 'not one of SNS'],
    ['Accept', '*/*'],
  ])('%s: %s is accepted', (name, value) => expect(headerProblems('headers', { [name]: value })).toEqual([]));

  test.each(['', 'a b', 'a:', 'a\r\nb', 'ä', 'a/b', '(a)', 'a\0', 'a"', '[a]', ' a', 'a\t'])(
    'cannot be named %j',
    name => {
      const problem = { property: `headers.${name}`, rule: TOKEN_RULE, value: name };
      expect(headerProblems('headers', { [name]: 'x' })).toEqual([problem]);
    },
  );

  test.each(['__proto__', '__PROTO__'])('cannot be named %s, which every object has', name => {
    const rule = 'must not be __proto__, which objects of JavaScript do not keep';
    expect(headerProblems('headers', Object.fromEntries([[name, 'x']]))).toEqual([
      { property: `headers.${name}`, rule, value: name },
    ]);
    expect(readSecretHeaders('headers', `{"${name}":"x"}`)).toMatchObject({ kind: 'malformed' });
  });

  test.each([
    'Host',
    'content-length',
    'Content-Type',
    'TRANSFER-ENCODING',
    'Connection',
    'Keep-Alive',
    'Expect',
    'TE',
    'Trailer',
    'Upgrade',
    'User-Agent',
    'Proxy-Authorization',
    'proxy-connection',
    'x-amz-sns-message-id',
    'X-Amz-Sns-Rawdelivery',
    'webhook-id',
    'Webhook-Signature',
    'webhook-timestamp',
  ])('cannot be %s, which the relay or the connection sets', name => {
    const problem = { property: `headers.${name}`, rule: OWN_RULE, value: name };
    expect(headerProblems('headers', { [name]: 'x' })).toEqual([problem]);
  });

  test.each([
    'hush\nhush',
    'hush\rhush',
    'hush\r\nX-Evil: 1',
    'hush\0',
    'hush\u007f',
    'hush€',
    'hush\u2028',
    'hu\u001bsh',
  ])('cannot have the value %j, and the error does not show it', value => {
    const problem = { property: 'headers.X-Key', rule: VALUE_RULE, value: `${value.length} characters` };
    expect(headerProblems('headers', { 'X-Key': value })).toEqual([problem]);
  });

  test('cannot be there twice in different letter case', () => {
    expect(headerProblems('headers', { 'X-Key': 'a', 'x-key': 'b' })).toEqual([
      {
        property: 'headers.x-key',
        rule: 'must be given once: upper and lower case are the same header',
        value: 'x-key',
      },
    ]);
  });
});

describe('A secret with headers', () => {
  test('is a JSON object of texts', () => {
    const headers = { Authorization: 'Bearer abc', 'x-api-key': 'k' };
    expect(readSecretHeaders('the secret', JSON.stringify(headers))).toEqual({ kind: 'headers', headers });
    expect(readSecretHeaders('the secret', '{}')).toEqual({ kind: 'headers', headers: {} });
  });

  test.each(['hush', '{"hush": ', '"hush"', '["hush"]', 'null', '7', ''])('is refused as %j, unshown', text => {
    const rule = 'must be a JSON object whose members are strings';
    const problem = { property: 'the secret', rule, value: `${text.length} characters` };
    expect(readSecretHeaders('the secret', text)).toEqual({ kind: 'malformed', problems: [problem] });
  });

  test('is refused with the problem of each member, without showing values', () => {
    const reading = readSecretHeaders('the secret', '{"A":{"hush":1},"Host":"hush","B":"hush\\nhush","C":"fine"}');
    expect(reading).toEqual({
      kind: 'malformed',
      problems: [
        { property: 'the secret.A', rule: 'must be a string', value: 'object' },
        { property: 'the secret.Host', rule: OWN_RULE, value: 'Host' },
        { property: 'the secret.B', rule: VALUE_RULE, value: '9 characters' },
      ],
    });
    expect(JSON.stringify(reading)).not.toContain('hush');
  });

  test.each(['{"Bearer hush": "Authorization"}', '{"Bearer hush": 7}'])(
    'shows no part of an impossible name, as if name and value were swapped: %j',
    text => {
      const reading = readSecretHeaders('the secret', text);
      expect(reading).toMatchObject({ problems: [{ property: 'the secret.(a name of 11 characters)' }] });
      expect(JSON.stringify(reading)).not.toContain('hush');
    },
  );
});
