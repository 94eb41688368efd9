import { Worker } from 'node:worker_threads';
import type { PostedReport, WorldInput, WorldReport, WorldSettings } from './protocol';
import { workerFile } from './worker-file';

export interface FunctionThreadOptions {
  /** How long, by the wall clock, code may run without coming to rest before it is stopped. @default 10,000 ms */
  readonly watchdogMs?: number;
}

const DEFAULT_WATCHDOG_MS = 10_000;

/**
 * The engine's end of a function's world: a worker thread that takes one input at a time and answers with how far it
 * came. Whatever the code does to its thread (loops for ever, exits, runs out of memory) arrives here as data.
 *
 * This folder may ask the wall clock, for one thing only: to tell code that never comes to rest. Virtual time stands still
 * while code runs, so nothing else could.
 */
export class FunctionThread {
  private readonly worker: Worker;
  private readonly signal = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  private readonly watchdogMs: number;
  private outOfMemory = false;
  /** What went wrong in the worker's own code, which is ours. */
  private broken: Error | undefined;
  private report: ((report: WorldReport) => void) | undefined;
  private readonly started: Promise<WorldReport>;

  constructor(settings: WorldSettings, { watchdogMs = DEFAULT_WATCHDOG_MS }: FunctionThreadOptions = {}) {
    this.watchdogMs = watchdogMs;
    this.worker = new Worker(workerFile(), {
      workerData: { settings, signal: this.signal.buffer },
      env: {},
      execArgv: [],
      // Beyond this heap the code has run out of memory.
      resourceLimits: { maxOldGenerationSizeMb: settings.memorySizeMb },
    });
    this.worker.on('message', (posted: PostedReport) => this.posted(posted));
    this.worker.on('error', error => {
      this.outOfMemory = 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
      if (!this.outOfMemory) this.broken = error;
    });
    this.worker.on('exit', exitStatus => this.ended(exitStatus));
    // Until its first report the thread runs our own code: a busy machine is no reason to suspect the function's.
    this.started = this.nextReport(Math.max(watchdogMs, DEFAULT_WATCHDOG_MS));
  }

  /** Gives the code one input and waits until it has nothing left to run. Must not be called again before. */
  async send(input: WorldInput): Promise<WorldReport> {
    const started = await this.started;
    if (started.kind !== 'rest') return started;
    const report = this.nextReport(this.watchdogMs);
    this.worker.postMessage(input);
    Atomics.add(this.signal, 0, 1);
    Atomics.notify(this.signal, 0);
    return report;
  }

  /** Ends the thread, whatever it is doing. */
  async terminate(): Promise<void> {
    await this.worker.terminate();
  }

  private nextReport(limitMs: number): Promise<WorldReport> {
    this.worker.ref();
    return new Promise((resolve, reject) => {
      const watchdog = setTimeout(() => this.report?.({ kind: 'stuck' }), limitMs);
      this.report = report => {
        clearTimeout(watchdog);
        this.report = undefined;
        // A resting thread does not keep the engine's process alive.
        this.worker.unref();
        if (this.broken) reject(this.broken);
        else if (report.kind === 'stuck') this.terminate().then(() => resolve(report), reject);
        else resolve(report);
      };
    });
  }

  private posted(posted: PostedReport): void {
    if (posted.kind === 'rest') this.report?.(posted);
    else this.report?.({ ...posted, reason: { kind: 'status', exitStatus: posted.exitStatus } });
  }

  /** A thread that ends without a word of its own ran out of memory, or was terminated. */
  private ended(exitStatus: number): void {
    const reason = this.outOfMemory ? { kind: 'out-of-memory' as const } : { kind: 'status' as const, exitStatus };
    this.report?.({ kind: 'exit', outputs: [], reason });
  }
}
