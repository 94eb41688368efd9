import fc from 'fast-check';
import { redaction } from '../../../lambda/relay/redaction';

const PATH = '/hook/abc%3D%3Dtoken12?key=q%2Fu%2Fery1';

const BASIC = `Basic ${Buffer.from('shop-7:pass:w0rd/ü').toString('base64')}`;

describe('What an endpoint says of a secret', () => {
  test.each([
    ['as it is', PATH, `no ${PATH} here`],
    ['one part of its path, decoded', PATH, 'no hook abc==token12 here'],
    ['one part of its path, as it is', PATH, 'no hook abc%3D%3Dtoken12 here'],
    ['one part of its path, in lower case', PATH, 'no hook abc%3d%3dtoken12 here'],
    ['the value of its query, decoded', PATH, 'no key q/u/ery1 here'],
    ['all of it, encoded once more', PATH, `no ${encodeURIComponent(PATH)} here`],
    ['all of it, encoded in lower case', '/hook/a=b', 'no %2fhook%2fa%3db here'],
    ['a part in upper case of one in lower', '/hook/abc%3d%3dtoken', 'no abc%3D%3Dtoken here'],
    ['within JSON', 'k3y "quoted"', `no ${JSON.stringify({ key: 'k3y "quoted"' })} here`],
    ['a word of it', 'Bearer s3cr3t-t0ken', 'no s3cr3t-t0ken here'],
    ['a word with the marks of base64', 'Bearer ab/cd+ef/gh==', 'no ab/cd+ef/gh== here'],
    ['user and password, as they are sent', BASIC, `no ${BASIC.slice(6)} here`],
    ['user and password, decoded', BASIC, 'no shop-7:pass:w0rd/ü here'],
    ['the user', BASIC, 'no shop-7 here'],
    ['the password', BASIC, 'no pass:w0rd/ü here'],
    ['the password, in JSON', BASIC, 'no "pass:w0rd/ü" here'],
    ['the password, encoded', BASIC, `no ${encodeURIComponent('pass:w0rd/ü')} here`],
  ])('is blackened where it is %s', (_what, secret, text) => {
    const left = redaction([secret])(text);
    expect(left).toMatch(/^no .*\[secret\].* here$/);
    expect(left).not.toMatch(/token|ery1|s3cr3t|quoted|cd|shop|w0rd|dXNlc|a.b/);
  });

  const TOKEN = 'q83vEjRWeJCrze8SNFZ4+KvN7xI0/Vniq83vEjRWeJA=';

  test.each([
    ['in the JSON of .NET', `"bad Bearer ${TOKEN.replace('+', '\\u002B')}"`],
    ['in the JSON of PHP', `"bad Bearer ${TOKEN.replace('/', '\\/')}"`],
    ['in the HTML of Go', `bad Bearer ${TOKEN.replace('+', '&#43;')}`],
    ['in HTML by hexadecimal numbers', `bad Bearer ${TOKEN.replace('+', '&#x2b;')}`],
    ['in lower case', `bad bearer ${TOKEN.toLowerCase()}`],
    ['in base64', `bad ${Buffer.from(`Bearer ${TOKEN}`).toString('base64')}`],
    ['in base64 amid JSON', `bad ${Buffer.from(JSON.stringify({ authorization: TOKEN })).toString('base64')}`],
    ['in base64 for URLs, amid something else', `bad ${Buffer.from(`it is ${TOKEN}, no?`).toString('base64url')}`],
    ['cut', `bad ${TOKEN.slice(0, 30)}...`],
    ['without its beginning', `bad ...${TOKEN.slice(-15)}`],
    ['cut, behind others that are whole', `bad ${TOKEN}${TOKEN}${TOKEN.slice(0, 14)}`],
  ])('is blackened where it is %s, but for eleven characters at most', (_what, text) => {
    const left = redaction([`Bearer ${TOKEN}`])(text);
    expect(left).toContain('[secret]');
    expect(left).toMatch(/^"?bad /);
    const runs = Array.from({ length: TOKEN.length - 11 }, (_, start) => TOKEN.slice(start, start + 12));
    const said = [left, Buffer.from(left, 'base64').toString('latin1')].map(it => it.toLowerCase());
    expect(runs.filter(run => said.some(it => it.includes(run.toLowerCase())))).toEqual([]);
  });

  test('leaves what stands around it to the letter, escapes included', () => {
    const redact = redaction([`Bearer ${TOKEN}`]);
    expect(redact(`a\\u002B&#43;%2b ${TOKEN} b\\/`)).toBe('a\\u002B&#43;%2b [secret] b\\/');
    expect(redact(`${TOKEN}${TOKEN} İ`)).toBe('[secret] İ');
  });

  test('stays where it is too short to guard anything', () => {
    expect(redaction(['/v1/in', 'Basic YTpi'])('v1 in Basic a b')).toBe('v1 in Basic a b');
  });

  test.each(['/hook/100%/token-7', '%', '%zz%zz%zz', '\ud800-token-7', 'Basic', 'Basic %%%', 'Basic bm9jb2xvbg=='])(
    'does not fail for a secret like %j, and blackens it',
    secret => {
      const left = redaction([secret])(`${secret} is unknown`);
      if (secret.length >= 6) expect(left).not.toContain(secret);
      expect(left).toContain(' is unknown');
    },
  );

  test('is nowhere in what is left, whatever the secret', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 6 }), fc.string(), fc.string(), (secret, before, after) => {
        const left = redaction([secret])(`${before}${secret}${encodeURIComponent(secret)}${after}`);
        fc.pre(!'[secret]'.includes(secret) && !`${before}[secret]${after}`.includes(secret));
        expect(left.split('[secret]').join('|')).not.toContain(secret);
      }),
    );
  });
});

test('What is no secret stays to the letter', () => {
  const text = '{"error":"no order 7","see":"https://partner.example.com/docs"}';
  expect(redaction([])(text)).toBe(text);
  expect(redaction([PATH, BASIC])(text)).toBe(text);
});
