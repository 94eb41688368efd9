import type { Scheduled, Scheduler } from '../../kernel/timeline';
import type { Network } from '../../network/network';
import type { FunctionConfiguration } from '../function/function-configuration';
import { PlatformLog } from '../function-telemetry';
import {
  answered,
  exitError,
  type Outcome,
  outOfMemoryError,
  type PlacedInvocation,
  type Settled,
  timeoutError,
} from '../invocation';
import { EnvironmentNetwork } from './environment-network';
import { FunctionThread } from './function-thread';
import { Interrupter } from './interruptions';
import type { ExitReason, FunctionError, ThreadEvent, ThreadOutput, ThreadReport, ThreadSettings } from './protocol';

/** @see https://docs.aws.amazon.com/lambda/latest/dg/lambda-runtime-environment.html#runtimes-lifecycle-ib */
const INIT_TIMEOUT_MS = 10_000;

interface EnvironmentPorts {
  readonly timeline: Scheduler;
  readonly network: Network;
  readonly log: (message: string) => void;
  /** Receives each line that the function's code printed, after `log`. */
  readonly printed: (message: string) => void;
  readonly closed: () => void;
  /** @default that of `FunctionThread` */
  readonly watchdogMs: number | undefined;
}

/**
 * One execution environment: a function's thread, driven by the timeline. It runs one invocation at a time. In between
 * it is frozen: nothing in it happens, even if its timers are overdue. It is dead after a timeout or a crash.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/lambda-runtime-environment.html
 */
export class ExecutionEnvironment {
  private readonly thread: FunctionThread;
  private readonly platform: PlatformLog;
  private readonly network: EnvironmentNetwork;
  private state: 'new' | 'loaded' | 'dead' = 'new';
  private run: Run | undefined;
  private readonly inbox: ThreadEvent[] = [];
  /** Replies that arrived while it was frozen. */
  private readonly late: ThreadEvent[] = [];
  private wake: Scheduled | undefined;
  private wakeAtMs: number | undefined;
  private pumping = false;
  private isClosed = false;

  constructor(
    private readonly configuration: FunctionConfiguration,
    settings: ThreadSettings,
    private readonly ports: EnvironmentPorts,
  ) {
    this.thread = new FunctionThread(settings, { watchdogMs: ports.watchdogMs });
    this.network = new EnvironmentNetwork(ports, {
      atOnce: event => void this.inbox.push(event),
      later: event => this.deliver(event),
    });
    this.platform = new PlatformLog(configuration, message => this.log(message));
  }

  /** It runs the function's own code. */
  readonly code = undefined;

  /** Whether it can run another invocation. */
  get isAlive(): boolean {
    return this.state !== 'dead';
  }

  /** Runs one invocation. Call it from due work. Due work then calls `done`, once. */
  async begin(invocation: PlacedInvocation, done: (outcome: Outcome) => Promise<void>): Promise<void> {
    const { timeline } = this.ports;
    const startedAtMs = timeline.nowMs;
    if (this.state === 'loaded') {
      this.run = { invocation, done, startedAtMs, deadline: this.deadline() };
      this.inbox.push(...this.late.splice(0));
      this.invoke(this.run);
    } else {
      // Written before the run exists, because a caller that asks for the log does not receive this line.
      this.platform.initStart(startedAtMs);
      const deadline = timeline.after(INIT_TIMEOUT_MS, () => this.initTimedOut());
      this.run = { invocation, done, startedAtMs, deadline };
      this.inbox.push({ kind: 'load' });
    }
    await this.pump();
  }

  /** Ends the thread. */
  async close(): Promise<void> {
    this.state = 'dead';
    this.wake?.cancel();
    if (!this.isClosed) this.ports.closed();
    this.isClosed = true;
    await this.thread.terminate();
  }

  private log(message: string): void {
    this.ports.log(message);
    this.run?.invocation.onLog?.(message);
  }

  private deadline(): Scheduled {
    return this.ports.timeline.after(this.configuration.timeoutSeconds * 1000, () => this.timedOut());
  }

  private invoke(run: Run): void {
    const { invocation, startedAtMs } = run;
    const { requestId, payload, functionArn, traceHeader, clientContext } = invocation;
    const { timeoutSeconds } = this.configuration;
    this.platform.start(startedAtMs, requestId);
    const deadlineMs = startedAtMs + timeoutSeconds * 1000;
    const reported = { requestId, payload, functionArn, traceHeader, deadlineMs, clientContext };
    this.inbox.push({ kind: 'invoke', invocation: reported });
    const { interruption } = invocation;
    run.interrupter = interruption && new Interrupter(interruption, this.ports.timeline, () => this.interruptNow(run));
  }

  private async interruptNow(run: Run): Promise<void> {
    this.interrupt(run);
    if (run.outcome) await this.finish(run, run.outcome);
  }

  /** Interrupts the code: replies no longer reach it. If the interruption is a hang, the deadline ends the run. */
  private interrupt({ invocation: { interruption } }: Run): void {
    if (interruption?.how === 'exit') this.exited({ kind: 'status', exitStatus: 1 });
    if (interruption?.how === 'out-of-memory') this.exited({ kind: 'out-of-memory' });
    this.state = 'dead';
  }

  /** Passes an event to the code, or stores it until the environment thaws. */
  private async deliver(event: ThreadEvent): Promise<void> {
    if (!this.isAlive) return;
    if (!this.run) {
      this.late.push(event);
      return;
    }
    this.inbox.push(event);
    await this.pump();
  }

  /** Passes inputs to the code, all at this virtual instant, until it waits for something. */
  private async pump(): Promise<void> {
    if (this.pumping) return;
    this.pumping = true;
    this.wake?.cancel();
    try {
      while (this.isAlive && !this.run?.outcome) {
        const event = this.inbox.shift();
        if (!event) break;
        this.take(await this.thread.send({ ...event, nowMs: this.ports.timeline.nowMs }));
      }
    } catch (error) {
      await this.broken();
      throw error;
    } finally {
      this.pumping = false;
    }
    const { run } = this;
    if (run?.outcome) await this.finish(run, run.outcome);
    else if (run && this.wakeAtMs !== undefined && this.isAlive) {
      this.wake = this.ports.timeline.at(this.wakeAtMs, () => this.deliver({ kind: 'timers' }));
    }
  }

  /**
   * The thread itself failed, which is not the function's fault. Ends the run, so that other invocations can use its
   * concurrency.
   */
  private async broken(): Promise<void> {
    const { run } = this;
    this.exited({ kind: 'status', exitStatus: 1 });
    if (run?.outcome) await this.finish(run, run.outcome);
  }

  private take(report: ThreadReport): void {
    if (report.kind === 'stuck') {
      // An endless loop runs until the function's timeout. The deadline that is set reports it.
      this.state = 'dead';
      if (this.run) this.run.stopped = true;
      return;
    }
    for (const output of report.outputs) {
      this.put(output);
      const { run } = this;
      if (output.kind !== 'request' || !run?.interrupter?.sent()) continue;
      this.interrupt(run);
      return;
    }
    if (report.kind === 'rest') this.wakeAtMs = report.wakeAtMs;
    else this.exited(report.reason);
  }

  private put(output: ThreadOutput): void {
    switch (output.kind) {
      case 'log':
        this.log(output.message);
        this.ports.printed(output.message);
        break;
      case 'lookup':
        this.network.resolve(output.query, output.hostName);
        break;
      case 'connect':
        this.network.connect(output.connection, output.destination);
        break;
      case 'request':
        this.network.send(output.exchange, output.request);
        break;
      case 'request-ended':
        this.network.abandon(output.exchange);
        break;
      case 'loaded':
        this.loaded();
        break;
      case 'load-failed':
        this.loadFailed(output.error);
        break;
      case 'answered':
        this.settle(answered(output.payload));
        break;
      case 'failed':
        this.settle({ kind: 'error', error: output.error });
        break;
    }
  }

  private loaded(): void {
    const { run } = this;
    this.state = 'loaded';
    if (!run) return;
    const { nowMs } = this.ports.timeline;
    run.deadline.cancel();
    run.initDurationMs = nowMs - run.startedAtMs;
    run.startedAtMs = nowMs;
    run.deadline = this.deadline();
    this.invoke(run);
  }

  private loadFailed(error: FunctionError): void {
    const { run } = this;
    this.state = 'dead';
    if (!run) return;
    const { nowMs } = this.ports.timeline;
    this.platform.initReport(nowMs, nowMs - run.startedAtMs, 'error', error.errorType);
    this.platform.start(nowMs, run.invocation.requestId);
    run.startedAtMs = nowMs;
    this.settle({ kind: 'error', error });
  }

  private exited(reason: ExitReason): void {
    const { run } = this;
    const wasLoading = this.state === 'new';
    this.state = 'dead';
    if (!run || run.outcome) return;
    const { requestId } = run.invocation;
    const error =
      reason.kind === 'out-of-memory' ? outOfMemoryError(requestId) : exitError(requestId, reason.exitStatus);
    if (wasLoading) this.loadFailed(error);
    else this.settle({ kind: 'error', error });
  }

  /**
   * The init phase took too long. Lambda repeats it within the function's own timeout, and here it runs out of time
   * again.
   */
  private initTimedOut(): void {
    const { run } = this;
    if (!run) return;
    this.state = 'dead';
    const { nowMs } = this.ports.timeline;
    this.platform.initReport(nowMs, INIT_TIMEOUT_MS, 'timeout');
    this.platform.start(nowMs, run.invocation.requestId);
    run.startedAtMs = nowMs;
    run.deadline = this.deadline();
  }

  private async timedOut(): Promise<void> {
    const { run } = this;
    if (!run) return;
    const error = timeoutError(run.invocation.requestId, this.configuration.timeoutSeconds);
    this.settle({ kind: 'timeout', error, ...(run.stopped && { decidedBy: 'watchdog' }) });
    if (run.outcome) await this.finish(run, run.outcome);
    await this.close();
  }

  private settle(outcome: Settled): void {
    const { run } = this;
    if (!run || run.outcome) return;
    run.outcome = { ...outcome, durationMs: this.ports.timeline.nowMs - run.startedAtMs };
  }

  private async finish(run: Run, outcome: Outcome): Promise<void> {
    run.deadline.cancel();
    run.interrupter?.cancel();
    this.wake?.cancel();
    this.platform.end(this.ports.timeline.nowMs, run.invocation.requestId, outcome, run.initDurationMs);
    this.run = undefined;
    if (!this.isAlive || outcome.kind === 'timeout') await this.close();
    await run.done(outcome);
  }
}

interface Run {
  readonly invocation: PlacedInvocation;
  readonly done: (outcome: Outcome) => Promise<void>;
  /** The start of the init phase, and then of the handler. */
  startedAtMs: number;
  deadline: Scheduled;
  initDurationMs?: number;
  /** Whether the watchdog stopped an endless loop, so that the run only waits for its deadline. */
  stopped?: boolean;
  /** Ends the run early, if a scenario asks for an interruption. */
  interrupter?: Interrupter | undefined;
  outcome?: Outcome;
}
