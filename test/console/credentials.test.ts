import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { ServerClock } from '../../account/connection/server-clock';
import { problemOf } from '../../console/server/problem';
import { awsSource } from '../../console/server/source';
import { LocalAws } from '../../local';

describe('the connection of the console', () => {
  const before = { ...process.env };
  const aws = LocalAws.start();

  afterAll(async () => {
    process.env = before;
    await aws.close();
  });

  test('says that credentials are missing, and finds those of a session that was renewed meanwhile', async () => {
    const { url } = await aws.listen();
    const nowMs = () => aws.nowMs;
    const clock = new ServerClock({ nowMs, wait: async () => {} });
    const source = awsSource({ endpointUrl: url, region: 'us-east-1' }, nowMs, clock);
    const account = () =>
      source.use(async it => (await it.client(STSClient).send(new GetCallerIdentityCommand())).Account);
    process.env = { ...before, AWS_ACCESS_KEY_ID: '', AWS_SECRET_ACCESS_KEY: '', AWS_EC2_METADATA_DISABLED: 'true' };
    expect(problemOf(await account().catch((error: unknown) => error))).toMatchObject({ kind: 'credentials' });
    process.env = { ...before, AWS_ACCESS_KEY_ID: 'AKIAIOSFODNN7EXAMPLE', AWS_SECRET_ACCESS_KEY: 'renewed' };
    expect(await account()).toBe('123456789012');
    await source.close();
  });

  test.each<[name: string, message: string, kind: string]>([
    ['ExpiredTokenException', 'The security token included in the request is expired', 'credentials'],
    ['AccessDeniedException', 'User is not authorized to perform', 'denied'],
    ['ThrottlingException', 'Rate exceeded', 'throttled'],
  ])('names what happened: %s', (name, message, kind) => {
    const error = Object.assign(new Error(message), { name, $metadata: { httpStatusCode: 400 } });
    expect(problemOf(error)).toMatchObject({ kind, says: message });
  });
});
