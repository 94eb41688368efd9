import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { ServerClock } from '../../account/connection/server-clock';
import { problemOf } from '../../console/server/problem';
import { awsSource } from '../../console/server/source';
import { LocalAws } from '../../local';

describe('the connection of the console', () => {
  const before = { ...process.env };
  const aws = LocalAws.start();
  let url: string;

  beforeAll(async () => {
    ({ url } = await aws.listen());
  });

  afterAll(async () => {
    process.env = before;
    await aws.close();
  });

  function connection(endpointUrl: string, nowMs: () => number) {
    const clock = new ServerClock({ nowMs, wait: async () => {} });
    const source = awsSource({ endpointUrl, region: 'us-east-1' }, nowMs, clock);
    const account = () =>
      source.use(async it => (await it.client(STSClient).send(new GetCallerIdentityCommand())).Account);
    return { source, account };
  }

  test('knows that AWS does not answer, until it does', async () => {
    const other = LocalAws.start();
    const { url: endpointUrl, port, close } = await other.listen();
    let passedMs = 0;
    const { source, account } = connection(endpointUrl, () => {
      passedMs += 1_000;
      return passedMs;
    });
    Object.assign(process.env, KEYS);
    await close();
    expect(source.silence).toBeUndefined();
    await expect(account()).rejects.toThrow('could not reach AWS');
    expect(source.silence).toContain('ECONNREFUSED');
    await other.listen({ port });
    await account();
    expect(source.silence).toBeUndefined();
    await source.close();
    await other.close();
  });

  const KEYS = { AWS_ACCESS_KEY_ID: 'AKIAIOSFODNN7EXAMPLE', AWS_SECRET_ACCESS_KEY: 'renewed' };
  const NONE = { AWS_ACCESS_KEY_ID: '', AWS_SECRET_ACCESS_KEY: '', AWS_EC2_METADATA_DISABLED: 'true' };
  const file = path.join(tmpdir(), 'credentials');

  test.each<[where: string, start: Record<string, string>, renew: () => void]>([
    ['the environment', {}, () => Object.assign(process.env, KEYS)],
    [
      'a file',
      { AWS_SHARED_CREDENTIALS_FILE: file },
      () =>
        writeFileSync(file, '[default]\naws_access_key_id = AKIAIOSFODNN7EXAMPLE\naws_secret_access_key = renewed\n'),
    ],
  ])('says that credentials are missing, and finds those that were renewed in %s', async (_, start, renew) => {
    const { source, account } = connection(url, () => aws.nowMs);
    writeFileSync(file, '');
    process.env = { ...before, ...NONE, ...start };
    expect(problemOf(await account().catch((error: unknown) => error))).toMatchObject({
      kind: 'credentials',
      says: expect.stringContaining('aws sso login'),
    });
    renew();
    expect(await account()).toBe('123456789012');
    await source.close();
  });

  test.each<[name: string, message: string, kind: string]>([
    ['ExpiredTokenException', 'The security token included in the request is expired', 'credentials'],
    ['AccessDeniedException', 'User is not authorized to perform', 'denied'],
    ['ThrottlingException', 'Rate exceeded', 'throttled'],
  ])('names what happened: %s', (name, message, kind) => {
    const error = Object.assign(new Error(message), { name, $metadata: { httpStatusCode: 400 } });
    expect(problemOf(error)).toMatchObject({ kind, says: expect.stringContaining(message) });
  });
});
