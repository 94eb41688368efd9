import { writeWithRole } from '../../kernel/telemetry';
import type { FunctionConfiguration } from '../function/function-configuration';
import type { LambdaContext, LambdaNeighbours, LambdaOptions } from '../ports';
import { environmentVariables } from './environment-variables';
import { ExecutionEnvironment } from './execution-environment';
import { IdleEnvironments } from './idle-environments';
import type { Interruptions } from './interruptions';
import { Threads } from './threads';

const DEFAULT_IDLE_ENVIRONMENTS = 32;
const DEFAULT_MAX_THREADS = 256;
/** How long the credentials of an environment that is gone are known: for what it has signed and left behind. A choice of ours. */
const CREDENTIALS_KEPT_MS = 60 * 60_000;

/** An environment that is about to run something. */
export interface AssignedEnvironment {
  readonly environment: ExecutionEnvironment;
  readonly number: number;
  readonly coldStart: boolean;
}

/** All execution environments: it finds one that is free, or makes one. */
export class EnvironmentPool {
  /** What runs has one of these; idle environments have theirs on top. */
  readonly threads: Threads;
  private readonly idle: IdleEnvironments;
  private readonly busy = new Set<ExecutionEnvironment>();
  private readonly numbers = new WeakMap<ExecutionEnvironment, number>();
  private readonly retired = new WeakSet<FunctionConfiguration>();
  private made = 0;

  constructor(
    private readonly context: LambdaContext,
    private readonly neighbours: LambdaNeighbours,
    readonly interruptions: Interruptions,
    private readonly options: LambdaOptions,
  ) {
    const { maxThreads = DEFAULT_MAX_THREADS, idleEnvironments = DEFAULT_IDLE_ENVIRONMENTS } = options;
    this.threads = new Threads(context.timeline, maxThreads);
    this.idle = new IdleEnvironments(context.timeline, idleEnvironments, Math.max(idleEnvironments, maxThreads));
  }

  /** Undefined when no thread is free. */
  take(configuration: FunctionConfiguration): AssignedEnvironment | undefined {
    if (!this.threads.take()) return undefined;
    try {
      const waiting = this.idle.take(configuration);
      const environment = waiting ?? this.make(configuration);
      this.busy.add(environment);
      return { environment, number: this.numbers.get(environment) ?? 0, coldStart: waiting === undefined };
    } catch (error) {
      this.threads.give();
      throw error;
    }
  }

  /** The environment has finished its invocation. */
  async release(configuration: FunctionConfiguration, environment: ExecutionEnvironment): Promise<void> {
    if (this.busy.delete(environment)) this.threads.give();
    if (!environment.isAlive) return;
    if (this.retired.has(configuration)) await environment.close();
    else await this.idle.keep(configuration, environment);
  }

  /** Nothing new is run with this configuration: its idle environments end, and the busy ones do once they are done. */
  retire(configuration: FunctionConfiguration): void {
    this.retired.add(configuration);
    this.context.timeline.after(0, () => this.idle.retire(configuration));
  }

  /** Ends every thread. */
  async close(): Promise<void> {
    await Promise.all([this.idle.close(), ...[...this.busy].map(environment => environment.close())]);
    this.busy.clear();
  }

  private make(configuration: FunctionConfiguration): ExecutionEnvironment {
    const { place, random, timeline } = this.context;
    const { logging, roleArn, folder, handler, memorySizeMb } = configuration;
    const date = new Date(timeline.nowMs).toISOString().slice(0, 10).replaceAll('-', '/');
    const logStream = `${date}/[${configuration.version}]${random.hex(32)}`;
    const { functionName, functionArn } = configuration;
    const sourceFunction = { 'lambda:SourceFunctionArn': functionArn };
    const credentials = this.neighbours.credentials.issue(roleArn, functionName, sourceFunction);
    const settings = {
      folder,
      handler,
      variables: environmentVariables(configuration, credentials, { region: place.region, logStream }),
      memorySizeMb,
      seed: random.hex(32),
      nowMs: timeline.nowMs,
      logFormat: logging.logFormat,
      logLevel: logging.applicationLogLevel,
    };
    const environment = new ExecutionEnvironment(configuration, settings, {
      timeline,
      network: this.neighbours.network,
      log: this.logTo(configuration, logStream),
      closed: () => {
        timeline.inBackground(timeline.nowMs + CREDENTIALS_KEPT_MS, () => this.neighbours.credentials.end(credentials));
      },
      watchdogMs: this.options.watchdogMs,
    });
    this.made += 1;
    this.numbers.set(environment, this.made);
    return environment;
  }

  /**
   * A function writes its logs with its role. What may not be written is lost, and nobody but the trace says so: once,
   * until something is written again or the reason is another.
   */
  private logTo({ functionArn, roleArn, logging: { logGroup } }: FunctionConfiguration, stream: string) {
    let reported: string | undefined;
    return (message: string): void => {
      const reason = writeWithRole(this.neighbours.logs, roleArn, logGroup, stream, message);
      if (reason !== undefined && reason !== reported) {
        this.context.trace.record({ type: 'lambda.logs-refused', functionArn, reason });
      }
      reported = reason;
    };
  }
}
