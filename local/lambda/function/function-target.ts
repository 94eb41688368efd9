import type { PolicyDocument } from '../../kernel/access';
import type { AwsError } from '../../kernel/aws-error';
import type { Resource } from '../../kernel/doorkeeper';
import type { AssignedEnvironment } from '../environment/fleet';
import { functionNotFound, isThrottle } from '../errors';
import type { Invocation, Outcome } from '../invocation';
import { FunctionMetrics } from '../metrics';
import type { DeployedFunction, StoppedLoop } from './deployed-function';
import type { EventInvokeConfiguration } from './event-invoke-configuration';
import { type FunctionConfiguration, LATEST } from './function-configuration';
import { isAliasName, qualified } from './function-name';

/** Characters of an error message the trace keeps. */
const TRACED_CHARACTERS = 256;

/** Called with what became of a run, and which version ran. */
export type Done = (outcome: Outcome, executedVersion: string) => void;

/** A function as somebody invokes it: itself, or one of its versions and aliases. */
export class FunctionTarget implements Resource {
  readonly metrics: FunctionMetrics;
  /** The ARN it is invoked by, which the handler sees. */
  readonly invokedArn: string;

  constructor(
    readonly deployed: DeployedFunction,
    /** A version or an alias; undefined for the function itself. */
    readonly qualifier: string | undefined,
  ) {
    this.invokedArn = qualified(deployed.arn, qualifier);
    this.metrics = new FunctionMetrics(deployed.name, qualifier, deployed.context.metrics);
  }

  /** What permissions are asked for: `$LATEST` is the function itself. */
  get arn(): string {
    return qualified(this.deployed.arn, this.policyQualifier);
  }

  get policy(): PolicyDocument | undefined {
    return this.deployed.permissions.policyOf(this.policyQualifier);
  }

  /** What happens to its events. */
  get eventInvoke(): EventInvokeConfiguration {
    return this.deployed.eventInvokes.of(this.qualifier);
  }

  /**
   * What it is now; of an alias with two versions, the first.
   *
   * @throws AwsError `ResourceNotFoundException` when the version or alias is gone
   */
  get configuration(): FunctionConfiguration {
    const { found } = this;
    if (!found) throw functionNotFound(this.invokedArn);
    return found;
  }

  /** The same; undefined when the version or alias is gone. */
  get found(): FunctionConfiguration | undefined {
    const { deployed, qualifier = LATEST } = this;
    const alias = isAliasName(qualifier) ? deployed.aliases.find(qualifier) : undefined;
    return deployed.versions.find(alias?.functionVersion ?? qualifier)?.configuration;
  }

  /** Calls `listener` once what is gone is back. Only an alias comes back: functions and versions are gone for good. */
  whenBack(listener: () => void): void {
    const { deployed, qualifier = LATEST } = this;
    if (isAliasName(qualifier)) deployed.aliases.whenCreated(qualifier, listener);
  }

  /** What permissions and policies are kept under. */
  private get policyQualifier(): string | undefined {
    return this.qualifier === LATEST ? undefined : this.qualifier;
  }

  /** Lambda does not run the handler, but says that it has stopped a loop. */
  stopLoop(stopped: StoppedLoop): void {
    this.metrics.count('RecursiveInvocationsDropped');
    this.deployed.context.trace.record({
      type: 'lambda.recursion-stopped',
      functionArn: this.deployed.arn,
      ...stopped,
    });
  }

  /**
   * The error Lambda itself meets when it would run the function for an event it has taken, or for a batch: the fault on
   * `Invoke` a scenario has set, if that throttles or is a system error. Any other is told to callers alone.
   *
   * @see https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-error-handling.html
   */
  unavailable(): AwsError | undefined {
    const { arn } = this;
    const { faults, trace } = this.deployed.context;
    const fault = faults.check('lambda', 'Invoke', arn);
    if (!fault || (fault.fault === 'client' && !isThrottle(fault))) return undefined;
    if (isThrottle(fault)) this.metrics.count('Throttles');
    trace.record({ type: 'lambda.refused', action: 'Invoke', resource: arn, code: fault.code, reason: fault.reason });
    return fault;
  }

  /**
   * Runs the handler; call it from due work and let that wait for the answer. Undefined when the invocation is throttled:
   * `done` is never called then.
   *
   * @throws AwsError `ResourceNotFoundException` when the version or alias is gone
   */
  start(invocation: Invocation, done: Done): Promise<void> | undefined {
    const { deployed, qualifier } = this;
    const { arn: functionArn, name, concurrency, fleet } = deployed;
    const { trace } = deployed.context;
    const { requestId, trigger, attempt } = invocation;
    const configuration = this.chosen();
    const { version } = configuration;
    if (!concurrency.take(name)) return this.throttled(invocation);
    const staffed = this.takeEnvironment(configuration);
    if (!staffed) return this.throttled(invocation, 'maxThreads');
    const { environment, number, coldStart } = staffed;
    this.metrics.count('Invocations', 1, version);
    this.metrics.concurrent(concurrency.runningOf(name), concurrency.running);
    trace.record({
      type: 'lambda.invoked',
      functionArn,
      requestId,
      trigger,
      attempt,
      environment: number,
      coldStart,
      ...(qualifier !== undefined && { qualifier, version }),
    });
    const interruption = fleet.interruptions.next(functionArn);
    return environment.begin({ ...invocation, functionArn: this.invokedArn, interruption }, async outcome => {
      concurrency.give(name);
      this.record(requestId, outcome, version);
      await fleet.release(configuration, environment);
      done(outcome, version);
    });
  }

  /** An environment for the invocation that has taken its place; where there is none, it gives the place back. */
  private takeEnvironment(configuration: FunctionConfiguration): AssignedEnvironment | undefined {
    const { concurrency, fleet, name } = this.deployed;
    let staffed: AssignedEnvironment | undefined;
    try {
      staffed = fleet.take(configuration);
      return staffed;
    } finally {
      if (!staffed) concurrency.give(name);
    }
  }

  private throttled({ requestId, trigger }: Invocation, reason?: 'maxThreads'): undefined {
    const { arn: functionArn, context } = this.deployed;
    this.metrics.count('Throttles');
    context.trace.record({ type: 'lambda.throttled', functionArn, requestId, trigger, ...(reason && { reason }) });
  }

  /** The version the next invocation goes to. */
  private chosen(): FunctionConfiguration {
    const { deployed, qualifier = LATEST } = this;
    const alias = isAliasName(qualifier) ? deployed.aliases.find(qualifier) : undefined;
    return this.version(alias ? deployed.aliases.choose(alias) : qualifier);
  }

  private version(version: string): FunctionConfiguration {
    const found = this.deployed.versions.find(version);
    if (!found) throw functionNotFound(this.invokedArn);
    return found.configuration;
  }

  private record(requestId: string, outcome: Outcome, version: string): void {
    const { kind, durationMs } = outcome;
    const { arn: functionArn, context } = this.deployed;
    this.metrics.count('Errors', kind === 'success' ? 0 : 1, version);
    this.metrics.milliseconds('Duration', durationMs, version);
    const finished = { type: 'lambda.finished', functionArn, requestId, outcome: kind, durationMs } as const;
    if (outcome.kind === 'success') context.trace.record(finished);
    else {
      const { errorType, errorMessage } = outcome.error;
      const decidedBy = outcome.kind === 'timeout' && outcome.decidedBy ? { decidedBy: outcome.decidedBy } : {};
      const shown = errorMessage.slice(0, TRACED_CHARACTERS);
      context.trace.record({ ...finished, errorType, errorMessage: shown, ...decidedBy });
    }
  }
}
