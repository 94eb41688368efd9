/**
 * A function's world: one execution environment, in a thread and an isolate of its own. Time, chance and the network
 * follow the engine; the code itself is what is deployed.
 *
 * The worker rests exactly when node itself would end the process, as no promise, immediate or piece of work in the thread
 * pool is left. There it reports, and blocks until the engine has more for it, so an environment that Lambda has frozen is
 * frozen here too.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { installChance } from './inside/chance';
import { followTheEngine, WorldClock } from './inside/clock';
import { LambdaConsole } from './inside/console';
import { RuntimeError } from './inside/errors';
import { IdleDetector } from './inside/idle-detector';
import { installJson } from './inside/json';
import { installMachine } from './inside/machine';
import type { WorkerStart } from './inside/mailbox';
import { Mailbox } from './inside/mailbox';
import { NameSystem } from './inside/names';
import { installNetwork, VirtualNetwork } from './inside/network';
import { installProcess } from './inside/process';
import { Runtime } from './inside/runtime';
import { installThreadPool, ThreadPool } from './inside/thread-pool';
import { installTimers, VirtualTimers } from './inside/timers';
import type { WorldInput, WorldOutput } from './protocol';

if (!parentPort) throw new Error('function.worker runs as a worker thread of the embedded AWS only');

const realSetImmediate = setImmediate;
const { settings, signal }: WorkerStart = workerData;
const mailbox = new Mailbox(parentPort, signal);
const clock = new WorldClock(settings.nowMs);
const timers = new VirtualTimers(clock);
let outputs: WorldOutput[] = [];
const emit = (output: WorldOutput): void => {
  outputs.push(output);
};
const names = new NameSystem(emit);
const pool = new ThreadPool();
const network = new VirtualNetwork(timers, names, emit);
const lambdaConsole = new LambdaConsole(settings, clock, emit);
const runtime = new Runtime(settings, { clock, console: lambdaConsole, emit });

installProcess(settings);
installJson();
installMachine(settings.memorySizeMb);
installTimers(timers);
installChance(settings.seed);
installNetwork(network, names);
installThreadPool(pool);
followTheEngine(clock);
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
  mailbox.post({ kind: 'exit', outputs, exitStatus });
});

const idleDetector = new IdleDetector(pool, () => {
  if (pool.startNext()) return;
  if (!timers.keepAlive && !network.keepAlive) runtime.idle();
  mailbox.post({ kind: 'rest', outputs, wakeAtMs: timers.nextDueAtMs });
  outputs = [];
  const input = mailbox.waitForInput();
  clock.moveTo(input.nowMs);
  timers.fireDue();
  realSetImmediate(() => take(input));
  idleDetector.checkSoon();
});

function take(input: WorldInput): void {
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
