import { spawnSync } from 'node:child_process';
import path from 'node:path';

/** The command as a user has it: built before the tests run. */
const DLO = path.join(__dirname, '../../../dist/bin/dlo.js');

describe('dlo redrive, as built', () => {
  test.each(['ls', 'show', 'stop', 'start', 'run'])('has an example in the help of %s', command => {
    const { status, stdout } = spawnSync(process.execPath, [DLO, 'redrive', command, '--help'], { encoding: 'utf8' });
    expect(status).toBe(0);
    expect(stdout).toContain(`\n  dlo redrive ${command}`);
    expect(stdout).toContain('Exit codes: 0 done, 1 could not, 2 bad input.');
    expect(stdout.split('\n').filter(line => line.length > 120)).toEqual([]);
  });
});
