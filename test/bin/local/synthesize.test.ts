import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { CloudFormationClient, CreateStackCommand } from '@aws-sdk/client-cloudformation';
import { synthesize } from '../../../bin/local/synthesize';
import { eventually } from '../../local/wire/server/served-aws';
import { MemoryIo } from '../shared/memory-io';
import { LocalRun } from './local-run';

/** A minimal CDK app: it writes a manifest to the output folder, and prints the context it received. */
const APP = `
const fs = require('node:fs');
const out = process.env.CDK_OUTDIR;
fs.writeFileSync(out + '/manifest.json', JSON.stringify({ version: '36.0.0', artifacts: {} }));
fs.writeFileSync(out + '/told.json', JSON.stringify({
  context: JSON.parse(process.env.CDK_CONTEXT_JSON),
  account: process.env.CDK_DEFAULT_ACCOUNT,
  region: process.env.CDK_DEFAULT_REGION,
}));
console.log('synthesized');
`;

describe('the app of cdk.json', () => {
  const folders: string[] = [];
  afterAll(() => {
    for (const folder of folders) rmSync(folder, { recursive: true });
  });

  function folderWith(files: Readonly<Record<string, string | object>>): string {
    const folder = mkdtempSync(path.join(tmpdir(), 'dlo-app-'));
    folders.push(folder);
    for (const [name, content] of Object.entries(files)) {
      writeFileSync(path.join(folder, name), typeof content === 'string' ? content : JSON.stringify(content));
    }
    return folder;
  }

  async function synthesized(folder: string, context: Readonly<Record<string, string>> = {}) {
    const io = new MemoryIo();
    const directory = await synthesize(folder, context, io, new AbortController().signal);
    folders.push(directory);
    return { directory, io, reported: JSON.parse(readFileSync(path.join(directory, 'told.json'), 'utf8')) };
  }

  it('is run as the CDK’s own command runs it, into a folder of its own', async () => {
    const folder = folderWith({ 'cdk.json': { app: 'node app.js' }, 'app.js': APP });
    const { directory, io, reported } = await synthesized(folder);
    expect(existsSync(path.join(directory, 'manifest.json'))).toBe(true);
    expect(existsSync(path.join(folder, 'cdk.out'))).toBe(false);
    expect(reported).toMatchObject({ account: '123456789012', region: 'us-east-1' });
    expect(reported.context).toMatchObject({ 'aws:cdk:enable-path-metadata': true, 'aws:cdk:bundling-stacks': ['**'] });
    expect([io.out, io.err]).toEqual(['', 'synthesized\n']);
  });

  it('is told the context of cdk.json, of cdk.context.json, and of the command line, the last first', async () => {
    const folder = folderWith({
      'cdk.json': { app: 'node app.js', context: { a: 1, b: 1, c: 1 } },
      'cdk.context.json': { b: 2, c: 2 },
      'app.js': APP,
    });
    expect((await synthesized(folder, { c: '3' })).reported.context).toMatchObject({ a: 1, b: 2, c: '3' });
  });

  it('may be a bare JavaScript file, and is built before it runs', async () => {
    const build = "node -e \"require('fs').copyFileSync('source.js', 'app.js')\"";
    const folder = folderWith({ 'cdk.json': { app: 'app.js', build }, 'source.js': APP, 'app.js': 'process.exit(9)' });
    await expect(synthesized(folder)).resolves.toMatchObject({ reported: { region: 'us-east-1' } });
  });

  it('may be the folder of an assembly, as for the CDK’s own command', async () => {
    const folder = folderWith({ 'cdk.json': { app: 'own.out' } });
    mkdirSync(path.join(folder, 'own.out'));
    writeFileSync(path.join(folder, 'own.out', 'manifest.json'), '{}');
    const directory = await synthesize(folder, {}, new MemoryIo(), new AbortController().signal);
    expect(directory).toBe(path.join(folder, 'own.out'));
  });

  it.each([
    ['it is no JSON', { 'cdk.json': '{' }, 2, 'cdk.json: '],
    ['it is no object', { 'cdk.json': '[]' }, 2, 'cdk.json: must be an object'],
    ['it names no app', { 'cdk.json': {} }, 2, 'cdk.json: app must be the command that runs the app'],
    [
      'its members are none',
      { 'cdk.json': { app: 'x', build: 1, context: [] } },
      2,
      'cdk.json: build must be a command',
    ],
    ['the build fails', { 'cdk.json': { app: 'x', build: 'exit 3' } }, 1, 'the build (exit 3) ended with 3'],
    ['the app fails', { 'cdk.json': { app: 'exit 4' } }, 1, 'the app (exit 4) ended with 4'],
    [
      'the app writes nothing',
      { 'cdk.json': { app: 'node -e 0' } },
      1,
      'did not write a cloud assembly: does it call app.synth()?',
    ],
  ])('and the command says so when %s', async (_, files, exitCode, message) => {
    const run = new LocalRun(['--port', '0'], folderWith(files));
    expect(await run.exitCode).toBe(exitCode);
    expect(run.io.err).toContain(message);
  });

  it('is not needed: without one, AWS is empty', async () => {
    const run = new LocalRun(['--port', '0', '--json'], folderWith({}));
    const endpoint = await run.url();
    const credentials = { accessKeyId: 'a', secretAccessKey: 'b' };
    const client = new CloudFormationClient({ endpoint, region: 'us-east-1', credentials });
    const TemplateBody = JSON.stringify({ Resources: { Bucket: { Type: 'AWS::S3::Bucket' } } });
    await client.send(new CreateStackCommand({ StackName: 'Uploads', TemplateBody }));
    client.destroy();
    await run.said(/cloudformation\.stand-in/);
    const { exitCode, out, err } = await run.end();
    expect([exitCode, err]).toEqual([0, expect.stringMatching(/has no cdk\.json, so AWS is empty\./)]);
    expect(JSON.parse(out.split('\n')[0] ?? '')).toMatchObject({ stacks: [], queues: [] });
    const staged = new LocalRun(['--stage', 'Prod'], folderWith({}));
    expect([await staged.exitCode, staged.io.err]).toEqual([2, expect.stringContaining('--stage needs an app: ')]);
  });

  it('ends with the command, which ends with 0 all the same', async () => {
    const app = 'require("fs").writeFileSync("begun", ""); setInterval(() => {}, 1000)';
    const folder = folderWith({ 'cdk.json': { app: 'node app.js' }, 'app.js': app });
    const run = new LocalRun(['--port', '0'], folder);
    while (!existsSync(path.join(folder, 'begun'))) await new Promise(resolve => setImmediate(resolve));
    expect(await run.end()).toMatchObject({ exitCode: 0, err: '' });
  });

  it('ends with everything it runs, be it a shell that runs more', async () => {
    const app = 'require("fs").writeFileSync("pid", String(process.pid)); setInterval(() => {}, 1000)';
    const folder = folderWith({ 'cdk.json': { app: 'node app.js && echo done' }, 'app.js': app });
    const run = new LocalRun(['--port', '0'], folder);
    const file = path.join(folder, 'pid');
    await eventually(() => existsSync(file) && readFileSync(file, 'utf8') !== '');
    const pid = Number(readFileSync(file, 'utf8'));
    expect(await run.end()).toMatchObject({ exitCode: 0, err: '' });
    await eventually(() => !isRunning(pid));
  });
});

function isRunning(pid: number): boolean {
  try {
    // A zombie process, whose parent has not read its exit code, still exists. Its status on Linux is Z.
    return process.kill(pid, 0) && !/\) Z /.test(statusOf(pid));
  } catch {
    // kill() throws if the process does not exist.
    return false;
  }
}

function statusOf(pid: number): string {
  const file = `/proc/${pid}/stat`;
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}
