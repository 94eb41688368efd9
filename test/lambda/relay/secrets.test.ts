import {
  CreateSecretCommand,
  DeleteSecretCommand,
  PutSecretValueCommand,
  type SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { type SecretReaderOptions, secretReader } from '../../../lambda/relay/secrets';
import { SmallAccount } from '../../local/small-account';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const OUTAGE = { service: 'secretsmanager', httpStatus: 500, code: 'InternalServiceError' } as const;

/** The stages a client was asked for, one a request. */
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

  test('that must not be old is read anew, once for as long as it may be old, and used on while nobody answers', async () => {
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

  test('that many ask for at once is read once', async () => {
    const { ARN, read, requests } = await account();
    const answers = await Promise.all(Array.from({ length: 10 }, () => read({ secretArn: ARN })));
    expect(answers).toEqual(Array(10).fill(values('one')));
    expect(requests).toHaveLength(1);
  });

  test('has no previous value before it first changes, and then has', async () => {
    const { ARN, read, put, pass, requests } = await account();
    const question = { secretArn: ARN, withPrevious: true };
    expect(await read(question)).toEqual(values('one'));
    await put('two');
    pass(5 * MINUTE_MS);
    expect(await read(question)).toEqual(values('two', 'one'));
    expect(await read({ secretArn: ARN })).toEqual(values('two'));
    expect(requests.slice(0, 4)).toEqual(['AWSCURRENT', 'AWSPREVIOUS', 'AWSCURRENT', 'AWSPREVIOUS']);
  });

  test('that is rotated between the two requests still says the old value, which receivers know', async () => {
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

  test('may be JSON, of which one member is meant', async () => {
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
    'that says %j has no member url, which is told without what it says',
    async text => {
      const { ARN, read, put } = await account();
      await put(text);
      const answer = await read({ secretArn: ARN, field: 'url' });
      const reason = `${ARN}: it must be a JSON object whose member url is text`;
      expect(answer).toEqual({ kind: 'unreadable', reason });
    },
  );

  test('of bytes is no text', async () => {
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
  test('is told by AWS’s own error', async () => {
    const { read } = await account();
    const secretArn = 'arn:aws:secretsmanager:us-east-1:123456789012:secret:none-AbCdEf';
    expect(await read({ secretArn })).toEqual({
      kind: 'unreadable',
      reason: `${secretArn}: ResourceNotFoundException: Secrets Manager can't find the specified secret.`,
    });
  });

  test('because nobody allowed it is told so', async () => {
    const { aws, ARN } = await account();
    const { clients } = aws.role('Relay');
    const read = secretReader(clients.secrets, { nowMs: () => 0, onStale: () => {} });
    const reason = expect.stringMatching(/^arn:.*: AccessDeniedException: .*secretsmanager:GetSecretValue/);
    expect(await read({ secretArn: ARN })).toEqual({ kind: 'unreadable', reason });
  });

  test('is asked for again at the next question', async () => {
    const { aws, ARN, read } = await account();
    const outage = aws.faults.set(OUTAGE);
    expect(await read({ secretArn: ARN })).toMatchObject({ kind: 'unreadable' });
    outage.end();
    expect(await read({ secretArn: ARN })).toEqual(values('one'));
  });

  test('again is used on for an hour from when it was read, and asked for every thirty seconds', async () => {
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

  test('again is read as soon as it can be', async () => {
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

  test('because it was deleted is used on no longer than in an outage', async () => {
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

  test('again is used on with the value before it, as both were read', async () => {
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
