import { spawnSync } from 'node:child_process';
import { devNull } from 'node:os';
import path from 'node:path';

const ROOT = path.resolve(__dirname, '../..');

/** `npm run integ`, without the build, on a machine where nothing of AWS is configured. */
function integ(...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [path.join(ROOT, '.scripts/integ.mjs'), ...args], {
    cwd: ROOT,
    encoding: 'utf8',
    env: {
      PATH: process.env['PATH'],
      AWS_CONFIG_FILE: devNull,
      AWS_SHARED_CREDENTIALS_FILE: devNull,
      AWS_EC2_METADATA_DISABLED: 'true',
    },
  });
  return { status, stdout, stderr };
}

describe('npm run integ, as it is run', () => {
  test('says in one line that a profile has no credentials', () => {
    expect(integ('--profile', 'nowhere', '--region', 'eu-central-1', '--yes')).toEqual({
      status: 1,
      stdout: '',
      stderr: expect.stringMatching(/^integ: profile nowhere cannot be used: .*\n$/),
    });
  });

  test('asks nobody where there is no terminal', () => {
    expect(integ('--profile', 'nowhere')).toMatchObject({ status: 2, stderr: expect.stringContaining('pass --yes') });
  });
});
