import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import type { CompiledFile, PostedReport, ThreadInput, ThreadOutput, ThreadSettings } from '../environment/protocol';
import { installClock, VirtualClock } from './clock';
import { CompiledCode } from './compiled-code';
import { LambdaConsole } from './console';
import { RuntimeError } from './errors';
import { IdleDetector } from './idle-detector';
import { NameSystem } from './names';
import { installNetwork, VirtualNetwork } from './network';
import { Runtime } from './runtime';
import { installJson, installMachine, installProcess, installRandomness } from './sandbox';
import { installThreadPool, ThreadPool } from './thread-pool';
import { installTimers, VirtualTimers } from './timers';

/**
 * The worker thread of one execution environment. It has its own V8 isolate. Time, randomness and the network are
 * controlled by the engine. The function's code is the deployed bundle.
 *
 * The worker is idle exactly when Node.js would end the process, because no promise, immediate or thread pool work is
 * left. It then reports, and blocks until the engine sends another input. An environment that Lambda has frozen is
 * therefore frozen here too.
 */

if (!parentPort) throw new Error('function.worker runs as a worker thread of the embedded AWS only');

const realSetImmediate = setImmediate;
const { settings, signal, compiledFiles }: WorkerStart = workerData;
const port = parentPort;
const inputsSent = new Int32Array(signal);
const clock = new VirtualClock(settings.nowMs);
const timers = new VirtualTimers(clock);
let outputs: ThreadOutput[] = [];
const emit = (output: ThreadOutput): void => {
  outputs.push(output);
};
const names = new NameSystem(emit);
const pool = new ThreadPool();
const network = new VirtualNetwork(timers, names, emit);
const lambdaConsole = new LambdaConsole(settings, clock, emit);
const compiledCode = new CompiledCode(compiledFiles);
const runtime = new Runtime(settings, { clock, console: lambdaConsole, compiledCode, emit });

installProcess(settings);
installJson();
installMachine(settings.memorySizeMb);
installTimers(timers);
installRandomness(settings.seed);
installNetwork(network, names);
installThreadPool(pool);
installClock(clock);
lambdaConsole.install();

process.on('uncaughtException', error => {
  runtime.fail('Uncaught Exception', error);
  process.exit(129);
});
process.on('unhandledRejection', reason => {
  const error = new RuntimeError('Runtime.UnhandledPromiseRejection', String(reason));
  runtime.fail('Unhandled Promise Rejection', Object.assign(error, { reason }));
  process.exit(128);
});
process.on('exit', exitStatus => {
  lambdaConsole.flush();
  post({ kind: 'exit', outputs, exitStatus });
});

const idleDetector = new IdleDetector(pool, () => {
  if (pool.startNext()) return;
  if (!timers.keepAlive && !network.keepAlive) runtime.idle();
  if (outputs.some(({ kind }) => kind === 'answered' || kind === 'failed')) {
    const file = compiledCode.takeFresh();
    if (file) post({ kind: 'compiled', file });
  }
  post({ kind: 'rest', outputs, wakeAtMs: timers.nextDueAtMs });
  outputs = [];
  const input = waitForInput();
  clock.moveTo(input.nowMs);
  timers.fireDue();
  realSetImmediate(() => take(input));
  idleDetector.checkSoon();
});

function take(input: ThreadInput): void {
  switch (input.kind) {
    case 'load':
      runtime.load();
      break;
    case 'invoke':
      runtime.start(input.invocation);
      break;
    case 'addresses':
      names.settle(input.query, input.addresses);
      break;
    case 'connection':
      network.settleConnection(input.connection, input.failure);
      break;
    case 'reply':
      network.settle(input.exchange, input.reply);
      break;
    case 'timers':
      break;
  }
}

interface WorkerStart {
  readonly settings: ThreadSettings;
  /** A 32-bit counter that the engine increments with every input. */
  readonly signal: SharedArrayBuffer;
  /** What earlier threads compiled. */
  readonly compiledFiles: readonly CompiledFile[];
}

function post(report: PostedReport): void {
  port.postMessage(report);
}

/** Blocks the thread until the engine sends the next input. */
function waitForInput(): ThreadInput {
  for (;;) {
    const before = Atomics.load(inputsSent, 0);
    const received = receiveMessageOnPort(port);
    if (received) return received.message;
    Atomics.wait(inputsSent, 0, before);
  }
}
