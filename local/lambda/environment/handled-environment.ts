import { TestCode } from '../../kernel/test-code';
import type { Scheduled, Scheduler } from '../../kernel/timeline';
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
import { DEFAULT_WATCHDOG_MS } from './function-thread';
import { Interrupter } from './interruptions';
import type { FunctionError, ThreadSettings } from './protocol';

/** One invocation, as code of a test sees it. */
export interface HandledInvocation extends PlacedInvocation {
  readonly configuration: FunctionConfiguration;
  /** The environment variables of the function, with the credentials of its role. */
  readonly variables: Readonly<Record<string, string>>;
  readonly deadlineMs: number;
  /** Resolves after some virtual time. */
  sleep(ms: number): Promise<void>;
}

/** Code that runs in this process in place of a function's own. */
export type HandledCode = (event: unknown, invocation: HandledInvocation) => unknown;

interface HandledPorts {
  readonly timeline: Scheduler;
  readonly log: (message: string) => void;
  readonly closed: () => void;
  readonly watchdogMs: number | undefined;
}

/**
 * An execution environment whose code runs in this process: the double of a function, or a function in a runtime that is
 * not simulated. Timeouts are those of virtual time. The code takes none, unless it sleeps or waits for an answer that does.
 */
export class HandledEnvironment {
  private readonly platform: PlatformLog;
  private run: HandledRun | undefined;
  private isNew = true;
  private isDead = false;
  private isClosed = false;

  constructor(
    private readonly configuration: FunctionConfiguration,
    private readonly settings: ThreadSettings,
    private readonly ports: HandledPorts,
    readonly code: HandledCode,
  ) {
    this.platform = new PlatformLog(configuration, message => {
      ports.log(message);
      this.run?.invocation.onLog?.(message);
    });
  }

  get isAlive(): boolean {
    return !this.isDead;
  }

  /** Starts an invocation. Due work calls `done`, once. */
  async begin(invocation: PlacedInvocation, done: (outcome: Outcome) => Promise<void>): Promise<void> {
    const { timeline } = this.ports;
    const startedAtMs = timeline.nowMs;
    const initDurationMs = this.isNew ? 0 : undefined;
    if (this.isNew) this.platform.initStart(startedAtMs);
    this.isNew = false;
    const { configuration, settings, code } = this;
    this.run = new HandledRun(
      { ...this.ports, configuration, variables: settings.variables, code },
      invocation,
      async settled => {
        const outcome = { ...settled, durationMs: timeline.nowMs - startedAtMs };
        this.platform.end(timeline.nowMs, invocation.requestId, outcome, initDurationMs);
        this.run = undefined;
        this.isDead = settled.kind === 'timeout' || settled.isDeadly === true;
        if (this.isDead) await this.close();
        await done(outcome);
      },
    );
    this.platform.start(startedAtMs, invocation.requestId);
    this.run.start();
  }

  async close(): Promise<void> {
    this.isDead = true;
    this.run?.abandon();
    if (!this.isClosed) this.ports.closed();
    this.isClosed = true;
  }
}

type HandledOutcome = Settled & { readonly isDeadly?: boolean };

interface HandledRunProps extends HandledPorts {
  readonly configuration: FunctionConfiguration;
  readonly variables: Readonly<Record<string, string>>;
  readonly code: HandledCode;
}

/** One invocation of code of a test. */
class HandledRun {
  private readonly testCode: TestCode;
  private readonly deadline: Scheduled;
  private readonly interrupter: Interrupter | undefined;
  private watchdog: NodeJS.Timeout | undefined;
  private isStuck = false;
  private isOver = false;

  constructor(
    private readonly props: HandledRunProps,
    readonly invocation: PlacedInvocation,
    private readonly finish: (outcome: HandledOutcome) => Promise<void>,
  ) {
    const { timeline, configuration } = props;
    const { interruption } = invocation;
    this.interrupter = interruption && new Interrupter(interruption, timeline, () => this.interrupt());
    this.testCode = new TestCode(timeline, () => this.interrupter?.sent() && timeline.after(0, () => this.interrupt()));
    this.deadline = timeline.after(configuration.timeoutSeconds * 1000, () => this.timedOut());
  }

  start(): void {
    const { code, configuration, variables, timeline, watchdogMs = DEFAULT_WATCHDOG_MS } = this.props;
    const handled: HandledInvocation = {
      ...this.invocation,
      configuration,
      variables,
      deadlineMs: timeline.nowMs + configuration.timeoutSeconds * 1000,
      sleep: ms => this.testCode.waitFor(new Promise(resolve => timeline.after(ms, () => resolve()))),
    };
    // Code that waits for something that never happens would hold time forever. It then ends at its timeout.
    this.watchdog = setTimeout(() => {
      this.isStuck = true;
      this.testCode.end();
    }, watchdogMs);
    this.watchdog.unref();
    const event: unknown = JSON.parse(this.invocation.payload);
    const answer = Promise.resolve(this.testCode.call(async () => code(event, handled)));
    const outcome = answer.then(
      result => answered(JSON.stringify(result ?? null)),
      (thrown: unknown): Settled => ({ kind: 'error', error: errorOf(thrown) }),
    );
    timeline.whenSettled(outcome, result =>
      this.end(result.status === 'fulfilled' ? result.value : { kind: 'error', error: errorOf(result.reason) }),
    );
  }

  /** Forgets the run, whose code may go on. */
  abandon(): void {
    this.isOver = true;
    clearTimeout(this.watchdog);
    this.deadline.cancel();
    this.interrupter?.cancel();
    this.testCode.end();
  }

  private async end(outcome: HandledOutcome): Promise<void> {
    if (this.isOver) return;
    this.abandon();
    await this.finish(outcome);
  }

  private timedOut(): Promise<void> {
    const error = timeoutError(this.invocation.requestId, this.props.configuration.timeoutSeconds);
    return this.end({ kind: 'timeout', error, ...(this.isStuck && { decidedBy: 'watchdog' }) });
  }

  /** A hang ends at the deadline. */
  private interrupt(): void | Promise<void> {
    const { requestId, interruption } = this.invocation;
    if (interruption?.how === 'timeout') {
      this.testCode.end();
      return undefined;
    }
    const error = interruption?.how === 'exit' ? exitError(requestId, 1) : outOfMemoryError(requestId);
    return this.end({ kind: 'error', error, isDeadly: true });
  }
}

function errorOf(thrown: unknown): FunctionError {
  if (!(thrown instanceof Error)) return { errorType: typeof thrown, errorMessage: String(thrown), trace: [] };
  return { errorType: thrown.name, errorMessage: thrown.message };
}
