import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { LocalAws } from '../../local';
import { wait } from '../../mover/aws/clock';
import { FaultingProxy, type FaultRule } from '../support/faulting-proxy';
import { fillAccount, shapeText, WIDE } from '../support/wide-account';
import { median, type Ratio, type Row } from './measure';

/** The command as users install it. */
const DLO = path.resolve(__dirname, '../bin/dlo.js');

const LATENCY_MS = 40;

const ENVIRONMENT = {
  ...process.env,
  AWS_ACCESS_KEY_ID: 'AKIAIOSFODNN7EXAMPLE',
  AWS_SECRET_ACCESS_KEY: 'secret',
  AWS_REGION: 'us-east-1',
};

/**
 * The rates that AWS publishes for calls that read, a second.
 * @see https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
 * @see https://docs.aws.amazon.com/general/latest/gr/sns.html
 */
const RATES: Readonly<Record<string, number>> = {
  'lambda:GetPolicy': 15,
  'lambda:ListFunctionEventInvokeConfigs': 15,
  'sns:ListSubscriptions': 30,
  'sns:ListTopics': 30,
};

const THROTTLES: readonly FaultRule[] = Object.entries(RATES).map(([action, perSecond]) => ({
  action,
  mode: 'throttle',
  perSecond,
}));

interface Run {
  readonly args: readonly string[];
  /** @default - none */
  readonly throttles?: readonly FaultRule[];
}

/** Runs the command against a wide account. @returns how long it takes, and how often each operation was answered */
async function played({ args, throttles = [] }: Run): Promise<[ms: number, calls: ReadonlyMap<string, number>]> {
  const aws = LocalAws.start({ trace: { keep: 1_000 } });
  await fillAccount(aws, WIDE);
  const proxy = await FaultingProxy.before((await aws.listen()).url);
  proxy.meanwhile = async () => void (await wait(LATENCY_MS));
  proxy.play(throttles);
  const start = performance.now();
  const child = spawn(process.execPath, [DLO, ...args, '--endpoint-url', proxy.url], {
    env: ENVIRONMENT,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [said] = await Promise.all([text(child.stderr), text(child.stdout), once(child, 'close')]);
  const ms = performance.now() - start;
  proxy.close();
  await aws.close();
  const calls = new Map<string, number>();
  for (const { action, faults } of proxy.calls) {
    if (faults.length === 0) calls.set(action, (calls.get(action) ?? 0) + 1);
  }
  if (calls.size === 0) throw new Error(`dlo ${args.join(' ')} has asked for nothing: ${said}`);
  return [ms, calls];
}

/** A command, against its calls one after the other. */
async function latency(what: string, args: readonly string[]): Promise<Ratio> {
  const [measuredMs, calls] = await played({ args });
  const all = [...calls.values()].reduce((sum, count) => sum + count, 0);
  return {
    what: `${what} at ${LATENCY_MS} ms a call, of ${shapeText(WIDE)}`,
    measuredMs,
    against: `its ${all} calls one after the other`,
    againstMs: all * LATENCY_MS,
  };
}

/** The doctor, against the least time in which the published rates allow its calls. A burst of a second is allowed. */
async function atPublishedRates(): Promise<Ratio> {
  const [measuredMs, calls] = await played({ args: ['doctor'], throttles: THROTTLES });
  const least = Object.entries(RATES).map(([action, perSecond]) => (calls.get(action) ?? 0) / perSecond - 1);
  return {
    what: `dlo doctor of the same account, with AWS's published rates`,
    measuredMs,
    against: `what these rates allow for its calls`,
    againstMs: Math.max(...least) * 1_000,
  };
}

const ROUNDS = 15;

/** Returns the CPU milliseconds of a process that runs a command. */
function cpuOf(args: readonly string[]): number {
  const script = `process.argv.splice(1, 0, ${JSON.stringify(DLO)});
    process.on('exit', () => {
      const { user, system } = process.cpuUsage();
      process.stderr.write(String((user + system) / 1_000));
    });
    ${args.length === 0 ? '' : `require(${JSON.stringify(DLO)});`}`;
  const run = `node -e "$0" -- "$@" 2>&1 >/dev/null`;
  return Number(execFileSync('sh', ['-c', run, script, ...args], { encoding: 'utf8' }));
}

function help(args: readonly string[]): Ratio {
  const rounds = Array.from({ length: ROUNDS }, () => [cpuOf(args), cpuOf([])] as const);
  return {
    what: `CPU of dlo ${args.join(' ')}`,
    measuredMs: median(rounds.map(([own]) => own)),
    against: 'that of an empty script',
    againstMs: median(rounds.map(([, empty]) => empty)),
  };
}

const TO = 'arn:aws:sqs:us-east-1:123456789012:work-0';

export const ROWS: readonly Row[] = [
  () => latency('dlo dlq ls', ['dlq', 'ls']),
  () => latency('the plan of dlo dlq redrive', ['dlq', 'redrive', 'dlq-0', '--to', TO]),
  atPublishedRates,
  async () => help(['--help']),
  async () => help(['dlq', 'ls', '--help']),
];
