import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** How much longer one thing takes than another, both measured in this run. */
export interface Ratio {
  readonly what: string;
  readonly measuredMs: number;
  readonly against: string;
  readonly againstMs: number;
}

/** The middle of an odd number of values. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** Wall time of `work`, in milliseconds. */
export async function timed(work: () => unknown): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

const THREAD_TIMES = '/proc/thread-self/schedstat';

/** The CPU time of this thread in milliseconds, where Linux tells it; elsewhere the wall time. */
function threadNow(): number {
  if (!existsSync(THREAD_TIMES)) return performance.now();
  return Number(readFileSync(THREAD_TIMES, 'utf8').split(' ')[0]) / 1_000_000;
}

/** Returns the CPU time that `work` takes in this thread, in milliseconds. Other processes and threads do not change it. */
export async function threadTimed(work: () => unknown): Promise<number> {
  const start = threadNow();
  await work();
  return threadNow() - start;
}

/** Returns the CPU time that `work` takes in this process, in milliseconds. Other processes do not change it. */
export async function cpuTimed(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

/** Runs `first` and `second` in turn, `rounds` times, so that other load on the machine affects both equally. */
export async function sideBySide(
  rounds: number,
  first: () => unknown,
  second: () => unknown,
  cost = timed,
): Promise<[number, number]> {
  const times: [number, number][] = [];
  for (let round = 0; round < rounds; round += 1) times.push([await cost(first), await cost(second)]);
  return [median(times.map(([ms]) => ms)), median(times.map(([, ms]) => ms))];
}

/** A row of the table. */
export interface Figure {
  readonly value: number;
  /** @default - a number of things */
  readonly unit?: 'x';
  readonly text: string;
}

/** Measures a row. */
export type Row = () => Promise<Ratio | Figure>;

/** The text is for example `a (32 ms) against b (10 ms)`. */
export function figureOf(row: Ratio | Figure): Figure {
  if ('text' in row) return row;
  const { what, measuredMs, against, againstMs } = row;
  const text = `${what} (${milliseconds(measuredMs)}) against ${against} (${milliseconds(againstMs)})`;
  return { value: measuredMs / againstMs, unit: 'x', text };
}

function milliseconds(ms: number): string {
  return ms < 10 ? `${ms.toFixed(2)} ms` : `${Math.round(ms).toLocaleString('en')} ms`;
}

/** A child process that answers one request after the other. */
export class Child {
  private readonly process: ChildProcess;
  private readonly ended: Promise<never>;

  /** @param file the bundle of a `*.child.ts` */
  constructor(file: string, env: NodeJS.ProcessEnv = {}) {
    this.process = fork(path.join(__dirname, file), {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      env: { ...process.env, NODE_NO_WARNINGS: '1', ...env },
    });
    this.ended = once(this.process, 'exit').then(([code]): never => {
      throw new Error(`the process that is measured ended with ${code}`);
    });
    // Callers get the error from their own promise.
    this.ended.catch(() => {});
  }

  async ask<Answer>(load: object): Promise<Answer> {
    const answered = once(this.process, 'message');
    this.process.send(load);
    const [answer]: Answer[] = await Promise.race([answered, this.ended]);
    if (answer === undefined) throw new Error('the process that is measured has said nothing');
    return answer;
  }

  kill(): void {
    this.process.kill();
  }
}

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Returns the bytes of live objects on the heap. */
export function heapBytes(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}
