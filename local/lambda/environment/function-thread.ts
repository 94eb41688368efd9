import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { installedFile } from '../../kernel/installed-package';
import type { CompiledFile, PostedReport, ThreadInput, ThreadReport, ThreadSettings } from './protocol';

interface FunctionThreadOptions {
  /** How long code may compute before it is stopped, in wall-clock time. @default 10,000 ms */
  readonly watchdogMs?: number;
}

export const DEFAULT_WATCHDOG_MS = 10_000;

/** What earlier threads compiled, the newest last. */
const compiledFiles: CompiledFile[] = [];
const MOST_COMPILED_FILES = 32;

/**
 * The engine's side of one execution environment: a worker thread that takes one input at a time and reports how far
 * its code came. Whatever the code does to its thread (an endless loop, an exit, running out of memory) arrives here as
 * data.
 *
 * Virtual time stands still while code computes, so only the wall clock can detect an endless loop.
 */
export class FunctionThread {
  private readonly worker: Worker;
  private readonly signal = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  private readonly watchdogMs: number;
  private outOfMemory = false;
  /** An error of the worker's own code. */
  private broken: Error | undefined;
  private report: ((report: ThreadReport) => void) | undefined;
  private readonly started: Promise<ThreadReport>;

  constructor(settings: ThreadSettings, { watchdogMs = DEFAULT_WATCHDOG_MS }: FunctionThreadOptions = {}) {
    this.watchdogMs = watchdogMs;
    this.worker = new Worker(workerFile(), {
      workerData: { settings, signal: this.signal.buffer, compiledFiles },
      env: {},
      execArgv: [],
      // When the heap grows beyond this size, the function has run out of memory.
      resourceLimits: { maxOldGenerationSizeMb: settings.memorySizeMb },
    });
    this.worker.on('message', (posted: PostedReport) => this.posted(posted));
    this.worker.on('error', error => {
      this.outOfMemory = 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
      if (!this.outOfMemory) this.broken = error;
    });
    this.worker.on('exit', exitStatus => this.ended(exitStatus));
    // The thread runs only our own code before its first report, so it gets the default time even if `watchdogMs` is
    // shorter: it may be slow on a busy machine.
    this.started = this.nextReport(Math.max(watchdogMs, DEFAULT_WATCHDOG_MS));
  }

  /** Sends one input and waits until the code has nothing left to run. Must not be called again before that. */
  async send(input: ThreadInput): Promise<ThreadReport> {
    const started = await this.started;
    if (started.kind !== 'rest') return started;
    const report = this.nextReport(this.watchdogMs);
    this.worker.postMessage(input);
    Atomics.add(this.signal, 0, 1);
    Atomics.notify(this.signal, 0);
    return report;
  }

  /** Ends the thread in any state. */
  async terminate(): Promise<void> {
    await this.worker.terminate();
  }

  private nextReport(limitMs: number): Promise<ThreadReport> {
    this.worker.ref();
    return new Promise((resolve, reject) => {
      const watchdog = setTimeout(() => this.report?.({ kind: 'stuck' }), limitMs);
      this.report = report => {
        clearTimeout(watchdog);
        this.report = undefined;
        // An idle thread must not keep the engine's process alive.
        this.worker.unref();
        if (this.broken) reject(this.broken);
        else if (report.kind === 'stuck') this.terminate().then(() => resolve(report), reject);
        else resolve(report);
      };
    });
  }

  private posted(posted: PostedReport): void {
    if (posted.kind === 'compiled') {
      compiledFiles.push(posted.file);
      compiledFiles.splice(0, compiledFiles.length - MOST_COMPILED_FILES);
    } else if (posted.kind === 'rest') this.report?.(posted);
    else this.report?.({ ...posted, reason: { kind: 'status', exitStatus: posted.exitStatus } });
  }

  /** A thread that ends without a report was terminated or ran out of memory. */
  private ended(exitStatus: number): void {
    const reason = this.outOfMemory ? { kind: 'out-of-memory' as const } : { kind: 'status' as const, exitStatus };
    this.report?.({ kind: 'exit', outputs: [], reason });
  }
}

const PACKAGE = 'dead-letter-office';
const BUILT = path.join('dist', 'local', 'function.worker.js');

/**
 * Returns the path of the built worker, in the package that contains this code (from its sources or from its build). Code in a
 * user's bundle is in another package, and finds the installed one.
 */
export function workerFile(from = __dirname, find = installedFile): string {
  const installed = find(`${PACKAGE}/package.json`);
  const root = packageRoot(from) ?? (installed && path.dirname(installed));
  const file = root && path.join(root, BUILT);
  if (file && existsSync(file)) return file;
  const where = file ?? `${BUILT} (no package.json of ${PACKAGE} above ${from}, and it is not installed)`;
  throw new Error(`The functions' worker is missing: ${where}. Build it with: npm run build`);
}

function packageRoot(folder: string): string | undefined {
  const file = path.join(folder, 'package.json');
  if (existsSync(file)) {
    const parsed: { readonly name?: unknown } = JSON.parse(readFileSync(file, 'utf8'));
    if (parsed.name === PACKAGE) return folder;
  }
  const parent = path.dirname(folder);
  return parent === folder ? undefined : packageRoot(parent);
}
