import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { LocalAws } from '../../../local';

/** The command as a user has it: built before the tests run. */
const DLO = path.join(__dirname, '../../../dist/bin/dlo.js');

const ENVIRONMENT = {
  ...process.env,
  AWS_ACCESS_KEY_ID: 'AKIAIOSFODNN7EXAMPLE',
  AWS_SECRET_ACCESS_KEY: 'secret',
  AWS_REGION: 'eu-central-1',
  AWS_MAX_ATTEMPTS: '1',
};

describe('dlo relay, as built', () => {
  test('talks to AWS with what is bundled into it, and ends', async () => {
    const aws = LocalAws.start({
      place: { account: '123456789012', region: 'eu-central-1', partition: 'aws', urlSuffix: 'amazonaws.com' },
    });
    const { url } = await aws.listen();
    const child = spawn(process.execPath, [DLO, 'relay', 'ls', '--endpoint-url', url], { env: ENVIRONMENT });
    const [out, err, [exitCode]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
    await aws.close();
    expect({ exitCode, out, err }).toEqual({ exitCode: 0, out: 'No relay is in eu-central-1.\n', err: '' });
  });

  test('says without a stack trace that nobody is there', () => {
    const { status, stderr } = spawnSync(
      process.execPath,
      [DLO, 'relay', 'ls', '--endpoint-url', 'http://127.0.0.1:1'],
      {
        encoding: 'utf8',
        env: ENVIRONMENT,
      },
    );
    expect([status, stderr]).toEqual([1, expect.stringMatching(/^dlo: lambda:\w+ does not reach AWS: .*ECONN.*\n$/)]);
  });

  test.each(['ls', 'show', 'stop', 'start'])('has an example in the help of %s', command => {
    const { status, stdout } = spawnSync(process.execPath, [DLO, 'relay', command, '--help'], { encoding: 'utf8' });
    expect(status).toBe(0);
    expect(stdout).toContain(`\n  dlo relay ${command}`);
    expect(stdout).toContain('Exit codes: 0 done, 1 could not, 2 bad input.');
    expect(stdout.split('\n').filter(line => line.length > 120)).toEqual([]);
  });
});
