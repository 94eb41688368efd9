import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline/promises';
import { setTimeout as waitMs } from 'node:timers/promises';
import { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import { CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs';
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { SchedulerClient } from '@aws-sdk/client-scheduler';
import { SNSClient } from '@aws-sdk/client-sns';
import { SQSClient } from '@aws-sdk/client-sqs';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { parseKnownFiles } from '@smithy/core/config';
import { App } from 'aws-cdk-lib';
import { messageOf } from '../../account/errors';
import { run } from '../../bin/shared/command-line';
import { processIo } from '../../bin/shared/io';
import { askAll, PROBES } from './assumptions/ask';
import type { ProbedAws } from './assumptions/probe';
import type { QuestionSteps } from './assumptions/settle';
import { ASSUMPTION_STACK_NAME, AssumptionStack } from './assumptions/stack';
import { check } from './checks';
import { integCommand, type Steps } from './integ-command';
import { IntegrationStack, type Outputs, STACK_NAME } from './stack';
import type { Account, PricedTemplate } from './temporary-stack';

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
  /** Whether its standard output goes to standard error. */
  readonly quiet?: boolean;
  /** Whether Ctrl-C in the terminal does not reach the program. */
  readonly detached?: boolean;
}

/** Runs a Node.js program with this process's streams. @throws Error when it fails or is interrupted */
function node(
  script: string,
  args: readonly string[],
  { signal, env, cwd = ROOT, quiet = false, detached = false }: NodeOptions,
): Promise<void> {
  const child = spawn(process.execPath, [path.join(ROOT, 'node_modules', script), ...args], {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', quiet ? 2 : 'inherit', 'inherit'],
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
  stack = STACK_NAME,
): Promise<void> {
  const args = [command, stack, '--app', assembly, '--profile', profile, '--no-notices', ...more];
  return node('aws-cdk/bin/cdk', args, {
    ...options,
    cwd: folder,
    env: { AWS_REGION: region, AWS_DEFAULT_REGION: region },
  });
}

/** Synthesizes an app of one stack. */
function templateOf(stack: string, fill: (app: App) => void): PricedTemplate {
  const app = new App({ outdir: assembly });
  fill(app);
  app.synth();
  return JSON.parse(readFileSync(path.join(assembly, `${stack}.template.json`), 'utf8')) as PricedTemplate;
}

/** Deploys a stack. Returns its outputs. */
async function deployed(stack: string, target: Account, options: NodeOptions): Promise<unknown> {
  await cdk('deploy', target, ['--require-approval', 'never', '--outputs-file', outputsFile], options, stack);
  return JSON.parse(readFileSync(outputsFile, 'utf8'))[stack];
}

function probedAws(
  { profile, region }: Account,
  outputs: Readonly<Record<string, string>>,
  signal: AbortSignal,
): ProbedAws {
  const settings = { profile, region };
  return {
    sqs: new SQSClient(settings),
    sns: new SNSClient(settings),
    lambda: new LambdaClient(settings),
    cloudWatch: new CloudWatchClient(settings),
    logs: new CloudWatchLogsClient(settings),
    events: new EventBridgeClient(settings),
    scheduler: new SchedulerClient(settings),
    output: name => {
      const value = outputs[name];
      if (value === undefined) throw new Error(`the stack ${ASSUMPTION_STACK_NAME} has no output ${name}`);
      return value;
    },
    nowMs: Date.now,
    run: call => call,
    pass: seconds => waitMs(seconds * 1_000, undefined, { signal }),
  };
}

const questions: QuestionSteps = {
  template: () => templateOf(ASSUMPTION_STACK_NAME, app => void new AssumptionStack(app, PROBES)),
  deploy: async (target, signal) =>
    (await deployed(ASSUMPTION_STACK_NAME, target, { signal, quiet: true })) as Readonly<Record<string, string>>,
  ask: (target, outputs, signal) => askAll(PROBES, probedAws(target, outputs, signal), { together: true }),
  destroy: target => cdk('destroy', target, ['--force'], { quiet: true, detached: true }, ASSUMPTION_STACK_NAME),
};

const steps: Steps = {
  isAttended: process.stdin.isTTY === true,
  profiles: () => parseKnownFiles({}),
  account,
  template: () => templateOf(STACK_NAME, app => void new IntegrationStack(app)),
  confirm: async question => {
    const terminal = createInterface({ input: process.stdin, output: process.stderr });
    const answer = await terminal.question(question);
    terminal.close();
    return /^y(es)?$/i.test(answer.trim());
  },
  deploy: async (target, signal) => (await deployed(STACK_NAME, target, { signal })) as Outputs,
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
  questions,
};

process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] = 'true';
run(integCommand(io, steps), process.argv.slice(2), io)
  .then(exitCode => {
    process.exitCode = exitCode;
  })
  .finally(() => rmSync(folder, { recursive: true, force: true }));
