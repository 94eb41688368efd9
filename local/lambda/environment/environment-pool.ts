import { HOUR_MS, MINUTE_MS } from '../../../policy/time-units';
import type { SessionCredentials } from '../../kernel/access';
import { writeWithRole } from '../../kernel/telemetry';
import type { Scheduled, Scheduler } from '../../kernel/timeline';
import type { FunctionConfiguration } from '../function/function-configuration';
import type { Handlers } from '../function/handlers';
import type { LambdaDependencies, LambdaOptions } from '../ports';
import type { LambdaContext } from '../trace-events';
import { Threads } from './concurrency';
import { ExecutionEnvironment } from './execution-environment';
import { type HandledCode, HandledEnvironment } from './handled-environment';
import type { Interruptions } from './interruptions';

const DEFAULT_IDLE_ENVIRONMENTS = 32;
const DEFAULT_MAX_THREADS = 256;
/**
 * How long credentials stay valid after their environment has ended, so that requests it has already signed still
 * succeed. **Assumption LAMBDA-1:** AWS does not publish this.
 */
const CREDENTIALS_KEPT_MS = HOUR_MS;

/** It runs a function's own code, or code of a test. */
type Environment = ExecutionEnvironment | HandledEnvironment;

export interface AssignedEnvironment {
  readonly environment: Environment;
  readonly number: number;
  readonly coldStart: boolean;
}

/** All execution environments. Finds a free one, or starts one. */
export class EnvironmentPool {
  /** Running environments each take one of these threads. Idle environments have additional ones. */
  readonly threads: Threads;
  private readonly idle: IdleEnvironments;
  private readonly busy = new Set<Environment>();
  private readonly numbers = new WeakMap<Environment, number>();
  private readonly retired = new WeakSet<FunctionConfiguration>();
  private made = 0;

  constructor(
    private readonly context: LambdaContext,
    private readonly dependencies: LambdaDependencies,
    readonly interruptions: Interruptions,
    private readonly handlers: Handlers,
    private readonly options: LambdaOptions,
  ) {
    const { maxThreads = DEFAULT_MAX_THREADS, idleEnvironments = DEFAULT_IDLE_ENVIRONMENTS } = options;
    this.threads = new Threads(context.timeline, maxThreads);
    this.idle = new IdleEnvironments(context.timeline, idleEnvironments, Math.max(idleEnvironments, maxThreads));
  }

  /** Returns undefined when no thread is free. */
  take(configuration: FunctionConfiguration): AssignedEnvironment | undefined {
    if (!this.threads.take()) return undefined;
    try {
      const code = this.handlers.find(configuration);
      const waiting = this.idle.take(configuration, code);
      const environment = waiting ?? this.make(configuration, code);
      this.busy.add(environment);
      return { environment, number: this.numbers.get(environment) ?? 0, coldStart: waiting === undefined };
    } catch (error) {
      this.threads.release();
      throw error;
    }
  }

  async release(configuration: FunctionConfiguration, environment: Environment): Promise<void> {
    if (this.busy.delete(environment)) this.threads.release();
    if (!environment.isAlive) return;
    if (this.retired.has(configuration)) await environment.close();
    else await this.idle.keep(configuration, environment);
  }

  /**
   * Stops new invocations with this configuration. Its idle environments end now, the busy ones after their
   * invocations.
   */
  retire(configuration: FunctionConfiguration): void {
    this.retired.add(configuration);
    this.context.timeline.after(0, () => this.idle.retire(configuration));
  }

  /** Ends every thread, for good. */
  async close(): Promise<void> {
    this.threads.close();
    await Promise.all([this.idle.close(), ...[...this.busy].map(environment => environment.close())]);
    this.busy.clear();
  }

  private make(configuration: FunctionConfiguration, code: HandledCode | undefined): Environment {
    const { place, random, timeline } = this.context;
    const { logging, roleArn, folder, handler, memorySizeMb } = configuration;
    const date = new Date(timeline.nowMs).toISOString().slice(0, 10).replaceAll('-', '/');
    const logStream = `${date}/[${configuration.version}]${random.hex(32)}`;
    const { functionName, functionArn } = configuration;
    const sourceFunction = { 'lambda:SourceFunctionArn': functionArn };
    const credentials = this.dependencies.credentials.issue(roleArn, functionName, sourceFunction);
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
    const ports = {
      timeline,
      network: this.dependencies.network,
      log: this.logTo(configuration, logStream),
      printed: (message: string) => this.context.trace.note('console', configuration.functionArn, () => message),
      closed: () => {
        timeline.inBackground(timeline.nowMs + CREDENTIALS_KEPT_MS, () =>
          this.dependencies.credentials.end(credentials),
        );
      },
      watchdogMs: this.options.watchdogMs,
    };
    const environment = code
      ? new HandledEnvironment(configuration, settings, ports, code)
      : new ExecutionEnvironment(configuration, settings, ports);
    this.made += 1;
    this.numbers.set(environment, this.made);
    return environment;
  }

  /**
   * Writes logs with the function's role, as on AWS. Lines that the role may not write are lost. The trace records this
   * once per reason, until a line can be written again.
   */
  private logTo({ functionArn, roleArn, logging: { logGroup } }: FunctionConfiguration, stream: string) {
    let reported: string | undefined;
    return (message: string): void => {
      const reason = writeWithRole(this.dependencies.logs, roleArn, logGroup, stream, message);
      if (reason !== undefined && reason !== reported) {
        this.context.trace.record({ type: 'lambda.logs-refused', functionArn, reason });
      }
      reported = reason;
    };
  }
}

/**
 * How long an environment stays idle. **Assumption LAMBDA-2:** AWS does not publish this; it was observed to be between
 * 5 and 15 minutes.
 */
const IDLE_MS = 10 * MINUTE_MS;

interface Idle {
  readonly configuration: FunctionConfiguration;
  readonly environment: Environment;
  readonly recycling: Scheduled;
}

/**
 * Frozen execution environments that wait for another invocation. The most recently used is taken first. Each holds a
 * thread, so their number is limited, and each ends after a while. The limit may be exceeded within one instant,
 * because a waiting invocation may take the environment at that same instant.
 */
class IdleEnvironments {
  /** Least recently used first. */
  private idle: Idle[] = [];
  private trimming: Scheduled | undefined;

  /**
   * @param limit how many environments are kept
   * @param most the maximum within one instant
   */
  constructor(
    private readonly timeline: Scheduler,
    private readonly limit: number,
    private readonly most: number,
  ) {}

  /** Takes an idle environment with this configuration and code; undefined when there is none. */
  take(configuration: FunctionConfiguration, code: HandledCode | undefined): Environment | undefined {
    const found = this.idle.findLast(idle => idle.configuration === configuration && idle.environment.code === code);
    if (found) this.remove(found);
    return found?.environment;
  }

  /** Keeps an environment for later invocations. Resolves when the environments it displaces have ended. */
  async keep(configuration: FunctionConfiguration, environment: Environment): Promise<void> {
    const recycling = this.timeline.inBackground(this.timeline.nowMs + IDLE_MS, () => this.end(idle));
    const idle: Idle = { configuration, environment, recycling };
    this.idle.push(idle);
    if (this.idle.length > this.most) await this.keepOnly(this.most);
    else if (this.idle.length > this.limit) this.trimLater();
  }

  /** Ends the idle environments of a configuration that is no longer used. */
  async retire(configuration: FunctionConfiguration): Promise<void> {
    const retired = this.idle.filter(idle => idle.configuration === configuration);
    await Promise.all(retired.map(idle => this.end(idle)));
  }

  async close(): Promise<void> {
    await Promise.all([...this.idle].map(idle => this.end(idle)));
  }

  private trimLater(): void {
    this.trimming ??= this.timeline.inBackground(this.timeline.nowMs + 1, () => {
      this.trimming = undefined;
      return this.keepOnly(this.limit);
    });
  }

  private async keepOnly(count: number): Promise<void> {
    const oldest = this.idle.slice(0, Math.max(0, this.idle.length - count));
    await Promise.all(oldest.map(idle => this.end(idle)));
  }

  private async end(idle: Idle): Promise<void> {
    this.remove(idle);
    await idle.environment.close();
  }

  private remove(idle: Idle): void {
    idle.recycling.cancel();
    this.idle = this.idle.filter(other => other !== idle);
  }
}

/**
 * The environment variables of a function: its own, overridden by those that Lambda reserves.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html#configuration-envvars-runtime
 */
function environmentVariables(
  configuration: FunctionConfiguration,
  { accessKeyId, secretAccessKey, sessionToken }: SessionCredentials,
  { region, logStream }: { readonly region: string; readonly logStream: string },
): Readonly<Record<string, string>> {
  const { functionName, version, memorySizeMb, runtime, handler, folder, logging, variables } = configuration;
  return {
    LANG: 'en_US.UTF-8',
    TZ: ':UTC',
    PATH: '/var/lang/bin:/usr/local/bin:/usr/bin/:/bin:/opt/bin',
    NODE_PATH: '/opt/nodejs/node_modules:/var/runtime/node_modules:/var/runtime:/var/task',
    AWS_DEFAULT_REGION: region,
    ...variables,
    _HANDLER: handler,
    AWS_REGION: region,
    AWS_EXECUTION_ENV: `AWS_Lambda_${runtime}`,
    AWS_LAMBDA_FUNCTION_NAME: functionName,
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(memorySizeMb),
    AWS_LAMBDA_FUNCTION_VERSION: version,
    AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
    AWS_LAMBDA_LOG_GROUP_NAME: logging.logGroup,
    AWS_LAMBDA_LOG_STREAM_NAME: logStream,
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    AWS_SESSION_TOKEN: sessionToken,
    // The actual folder on this machine, so that the code finds its files. Logs show /var/task.
    LAMBDA_TASK_ROOT: folder,
    LAMBDA_RUNTIME_DIR: '/var/runtime',
  };
}
