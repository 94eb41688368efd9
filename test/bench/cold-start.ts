import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import path from 'node:path';
import { median, type Ratio, type Row } from './measure';
import { relayEnvironment } from './relay-environment';

const ROUNDS = 15;

/** The environment with which each function's bundle is loaded. */
const FUNCTIONS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  relay: relayEnvironment('https://partner.example.com/orders'),
  'relay-breaker': { AWS_REGION: 'us-east-1' },
};

const EMPTY = path.join(__dirname, 'empty.lambda.js');

/** Returns the CPU milliseconds of a new process that loads the file: in total, and for the load alone. */
function loaded(file: string, environment: Readonly<Record<string, string>>): [number, number] {
  const script = `const before = process.cpuUsage();
    require(${JSON.stringify(file)});
    const sum = ({ user, system }) => (user + system) / 1_000;
    console.log(JSON.stringify([sum(process.cpuUsage()), sum(process.cpuUsage(before))]));`;
  const env = { AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true', ...environment };
  const [whole, load]: number[] = JSON.parse(execFileSync(process.execPath, ['-e', script], { env, encoding: 'utf8' }));
  if (whole === undefined || load === undefined) throw new Error('a process has said nothing of its time');
  return [whole, load];
}

function coldStart(name: string, environment: Readonly<Record<string, string>>): Ratio {
  const file = path.resolve(__dirname, '../lambda', name, 'index.js');
  const rounds = Array.from({ length: ROUNDS }, () => ({ full: loaded(file, environment), empty: loaded(EMPTY, {}) }));
  const loadMs = median(rounds.map(({ full: [, load] }) => load)).toFixed(0);
  const kilobytes = Math.round(statSync(file).size / 1_000);
  return {
    what: `a process that loads ${name} (${kilobytes} kB, ${loadMs} ms of a core),`,
    measuredMs: median(rounds.map(({ full: [whole] }) => whole)),
    against: `one that loads an empty handler (${statSync(EMPTY).size} bytes)`,
    againstMs: median(rounds.map(({ empty: [whole] }) => whole)),
  };
}

export const ROWS: readonly Row[] = Object.entries(FUNCTIONS).map(
  ([name, environment]) =>
    async () =>
      coldStart(name, environment),
);
