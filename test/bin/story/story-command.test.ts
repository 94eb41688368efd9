import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, watch, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { CfnResource } from 'aws-cdk-lib';
import { assemblyOfStack, editTemplate } from '../../support/assembly';

const DLO = path.resolve(__dirname, '../../../dist/bin/dlo.js');

/** Runs the built command. */
function dlo(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [DLO, 'story', 'rental', ...args], {
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

describe('dlo story rental, as built', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'dlo-story-'));
  const inFolder = (name: string): string => path.join(folder, name);

  afterAll(() => rmSync(folder, { recursive: true }));

  test('plays on a fresh assembly, prints ledger, alarms and causes as JSON, writes the trace, and ends with 0', () => {
    const trace = inFolder('trace.jsonl');
    const { status, stdout, stderr } = dlo('--json', '--seed', '7', '--trace', trace);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({
      seed: '7',
      from: '2026-01-05T00:00:00.000Z',
      ledger: [
        { subscriber: 'Rental-Fulfilment', lost: 0, underWay: 0 },
        { subscriber: 'Rental-Billing', lost: 0, underWay: 0 },
      ],
      lost: 0,
      unaccounted: 0,
    });
    const [first = ''] = readFileSync(trace, 'utf8').split('\n');
    expect(JSON.parse(first)).toMatchObject({ seq: 1, atMs: Date.parse('2026-01-05T00:00:00Z') });
  }, 60_000);

  test.each([
    ['there is no assembly', () => inFolder('nowhere'), /there is no cloud assembly at .*nowhere/],
    [
      'the manifest is corrupt',
      () => {
        mkdirSync(inFolder('corrupt'));
        writeFileSync(inFolder('corrupt/manifest.json'), '{"version": ');
        return inFolder('corrupt');
      },
      /manifest\.json/,
    ],
    [
      'it is another stack',
      () =>
        assemblyOfStack(stack => {
          new CfnResource(stack, 'Queue', { type: 'AWS::SQS::Queue' });
        }),
      /holds no RentalOrders/,
    ],
    [
      'a resource type is not implemented',
      () =>
        assemblyOfStack(stack => {
          new CfnResource(stack, 'Table', { type: 'AWS::DynamoDB::Table' });
        }),
      /Table.*AWS::DynamoDB::Table/,
    ],
    [
      'a property is not implemented',
      () =>
        assemblyOfStack(stack => {
          new CfnResource(stack, 'Queue', { type: 'AWS::SQS::Queue', properties: { Colour: 'green' } });
        }),
      /Queue.*Colour/,
    ],
    [
      'an intrinsic is not known',
      () => {
        const assembly = assemblyOfStack(stack => {
          new CfnResource(stack, 'Queue', { type: 'AWS::SQS::Queue', properties: { QueueName: 'q' } });
        });
        editTemplate(assembly, 'Test', ({ Resources }) => {
          const { Properties = {} } = Resources['Queue'] ?? {};
          Properties['QueueName'] = { 'Fn::Guess': 'a name' };
        });
        return assembly;
      },
      /Queue.*Fn::Guess/,
    ],
  ])('ends with 2 and one clear message when %s', (_, assembly, message) => {
    const { status, stdout, stderr } = dlo('--assembly', assembly());
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(message);
    expect(stderr).not.toMatch(/^\s+at /m);
  });

  test('ends with 2 on an option it does not have', () => {
    expect(dlo('--sed', '1')).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/^dlo: unknown option '--sed'/),
    });
  });

  test('says before it plays that a trace cannot be written', () => {
    const { status, stdout, stderr } = dlo('--trace', inFolder('no/such/trace.jsonl'));
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toMatch(/^dlo: .*trace\.jsonl: no such file or folder\n$/);
  });

  test('leaves an older trace alone when the input is bad', () => {
    const trace = inFolder('older.jsonl');
    writeFileSync(trace, 'of yesterday');
    expect(dlo('--assembly', inFolder('nowhere'), '--trace', trace).status).toBe(2);
    expect(readFileSync(trace, 'utf8')).toBe('of yesterday');
  });

  test('leaves nothing behind when it is interrupted', async () => {
    const temporary = inFolder('temporary');
    mkdirSync(temporary);
    const child = spawn(process.execPath, [DLO, 'story', 'rental'], {
      env: { ...process.env, TMPDIR: temporary },
      stdio: 'ignore',
    });
    const ended = once(child, 'exit');
    const watcher = watch(temporary);
    try {
      await Promise.race([once(watcher, 'change'), ended]);
      expect(readdirSync(temporary)).toEqual([expect.stringMatching(/^dlo-rental-/)]);
      child.kill('SIGINT');
      expect(await ended).toEqual([130, null]);
      expect(readdirSync(temporary)).toEqual([]);
    } finally {
      watcher.close();
      child.kill('SIGKILL');
    }
  }, 60_000);
});
