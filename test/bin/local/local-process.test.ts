import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { assemblyOfStack } from '../../support/assembly';

/** The command as a user has it: built before the tests run. */
const DLO = path.resolve(__dirname, '../../../dist/bin/dlo.js');

const children: ChildProcess[] = [];

/** A test that fails must leave no command behind: it would keep the tests from ending. */
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

describe('dlo local, as built', () => {
  it.each(['SIGINT', 'SIGTERM'] as const)('ends with 0 and no word on %s', async signal => {
    const assembly = assemblyOfStack(stack => void new Queue(stack, 'Orders'));
    const child = spawn(process.execPath, [DLO, 'local', '--assembly', assembly, '--port', '0', '--json']);
    children.push(child);
    let complaint = '';
    child.stderr.on('data', chunk => {
      complaint += chunk;
    });
    const [first] = await once(child.stdout, 'data');
    const { url } = JSON.parse(String(first));
    expect((await fetch(`${url}/_dlo/health`)).status).toBe(200);
    child.kill(signal);
    const [exitCode] = await once(child, 'close');
    expect([exitCode, complaint]).toEqual([0, '']);
  });
});
