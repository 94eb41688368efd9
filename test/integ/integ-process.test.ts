import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { devNull, tmpdir } from 'node:os';
import path from 'node:path';

const ROOT = path.resolve(__dirname, '../..');

/** `npm run integ`, without the build, on a machine where nothing of AWS is configured but what the file says. */
function integ(configFile: string, ...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [path.join(ROOT, '.scripts/integ.mjs'), ...args], {
    cwd: ROOT,
    encoding: 'utf8',
    env: {
      PATH: process.env['PATH'],
      AWS_CONFIG_FILE: configFile,
      AWS_SHARED_CREDENTIALS_FILE: devNull,
      AWS_EC2_METADATA_DISABLED: 'true',
    },
  });
  return { status, stdout, stderr };
}

describe('npm run integ, as it is run', () => {
  let folder: string;
  let configFile: string;

  beforeAll(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'dlo-integ-test-'));
    configFile = path.join(folder, 'config');
    writeFileSync(configFile, '[profile sandbox]\nregion = eu-central-1\n');
  });

  afterAll(() => rmSync(folder, { recursive: true }));

  test('says in one line that a profile has no credentials', () => {
    expect(integ(configFile, '--profile', 'sandbox', '--yes')).toEqual({
      status: 1,
      stdout: '',
      stderr: expect.stringMatching(/^integ: profile sandbox cannot be used: .*\n$/),
    });
  });

  test('says that there is no such profile, and asks nobody where there is no terminal', () => {
    const problems = ['it costs money, and nobody is there to be asked: pass --yes'];
    expect(integ(configFile, '--profile', 'nowhere')).toEqual({
      status: 2,
      stdout: '',
      stderr: ['there is no profile nowhere: your AWS configuration has sandbox', ...problems]
        .map(line => `integ: ${line}\n`)
        .join(''),
    });
    expect(integ(devNull, '--profile', 'sandbox', '--yes').stderr).toBe(
      'integ: there is no profile sandbox: your AWS configuration has none\n',
    );
  });
});
