import {
  CreateSecretCommand,
  DeleteSecretCommand,
  PutSecretValueCommand,
  type SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import fc from 'fast-check';
import { type SecretReaderOptions, secretReader } from '../../../lambda/relay/secrets';
import { redaction } from '../../../lambda/shared/redaction';
import { response } from '../../../local';
import { HOUR_MS, MINUTE_MS } from '../../../policy/time-units';
import { SmallAccount } from '../../local/small-account';
import { DeployedRelay, NO_RETRIES, POLICY, type RelayOptions } from './relay-fixture';

const OUTAGE = { service: 'secretsmanager', httpStatus: 500, code: 'InternalServiceError' } as const;

/** Records the stage in each request of a client. */
function requestsOf(client: SecretsManagerClient): string[] {
  const stages: string[] = [];
  client.middlewareStack.add(
    next => async args => {
      if ('VersionStage' in args.input) stages.push(String(args.input.VersionStage));
      return next(args);
    },
    { step: 'initialize' },
  );
  return stages;
}

async function account(options: Partial<SecretReaderOptions> = {}) {
  const aws = new SmallAccount();
  const { secrets } = aws.clients;
  const { ARN = '' } = await secrets.send(new CreateSecretCommand({ Name: 'hooks', SecretString: 'one' }));
  const put = (SecretString: string) => secrets.send(new PutSecretValueCommand({ SecretId: ARN, SecretString }));
  const requests = requestsOf(secrets);
  const stale: string[] = [];
  let atMs = 0;
  const onStale = (secretArn: string, reason: string) => void stale.push(`${secretArn}: ${reason}`);
  const read = secretReader(secrets, { nowMs: () => atMs, onStale, ...options });
  const pass = (milliseconds: number) => {
    atMs += milliseconds;
  };
  return { aws, secrets, ARN, put, requests, stale, read, pass };
}

const values = (...texts: string[]) => ({ kind: 'values', values: texts });

/** https://docs.aws.amazon.com/secretsmanager/latest/userguide/retrieving-secrets.html */
describe('A secret', () => {
  test('is read once in five minutes', async () => {
    const { ARN, read, put, pass, requests } = await account();
    expect(await read({ secretArn: ARN })).toEqual(values('one'));
    await put('two');
    pass(5 * MINUTE_MS - 1);
    expect(await read({ secretArn: ARN })).toEqual(values('one'));
    expect(requests).toEqual(['AWSCURRENT']);
    pass(1);
    expect(await read({ secretArn: ARN })).toEqual(values('two'));
    expect(requests).toEqual(['AWSCURRENT', 'AWSCURRENT']);
  });

  test('that must be recent is read again when it is too old, and still used while Secrets Manager does not answer', async () => {
    const { aws, ARN, read, put, pass, requests } = await account();
    const question = { secretArn: ARN, maxAgeMs: 10_000 };
    await read({ secretArn: ARN });
    await put('two');
    pass(10_000);
    expect(await read(question)).toEqual(values('one'));
    pass(1);
    expect([await read(question), await read(question)]).toEqual([values('two'), values('two')]);
    expect(await read({ secretArn: ARN })).toEqual(values('two'));
    expect(requests).toHaveLength(2);
    aws.faults.set(OUTAGE);
    pass(20_000);
    expect([await read(question), await read(question)]).toEqual([values('two'), values('two')]);
    expect(requests).toHaveLength(3);
  });

  test('that concurrent requests need is read once', async () => {
    const { ARN, read, requests } = await account();
    const answers = await Promise.all(Array.from({ length: 10 }, () => read({ secretArn: ARN })));
    expect(answers).toEqual(Array(10).fill(values('one')));
    expect(requests).toHaveLength(1);
  });

  test('has no previous value before it first changes, and then has one', async () => {
    const { ARN, read, put, pass, requests } = await account();
    const question = { secretArn: ARN, withPrevious: true };
    expect(await read(question)).toEqual(values('one'));
    await put('two');
    pass(5 * MINUTE_MS);
    expect(await read(question)).toEqual(values('two', 'one'));
    expect(await read({ secretArn: ARN })).toEqual(values('two'));
    expect(requests.slice(0, 4)).toEqual(['AWSCURRENT', 'AWSPREVIOUS', 'AWSCURRENT', 'AWSPREVIOUS']);
  });

  test('that is rotated between the two reads still has the old value, which receivers know', async () => {
    const { ARN, put, aws } = await account();
    const other = aws.clientsWith(undefined).secrets;
    let rotated = false;
    other.middlewareStack.add(
      next => async args => {
        if ('VersionStage' in args.input && args.input.VersionStage === 'AWSPREVIOUS' && !rotated) {
          rotated = true;
          await put('two');
        }
        return next(args);
      },
      { step: 'initialize' },
    );
    const read = secretReader(other, { nowMs: () => 0, onStale: () => {} });
    expect(await read({ secretArn: ARN, withPrevious: true })).toEqual(values('one'));
    expect(rotated).toBe(true);
  });

  test('may be a member of a JSON secret', async () => {
    const { ARN, read, put, pass } = await account();
    await put('{"url":"https://hooks.example.com/a"}');
    await put('{"url":"https://hooks.example.com/b"}');
    const question = { secretArn: ARN, field: 'url', withPrevious: true };
    expect(await read(question)).toEqual(values('https://hooks.example.com/b', 'https://hooks.example.com/a'));
    await put('{"url":"https://hooks.example.com/c"}');
    await put('{"endpoint":"https://hooks.example.com/c"}');
    pass(5 * MINUTE_MS);
    expect(await read(question)).toMatchObject({ kind: 'unreadable' });
    await put('{"url":"https://hooks.example.com/d"}');
    pass(5 * MINUTE_MS);
    expect(await read(question)).toEqual(values('https://hooks.example.com/d'));
  });

  test.each(['hush', '{"hush"', '["hush"]', 'null', '{"URL":"hush"}', '{"url":7}', '{"url":null}'])(
    '%j without a member url is an error that does not show its value',
    async text => {
      const { ARN, read, put } = await account();
      await put(text);
      const answer = await read({ secretArn: ARN, field: 'url' });
      const reason = `${ARN}: it must be a JSON object whose member url is text`;
      expect(answer).toEqual({ kind: 'unreadable', reason });
    },
  );

  test('with binary content is an error', async () => {
    const { ARN, read, secrets } = await account();
    const bytes = { SecretId: ARN, SecretBinary: new Uint8Array([104, 117, 115, 104]) };
    await secrets.send(new PutSecretValueCommand(bytes));
    expect(await read({ secretArn: ARN })).toEqual({
      kind: 'unreadable',
      reason: `${ARN}: it holds bytes, not text`,
    });
    await secrets.send(new PutSecretValueCommand({ SecretId: ARN, SecretString: 'text again' }));
    const answer = await read({ secretArn: ARN, withPrevious: true });
    expect(answer).toEqual(values('text again'));
  });
});

describe('A secret that cannot be read', () => {
  test('fails with AWS’s own error', async () => {
    const { read } = await account();
    const secretArn = 'arn:aws:secretsmanager:us-east-1:123456789012:secret:none-AbCdEf';
    expect(await read({ secretArn })).toEqual({
      kind: 'unreadable',
      reason: `${secretArn}: ResourceNotFoundException: Secrets Manager can't find the specified secret.`,
    });
  });

  test('because access is denied has a reason that says so', async () => {
    const { aws, ARN } = await account();
    const { clients } = aws.role('Relay');
    const read = secretReader(clients.secrets, { nowMs: () => 0, onStale: () => {} });
    const reason = expect.stringMatching(/^arn:.*: AccessDeniedException: .*secretsmanager:GetSecretValue/);
    expect(await read({ secretArn: ARN })).toEqual({ kind: 'unreadable', reason });
  });

  test('is read again at the next request', async () => {
    const { aws, ARN, read } = await account();
    const outage = aws.faults.set(OUTAGE);
    expect(await read({ secretArn: ARN })).toMatchObject({ kind: 'unreadable' });
    outage.end();
    expect(await read({ secretArn: ARN })).toEqual(values('one'));
  });

  test('again is used for an hour from its last read, and read again every thirty seconds', async () => {
    const { aws, ARN, read, pass, requests, stale } = await account();
    await read({ secretArn: ARN });
    aws.faults.set(OUTAGE);
    pass(5 * MINUTE_MS);
    expect(await read({ secretArn: ARN })).toEqual(values('one'));
    expect(stale).toEqual([expect.stringMatching(/^arn:.*hooks-\w{6}: InternalServiceError: /)]);
    pass(29_999);
    expect(await read({ secretArn: ARN })).toEqual(values('one'));
    expect(requests).toHaveLength(2);
    pass(1);
    expect(await read({ secretArn: ARN })).toEqual(values('one'));
    expect(requests).toHaveLength(3);
    pass(HOUR_MS - 5 * MINUTE_MS - 30_000 - 1);
    expect(await read({ secretArn: ARN })).toEqual(values('one'));
    pass(1);
    expect(await read({ secretArn: ARN })).toMatchObject({ kind: 'unreadable' });
    expect(stale).toHaveLength(3);
  });

  test('again is replaced as soon as it can be read', async () => {
    const { aws, ARN, read, put, pass } = await account();
    await read({ secretArn: ARN });
    await put('two');
    const outage = aws.faults.set(OUTAGE);
    pass(5 * MINUTE_MS);
    await read({ secretArn: ARN });
    outage.end();
    pass(30_000);
    expect(await read({ secretArn: ARN })).toEqual(values('two'));
  });

  test('because it was deleted is used no longer than in an outage', async () => {
    const { secrets, ARN, read, pass, stale } = await account({ staleMs: 10 * MINUTE_MS });
    await read({ secretArn: ARN });
    await secrets.send(new DeleteSecretCommand({ SecretId: ARN }));
    pass(10 * MINUTE_MS - 1);
    expect(await read({ secretArn: ARN })).toEqual(values('one'));
    pass(1);
    expect(await read({ secretArn: ARN })).toMatchObject({
      kind: 'unreadable',
      reason: expect.stringContaining('InvalidRequestException'),
    });
    expect(stale).toHaveLength(1);
  });

  test('again is used with its previous value, as both were read', async () => {
    const { aws, ARN, read, put, pass, stale } = await account();
    await put('two');
    const question = { secretArn: ARN, withPrevious: true };
    expect(await read(question)).toEqual(values('two', 'one'));
    aws.faults.set(OUTAGE);
    pass(5 * MINUTE_MS);
    expect(await read(question)).toEqual(values('two', 'one'));
    expect(stale).toHaveLength(1);
  });
});

describe('rotated secret', () => {
  const bearer = (token: string): string => JSON.stringify({ Authorization: `Bearer ${token}` });

  /** Deploys a relay with a warm function that read its secret a minute ago. */
  async function warmRelay(options: RelayOptions = {}): Promise<DeployedRelay> {
    const secrets = { headers: bearer('old-token') };
    const relay = await DeployedRelay.deploy({ retryPolicy: { ...POLICY, numNoDelayRetries: 1 }, secrets, ...options });
    await relay.publish('before');
    await relay.deployed.advance({ minutes: 1 });
    return relay;
  }

  const tokensOf = ({ requests }: DeployedRelay) => requests.map(({ headers }) => headers['authorization']);

  /** Secrets are used for five minutes without asking again. */
  describe('A message that is refused while its secret changes', () => {
    test.each([401, 403, 404, 410, 302])('is tried again at once with the new secret: %d', async status => {
      const relay = await warmRelay();
      await relay.setSecret('headers', bearer('new-token'));
      relay.host.behave({ reply: response(status), count: 1 });
      await relay.publish('x');
      await relay.settle();
      expect(tokensOf(relay)).toEqual(['Bearer old-token', 'Bearer old-token', 'Bearer new-token']);
      expect(relay.attempts.slice(1)).toMatchObject([
        {
          status: 'FAILURE',
          relay: { verdict: 'retry', reason: expect.stringMatching(/, but a secret has changed since$/) },
        },
        { status: 'SUCCESS' },
      ]);
      expect([await relay.metric('Delivered'), await relay.metric('Dead')]).toEqual([2, 0]);
    });

    test('is dead-lettered if the new secret is refused too', async () => {
      const relay = await warmRelay();
      await relay.setSecret('headers', bearer('new-token'));
      relay.host.behave({ reply: response(422) });
      await relay.publish('x');
      await relay.settle();
      expect(tokensOf(relay)).toHaveLength(3);
      expect(await relay.deadLetters()).toMatchObject([
        { attributes: { DeadLetterCause: 'refused', AttemptsSpent: '2', LastStatusCode: '422' } },
      ]);
    });

    test('is dead-lettered if its policy has no retry, with a reason that says so', async () => {
      const relay = await warmRelay({ retryPolicy: NO_RETRIES });
      await relay.setSecret('headers', bearer('new-token'));
      relay.host.behave({ reply: response(401) });
      await relay.publish('x');
      await relay.settle();
      expect(await relay.deadLetters()).toMatchObject([{ attributes: { DeadLetterCause: 'retries-spent' } }]);
    });
  });

  test('A message that is refused while no secret changes is dead-lettered at once', async () => {
    const relay = await warmRelay();
    relay.host.behave({ reply: response(422) });
    await relay.publish('x');
    await relay.settle();
    expect(tokensOf(relay)).toHaveLength(2);
    expect(await relay.deadLetters()).toMatchObject([{ attributes: { DeadLetterCause: 'refused' } }]);
  });
});

describe('redaction', () => {
  const PATH = '/hook/abc%3D%3Dtoken12?key=q%2Fu%2Fery1';

  const BASIC = `Basic ${Buffer.from('shop-7:pass:w0rd/ü').toString('base64')}`;

  describe('A secret in the answer of an endpoint', () => {
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
    ])('is redacted if it is %s', (_what, secret, text) => {
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
    ])('is redacted if it is %s, except for eleven characters at most', (_what, text) => {
      const left = redaction([`Bearer ${TOKEN}`])(text);
      expect(left).toContain('[secret]');
      expect(left).toMatch(/^"?bad /);
      const runs = Array.from({ length: TOKEN.length - 11 }, (_, start) => TOKEN.slice(start, start + 12));
      const said = [left, Buffer.from(left, 'base64').toString('latin1')].map(it => it.toLowerCase());
      expect(runs.filter(run => said.some(it => it.includes(run.toLowerCase())))).toEqual([]);
    });

    test('is redacted without a change of the text around it, escapes included', () => {
      const redact = redaction([`Bearer ${TOKEN}`]);
      expect(redact(`a\\u002B&#43;%2b ${TOKEN} b\\/`)).toBe('a\\u002B&#43;%2b [secret] b\\/');
      expect(redact(`${TOKEN}${TOKEN} İ`)).toBe('[secret] İ');
    });

    test('is not redacted if it is too short to be a secret', () => {
      expect(redaction(['/v1/in', 'Basic YTpi'])('v1 in Basic a b')).toBe('v1 in Basic a b');
    });

    test.each(['/hook/100%/token-7', '%', '%zz%zz%zz', '\ud800-token-7', 'Basic', 'Basic %%%', 'Basic bm9jb2xvbg=='])(
      'is redacted, also if it is %j',
      secret => {
        const left = redaction([secret])(`${secret} is unknown`);
        if (secret.length >= 6) expect(left).not.toContain(secret);
        expect(left).toContain(' is unknown');
      },
    );

    test('is never in the redacted text, whatever the secret', () => {
      fc.assert(
        fc.property(fc.string({ minLength: 6 }), fc.string(), fc.string(), (secret, before, after) => {
          const left = redaction([secret])(`${before}${secret}${encodeURIComponent(secret)}${after}`);
          fc.pre(!'[secret]'.includes(secret) && !`${before}[secret]${after}`.includes(secret));
          expect(left.split('[secret]').join('|')).not.toContain(secret);
        }),
      );
    });
  });

  test('A text without secrets is not changed', () => {
    const text = '{"error":"no order 7","see":"https://partner.example.com/docs"}';
    expect(redaction([])(text)).toBe(text);
    expect(redaction([PATH, BASIC])(text)).toBe(text);
  });
});
