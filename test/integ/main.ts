import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline/promises';
import { setTimeout as waitMs } from 'node:timers/promises';
import { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import { SNSClient } from '@aws-sdk/client-sns';
import { SQSClient } from '@aws-sdk/client-sqs';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { parseKnownFiles } from '@smithy/core/config';
import { App } from 'aws-cdk-lib';
import { messageOf } from '../../account/errors';
import { run } from '../../bin/shared/command-line';
import { processIo } from '../../bin/shared/io';
import { check } from './checks';
import { type Account, integCommand, type PricedTemplate, type Steps } from './integ-command';
import { IntegrationStack, type Outputs, STACK_NAME } from './stack';

/** This file runs as `dist/integ/integ.js`. */
const ROOT = path.resolve(__dirname, '../..');
const folder = mkdtempSync(path.join(tmpdir(), 'dlo-integ-'));
const assembly = path.join(folder, 'cdk.out');
const outputsFile = path.join(folder, 'outputs.json');
const io = processIo();

interface NodeOptions {
  readonly signal?: AbortSignal;
  readonly env?: Readonly<Record<string, string>>;
  /** @default - the root of this repository */
  readonly cwd?: string;
  /** Whether Ctrl-C in the terminal does not reach the program. */
  readonly detached?: boolean;
}

/** Runs a Node.js program with this process's streams. @throws Error when it fails or is interrupted */
function node(
  script: string,
  args: readonly string[],
  { signal, env, cwd = ROOT, detached = false }: NodeOptions,
): Promise<void> {
  const child = spawn(process.execPath, [path.join(ROOT, 'node_modules', script), ...args], {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'inherit', 'inherit'],
    detached,
    ...(signal && { signal }),
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', code =>
      code === 0 ? resolve() : reject(new Error(`${path.basename(script)} ended with ${code}`)),
    );
  });
}

/** @throws Error of one sentence, if the profile has no credentials or AWS rejects them */
async function account(profile: string, region: string): Promise<Account> {
  const sts = new STSClient({ profile, region });
  try {
    const { Account: id = '', Arn: caller = '' } = await sts.send(new GetCallerIdentityCommand({}));
    return { profile, region, id, caller };
  } catch (error) {
    throw new Error(`profile ${profile} cannot be used: ${messageOf(error)}`, { cause: error });
  } finally {
    sts.destroy();
  }
}

/** Runs the `cdk` command on the synthesized assembly, elsewhere: in this folder, our cdk.json would make it build first. */
function cdk(
  command: string,
  { profile, region }: Account,
  more: readonly string[],
  options: NodeOptions,
): Promise<void> {
  const args = [command, STACK_NAME, '--app', assembly, '--profile', profile, '--no-notices', ...more];
  return node('aws-cdk/bin/cdk', args, {
    ...options,
    cwd: folder,
    env: { AWS_REGION: region, AWS_DEFAULT_REGION: region },
  });
}

const steps: Steps = {
  isAttended: process.stdin.isTTY === true,
  profiles: () => parseKnownFiles({}),
  account,
  template: () => {
    const app = new App({ outdir: assembly });
    new IntegrationStack(app);
    app.synth();
    return JSON.parse(readFileSync(path.join(assembly, `${STACK_NAME}.template.json`), 'utf8')) as PricedTemplate;
  },
  confirm: async question => {
    const terminal = createInterface({ input: process.stdin, output: process.stdout });
    const answer = await terminal.question(question);
    terminal.close();
    return /^y(es)?$/i.test(answer.trim());
  },
  deploy: async (target, signal) => {
    const more = ['--require-approval', 'never', '--outputs-file', outputsFile];
    await cdk('deploy', target, more, { signal });
    return JSON.parse(readFileSync(outputsFile, 'utf8'))[STACK_NAME] as Outputs;
  },
  check: async ({ profile, region }, outputs, signal) => {
    const clients = {
      sns: new SNSClient({ profile, region }),
      sqs: new SQSClient({ profile, region }),
      cloudWatch: new CloudWatchClient({ profile, region }),
    };
    const pass = (seconds: number) => waitMs(seconds * 1_000, undefined, { signal });
    return check({ ...clients, outputs, pass }, line => io.stdout.write(`${line}\n`));
  },
  conformance: async ({ profile, region }, signal) => {
    const env = { DLO_CONFORMANCE: 'aws', AWS_PROFILE: profile, AWS_REGION: region, AWS_DEFAULT_REGION: region };
    try {
      await node('jest/bin/jest.js', ['test/conformance', '--maxWorkers=4'], { signal, env });
      return [];
    } catch (error) {
      signal.throwIfAborted();
      return [`conformance: ${messageOf(error)}`];
    }
  },
  destroy: target => cdk('destroy', target, ['--force'], { detached: true }),
};

process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] = 'true';
run(integCommand(io, steps), process.argv.slice(2), io)
  .then(exitCode => {
    process.exitCode = exitCode;
  })
  .finally(() => rmSync(folder, { recursive: true, force: true }));
