import { type SpawnSyncReturns, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { SAMPLE_POLICY } from '../../policy/arbitraries';
import { dlo } from './run-dlo';

describe('the built command', () => {
  /** The command as a user installs it. It is built before the tests run. */
  const DLO = path.join(__dirname, '../../../dist/bin/dlo.js');

  function dlo(args: string[], input = ''): SpawnSyncReturns<string> {
    return spawnSync(process.execPath, [DLO, ...args], { encoding: 'utf8', input, maxBuffer: 64 * 1024 * 1024 });
  }

  const folder = mkdtempSync(path.join(tmpdir(), 'dlo-policy-'));
  const file = path.join(folder, 'policy.json');
  writeFileSync(file, JSON.stringify(SAMPLE_POLICY));

  afterAll(() => rmSync(folder, { recursive: true }));

  test('explains a file and draws it', () => {
    const plot = path.join(folder, 'policy.svg');
    const { status, stdout, stderr } = dlo(['policy', 'explain', file, '--json', '--plot', plot]);
    expect([status, stderr]).toEqual([0, '']);
    expect(JSON.parse(stdout).retries).toHaveLength(50);
    expect(readFileSync(plot, 'utf8')).toContain('1 + 50 attempts');
  });

  test('reads standard input', () => {
    expect(dlo(['policy', 'explain', '-'], JSON.stringify(SAMPLE_POLICY)).stdout).toContain('1 + 50 attempts');
    expect(dlo(['policy', 'explain', '-'], '{"healthyRetryPolicy":{"numRetries":101}}')).toMatchObject({
      status: 2,
      stderr: 'dlo: standard input: healthyRetryPolicy.numRetries must be less than or equal to 100, got 101\n',
    });
  });

  test('says in one line what it cannot read or write', () => {
    const missing = path.join(folder, 'missing.json');
    expect(dlo(['policy', 'explain', missing])).toMatchObject({
      status: 2,
      stderr: `dlo: ${missing}: no such file or folder\n`,
    });
    expect(dlo(['policy', 'explain', folder])).toMatchObject({
      status: 2,
      stderr: `dlo: ${folder}: is a directory, not a file\n`,
    });
    const unwritable = dlo(['policy', 'explain', file, '--plot', path.join(folder, 'no', 'such', 'folder.svg')]);
    expect(unwritable.status).toBe(1);
    expect(unwritable.stderr).toMatch(/^dlo: .*folder\.svg.*\n$/);
  });

  test('ends quietly when its reader goes away', async () => {
    const child = spawn(process.execPath, [DLO, 'policy', 'explain', '--preset', 'aws-managed', '--json']);
    let complaint = '';
    child.stderr.on('data', chunk => {
      complaint += chunk;
    });
    child.stdout.once('data', () => child.stdout.destroy());
    const [exitCode] = await once(child, 'close');
    expect([exitCode, complaint]).toEqual([0, '']);
  });

  test.each([['--help'], ['dlq', 'ls', '--help'], ['doctor', '--help']])('%s %s %s loads no library', (...args) => {
    const loaded =
      'data:text/javascript,import m from "module";process.on("exit",()=>console.error(Object.keys(m._cache).join()))';
    const { status, stderr } = spawnSync(process.execPath, ['--import', loaded, DLO, ...args], { encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, `${DLO}\n`]);
  });

  test('tells its version', () => {
    const { version } = JSON.parse(readFileSync(path.join(__dirname, '../../../package.json'), 'utf8'));
    expect(dlo(['--version'])).toMatchObject({ status: 0, stdout: `${version}\n` });
  });
});

describe('docs', () => {
  const doc = (name: string) => readFileSync(path.join(__dirname, '../../../docs', name), 'utf8');

  /** The console blocks of the pages: each command and its output. */
  const transcripts = ['policy.md', 'relay.md']
    .flatMap(page => [...doc(page).matchAll(/```console\n\$ dlo (.*)\n([\s\S]*?)```/g)])
    .map(([, args = '', output = '']) => ({ args, output }));

  const bad = doc('policy.md').match(/```json\n([\s\S]*?)```/)?.[1] ?? '';

  test("the policy on the page is the example of AWS's own", () => {
    expect(JSON.parse(doc('delivery-policy.json'))).toEqual(SAMPLE_POLICY);
  });

  test('the pages show what the command prints and draws today', async () => {
    expect(transcripts).toHaveLength(3);
    for (const { args, output } of transcripts) {
      const { out, err, written } = await dlo(args, {
        'delivery-policy.json': doc('delivery-policy.json'),
        'bad.json': bad,
      });
      expect(out + err).toBe(output);
      for (const [file, picture] of written) expect(doc(file)).toBe(picture);
    }
  });
});
