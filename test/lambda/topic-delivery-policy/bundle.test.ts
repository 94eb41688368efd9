import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import path from 'node:path';
import { defaultProvider } from '../../../lambda/shared/function-credentials';

const BUNDLE = path.resolve(__dirname, '../../../dist/lambda/topic-delivery-policy/index.js');

describe('The bundle of topics’ delivery policies', () => {
  test('exports a handler, and needs nothing of its environment to load', () => {
    const script = `console.log(typeof require(${JSON.stringify(BUNDLE)}).handler)`;
    const env = { PATH: process.env['PATH'], AWS_REGION: 'us-east-1' };
    const { stdout, status } = spawnSync(process.execPath, ['-e', script], { env, encoding: 'utf8' });
    expect([stdout.trim(), status]).toEqual(['function', 0]);
  });

  test('has of the SDK what it uses, and no chain of credentials', () => {
    expect(statSync(BUNDLE).size).toBeLessThan(450_000);
  });
});

describe('A function’s credentials', () => {
  const NAMES = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN'];
  const before = NAMES.map(name => [name, process.env[name]] as const);

  afterEach(() => {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  });

  test('are those of its environment', async () => {
    for (const name of NAMES) process.env[name] = `of ${name}`;
    await expect(defaultProvider()()).resolves.toEqual({
      accessKeyId: 'of AWS_ACCESS_KEY_ID',
      secretAccessKey: 'of AWS_SECRET_ACCESS_KEY',
      sessionToken: 'of AWS_SESSION_TOKEN',
    });
  });

  test('are an error where there are none', async () => {
    for (const name of NAMES) delete process.env[name];
    await expect(defaultProvider()()).rejects.toThrow('the environment has no AWS credentials');
  });
});
