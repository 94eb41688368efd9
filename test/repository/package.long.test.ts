import { execFileSync, spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { type BuildOptions, build } from 'esbuild';
import { ROOT } from './source-files';

/** Runs npm. On Windows it is a script, which only a shell can run. */
function npm(args: readonly string[], cwd: string): string {
  const windows = process.platform === 'win32';
  return execFileSync(windows ? 'npm.cmd' : 'npm', args, { cwd, encoding: 'utf8', shell: windows, stdio: 'pipe' });
}

/** The program of `npm run check:package`, which bundles it with Vite and webpack. */
const PROGRAM = 'package-program.mjs';

/** A user's app in plain JavaScript, in a folder without esbuild or TypeScript. */
const APP = `
const { App, Stack } = require('aws-cdk-lib');
const { DurableTopic } = require('dead-letter-office');
const app = new App({ outdir: 'cdk.out' });
const stack = new Stack(app, 'Elsewhere');
new DurableTopic(stack, 'Topic').relayToEndpoint('ToPartner', 'https://partner.example.com/orders');
app.synth();
`;

/** The libraries that the types of the CDK need. */
const LIB = 'es2022,esnext.disposable,dom';

/** A test of a user's stack. Its folder has this package and the CDK, but no SDK. */
const TYPED_TEST = `
import { App, CfnOutput, Stack } from 'aws-cdk-lib';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { DurableTopic } from 'dead-letter-office';
import { LocalAws, type TracedAwsEvent } from 'dead-letter-office/local';

async function main(): Promise<void> {
  const app = new App({ outdir: 'typed.out' });
  const stack = new Stack(app, 'Orders');
  const topic = new DurableTopic(stack, 'Topic');
  topic.deliverToQueue('Billing', new Queue(stack, 'Billing'));
  new CfnOutput(stack, 'TopicArn', { value: topic.topicArn });
  const aws = await LocalAws.deploy(app.synth(), { seed: 7, startAt: '2026-01-01T00:00:00Z' });
  const call = new URLSearchParams({ Action: 'Publish', TopicArn: aws.output('TopicArn'), Message: 'hello' });
  const { status }: { status: number } = await aws.request('GET', 'https://sns.us-east-1.amazonaws.com/?' + call);
  await aws.advance({ seconds: 1 });
  const sent = aws.trace.events.filter((it): it is Extract<TracedAwsEvent, { type: 'sqs.sent' }> => it.type === 'sqs.sent');
  console.log(status, sent.length, sent[0]?.queueArn.includes('Billing'));
  const region: string = aws.clientConfig().region;
  console.log(region);
  await aws.close();
}
main();
`;

/** A user's consumer, as a module. It never stops the second heartbeat, which must not keep the process running. */
const TYPED_CONSUMER = `
import { LeaseLostError, startHeartbeat, withHeartbeat } from 'dead-letter-office/consumer';
const client = { changeMessageVisibility: async (input: { QueueUrl: string; VisibilityTimeout: number }) => input };
const options = { client, queueUrl: 'https://sqs.example.com/1/orders', receiptHandle: 'AQEB', visibilitySeconds: 60 };
const done: number = await withHeartbeat(options, async (signal: AbortSignal) => (signal.aborted ? 0 : 1));
const forgotten = startHeartbeat(options);
console.log(done, forgotten.signal.reason instanceof LeaseLostError);
`;

/** A user's program that manages a fleet. Settings that are none are refused. */
const TYPED_FLEET = `
import { type EndpointDescription, FleetClient, FleetError, type FleetClientOptions } from 'dead-letter-office/fleet';
export const first = async (fleet: FleetClient): Promise<EndpointDescription | undefined> =>
  (await fleet.list({ tenant: 'acme' })).endpoints[0];
try {
  new FleetClient({ dynamoDb: {} as FleetClientOptions['dynamoDb'], settings: '{}' });
} catch (error) {
  console.log(error instanceof FleetError && error.code);
}
`;

/** The smallest test in an older app. */
const OLDER_TEST = `
import { withHeartbeat } from 'dead-letter-office/consumer';
import { LocalAws } from 'dead-letter-office/local';
export const work = (done: Promise<void>) => withHeartbeat(
  { client: { changeMessageVisibility: async () => {} }, queueUrl: '', receiptHandle: '', visibilitySeconds: 60 },
  () => done,
);
export const now: string = LocalAws.start({ seed: 7 }).now;
`;

interface Packed {
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
}

describe('the npm package, packed', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'dlo-package-'));
  const [packed] = JSON.parse(npm(['pack', '--json', '--ignore-scripts', '--pack-destination', folder], ROOT)) as [
    Packed,
  ];

  afterAll(() => rmSync(folder, { recursive: true }));

  test('has the code of every function and process, which dlo story and the constructs deploy', () => {
    const files = new Set(packed.files.map(it => it.path));
    const built = ['dist/lambda', 'dist/process'].flatMap(folder =>
      readdirSync(path.join(ROOT, folder)).map(name => `${folder}/${name}/index.js`),
    );
    expect(built.length).toBeGreaterThan(5);
    expect(built.filter(file => !files.has(file))).toEqual([]);
  });

  test('passes publint', () => {
    const publint = path.join(ROOT, 'node_modules', 'publint', 'src', 'cli.js');
    const { status, stdout } = spawnSync(
      process.execPath,
      [publint, 'run', path.join(folder, packed.filename), '--strict'],
      { encoding: 'utf8', env: { ...process.env, NO_COLOR: '1' } },
    );
    const lines = stdout.trim().split('\n').slice(1);
    expect({ status, lines: lines.filter(line => !/^(Unp|P)acking|^Linting/.test(line)) }).toEqual({
      status: 0,
      lines: ['All good!'],
    });
  });

  describe('installed in another folder, without esbuild', () => {
    const modules = path.join(folder, 'node_modules');

    /** Runs node in that folder. */
    const node = (...args: string[]) => spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });

    /** Compiles a file to the folder `out`, in strict mode. */
    const compile = (file: string) => {
      const options = ['--target', 'es2022', '--lib', LIB, '--module', 'nodenext', '--types', '--outDir', 'out'];
      const tsc = path.join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
      return node(tsc, '--strict', ...options, file);
    };

    beforeAll(() => {
      mkdirSync(modules);
      writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ name: 'elsewhere', private: true }));
      const offline = ['--offline', '--no-save', '--ignore-scripts', '--legacy-peer-deps'];
      npm(['install', ...offline, path.join(folder, packed.filename)], folder);
      for (const peer of ['aws-cdk-lib', 'constructs']) {
        symlinkSync(path.join(ROOT, 'node_modules', peer), path.join(modules, peer), 'junction');
      }
    });

    test('synthesizes a stack', () => {
      writeFileSync(path.join(folder, 'app.js'), APP);
      expect(node('app.js')).toMatchObject({ status: 0 });
      expect(existsSync(path.join(modules, 'esbuild'))).toBe(false);
      const template = JSON.parse(readFileSync(path.join(folder, 'cdk.out', 'Elsewhere.template.json'), 'utf8'));
      const types = Object.values<{ Type: string }>(template.Resources).map(({ Type }) => Type);
      expect(types).toEqual(expect.arrayContaining(['AWS::SNS::Topic', 'AWS::SQS::Queue', 'AWS::Lambda::Function']));
    });

    test('runs a typed test of a stack in the embedded AWS, without any of our dependencies', () => {
      writeFileSync(path.join(folder, 'stack.test.ts'), TYPED_TEST);
      expect(compile('stack.test.ts')).toMatchObject({ status: 0, stdout: '' });
      expect(node(path.join('out', 'stack.test.js'))).toMatchObject({
        status: 0,
        stdout: '200 1 true\nus-east-1\n',
        stderr: '',
      });
    });

    test('gives a typed consumer a heartbeat, which loads neither the CDK nor an SDK', () => {
      writeFileSync(path.join(folder, 'worker.mts'), TYPED_CONSUMER);
      expect(compile('worker.mts')).toMatchObject({ status: 0, stdout: '' });
      expect(node(path.join('out', 'worker.mjs'))).toMatchObject({ status: 0, stdout: '1 false\n', stderr: '' });
      const loaded = 'Object.keys(require.cache).filter(file => file.includes("node_modules")).length';
      const { stdout } = node('-p', `require('dead-letter-office/consumer'); ${loaded}`);
      expect(stdout).toBe('1\n');
    });

    test('gives a typed client of a fleet, which loads no SDK', () => {
      writeFileSync(path.join(folder, 'fleet.mts'), TYPED_FLEET);
      expect(compile('fleet.mts')).toMatchObject({ status: 0, stdout: '' });
      expect(node(path.join('out', 'fleet.mjs'))).toMatchObject({ status: 0, stdout: 'invalid\n', stderr: '' });
    });

    test.each(['consumer', 'fleet', 'local', 'matchers'])('has types of /%s that compile for ES2020', room => {
      writeFileSync(path.join(folder, 'types.mts'), `export * from 'dead-letter-office/${room}';\n`);
      const options = ['--strict', '--target', 'es2020', '--module', 'nodenext', '--types', '--noEmit'];
      const tsc = path.join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
      expect(node(tsc, ...options, 'types.mts')).toMatchObject({ status: 0, stdout: '' });
    });

    test('has types for CDK apps that use the older module resolution of TypeScript', () => {
      writeFileSync(path.join(folder, 'older.ts'), OLDER_TEST);
      const older = ['--strict', '--target', 'es2022', '--lib', LIB, '--module', 'commonjs'];
      // TypeScript 7 has no node10 resolution. jsii brings TypeScript 6.
      const resolution = ['--moduleResolution', 'node10', '--ignoreDeprecations', '6.0'];
      const tsc = require.resolve('typescript/bin/tsc', {
        paths: [path.dirname(require.resolve('jsii/package.json'))],
      });
      expect(node(tsc, ...older, ...resolution, '--noEmit', 'older.ts')).toMatchObject({ status: 0, stdout: '' });
    });

    test('runs dlo', () => {
      const dlo = path.join(modules, '.bin', 'dlo');
      const explained = node(dlo, 'policy', 'explain', '--preset', 'http-default', '--json');
      expect(JSON.parse(explained.stdout)).toMatchObject({ totalSeconds: 60, problems: [] });
    });
  });

  describe('installed in a folder without the CDK', () => {
    const alone = mkdtempSync(path.join(tmpdir(), 'dlo-without-cdk-'));
    const node = (...args: string[]) => spawnSync(process.execPath, args, { cwd: alone, encoding: 'utf8' });

    beforeAll(() => {
      writeFileSync(path.join(alone, 'package.json'), JSON.stringify({ name: 'alone', private: true }));
      const tarball = path.join(folder, packed.filename);
      npm(['install', '--offline', '--no-save', '--no-package-lock', '--ignore-scripts', tarball], alone);
      copyFileSync(path.join(ROOT, '.scripts', PROGRAM), path.join(alone, PROGRAM));
      mkdirSync(path.join(alone, 'small'));
      const script = pathToFileURL(path.join(ROOT, '.scripts', 'small-assembly.mjs')).href;
      node('-e', `import(${JSON.stringify(script)}).then(it => it.writeSmallAssembly('small'))`);
    });

    afterAll(() => rmSync(alone, { recursive: true }));

    test('brings no other package', () => {
      expect(readdirSync(path.join(alone, 'node_modules')).filter(it => !it.startsWith('.'))).toEqual([
        'dead-letter-office',
      ]);
    });

    test.each([
      ['require', ['-e', 'require("dead-letter-office")']],
      ['import', ['--input-type=module', '-e', 'import "dead-letter-office"']],
    ])('says what the constructs need: %s', (_, args) => {
      const { status, stderr } = node(...args);
      expect(status).toBe(1);
      expect(stderr).toContain(
        'Error: The constructs of dead-letter-office need the CDK: npm install aws-cdk-lib constructs',
      );
    });

    test.each([
      ['policy', 'explain', '--preset', 'http-default'],
      ['doctor', 'small'],
      ['cost', 'small'],
    ])('runs dlo %s', (...args) => {
      expect(node(path.join('node_modules', 'dead-letter-office', 'dist', 'bin', 'dlo.js'), ...args)).toMatchObject({
        status: 0,
        stderr: '',
      });
    });

    const asCommonJs = (source: string) =>
      source.replace(/^import (\{.*\}) from ('.*');$/gm, 'const $1 = require($2);');

    test.each<[string, string, BuildOptions | undefined]>([
      ['a module', 'program.mjs', undefined],
      ['CommonJS', 'program.cjs', undefined],
      ['a module, bundled to a module', 'program.mjs', { format: 'esm', outfile: 'bundle.mjs' }],
      ['a module, bundled to CommonJS', 'program.mjs', { format: 'cjs', outfile: 'bundle.cjs' }],
      ['CommonJS, bundled to CommonJS', 'program.cjs', { format: 'cjs', outfile: 'inlined.cjs' }],
    ])('runs a program that uses /local, /matchers, /consumer and /fleet: %s', async (_, file, bundled) => {
      const source = readFileSync(path.join(alone, PROGRAM), 'utf8');
      writeFileSync(path.join(alone, file), file.endsWith('.cjs') ? asCommonJs(source) : source);
      if (bundled) {
        const options: BuildOptions = { absWorkingDir: alone, entryPoints: [file], bundle: true, platform: 'node' };
        expect((await build({ ...options, ...bundled, logLevel: 'silent' })).errors).toEqual([]);
      }
      const { status, stdout, stderr } = node(bundled?.outfile ?? file);
      expect([status, stdout, stderr]).toEqual([0, 'hello Ada, invalid, done, false\n', '']);
    });
  });
});
