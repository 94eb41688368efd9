import type { PolicyDocument } from '../../kernel/access';
import type { AwsError } from '../../kernel/aws-error';
import type { Resource } from '../../kernel/service-api';
import { ResourceTags, tagList } from '../../kernel/tags';
import type { Concurrency } from '../environment/concurrency';
import type { AssignedEnvironment, EnvironmentPool } from '../environment/environment-pool';
import { functionNotFound, isThrottle, LAMBDA_TAGS } from '../errors';
import { FunctionMetrics } from '../function-telemetry';
import type { Invocation, Outcome } from '../invocation';
import type { LambdaContext } from '../trace-events';
import { headerOfInvocation, invocationsSoFar, lineageId } from '../trace-header';
import { Aliases } from './aliases';
import { type EventInvokeConfiguration, EventInvokeConfigurations } from './event-invoke-configuration';
import {
  type FunctionConfiguration,
  isAliasName,
  LATEST,
  type NewFunction,
  qualified,
  type RecursiveLoop,
} from './function-configuration';
import { type Permission, Permissions } from './permissions';
import { Versions } from './versions';

/**
 * The number of invocations of one function that Lambda allows in one chain of requests.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/invocation-recursion.html
 */
const MOST_INVOCATIONS_IN_A_CHAIN = 16;

/** An existing function: its versions, its aliases, its policies, and the settings that all versions share. */
export class DeployedFunction {
  readonly arn: string;
  readonly versions: Versions;
  readonly aliases: Aliases;
  readonly permissions: Permissions;
  readonly eventInvokes: EventInvokeConfigurations;
  readonly tags = new ResourceTags(LAMBDA_TAGS);
  recursiveLoop: RecursiveLoop;
  private reserved: number | undefined;
  private readonly lineageId: string;
  private readonly targets = new Map<string | undefined, FunctionTarget>();

  constructor(
    { recursiveLoop, reservedConcurrentExecutions, tags = {}, ...configuration }: NewFunction,
    readonly context: LambdaContext,
    readonly environments: EnvironmentPool,
    readonly concurrency: Concurrency,
  ) {
    this.arn = configuration.functionArn;
    this.versions = new Versions({ ...configuration, version: LATEST }, context);
    this.aliases = new Aliases(this.arn, this.versions, context);
    this.permissions = new Permissions(qualifier => qualified(this.arn, qualifier));
    this.eventInvokes = new EventInvokeConfigurations(this.arn, context.timeline);
    this.tags.put(tagList(tags));
    this.recursiveLoop = recursiveLoop;
    this.lineageId = lineageId(this.arn);
    this.reserve(reservedConcurrentExecutions);
  }

  get name(): string {
    return this.configuration.functionName;
  }

  /** The current configuration of `$LATEST`. */
  get configuration(): FunctionConfiguration {
    return this.versions.latest.configuration;
  }

  /** The policy of the function itself, as `GetPolicy` returns it. */
  get policy(): PolicyDocument | undefined {
    return this.permissions.policyOf(undefined);
  }

  /** The reserved concurrency; undefined when the function shares the account's. */
  get reservedConcurrency(): number | undefined {
    return this.reserved;
  }

  /** Sets or removes the reserved concurrency. */
  reserve(limit: number | undefined): void {
    this.reserved = limit;
    this.concurrency.reserve(this.name, limit);
  }

  /** Changes `$LATEST`. Its next invocations run in new execution environments. */
  update(changes: Partial<FunctionConfiguration>): void {
    const before = this.configuration;
    this.versions.update(changes);
    this.environments.retire(before);
  }

  /** Applies what a template says: changes `$LATEST`, and sets what all versions share. */
  redefine(
    changes: Partial<FunctionConfiguration>,
    recursiveLoop: RecursiveLoop,
    reserved: number | undefined,
    tags: NewFunction['tags'] = {},
  ): void {
    this.update(changes);
    this.recursiveLoop = recursiveLoop;
    this.reserve(reserved);
    this.tags.remove(this.tags.keys);
    this.tags.put(tagList(tags));
    this.context.trace.record({ type: 'lambda.function-updated', functionArn: this.arn });
  }

  deleteVersion(version: string): void {
    const found = this.versions.find(version);
    this.versions.delete(version);
    this.eventInvokes.forget(version);
    if (found) this.environments.retire(found.configuration);
  }

  /** Deletes the function. Running invocations continue, but references to this object can no longer invoke it. */
  delete(): void {
    for (const { configuration } of this.versions.all()) this.environments.retire(configuration);
    this.versions.deleteAll();
    this.reserve(undefined);
    this.context.trace.record({ type: 'lambda.function-deleted', functionArn: this.arn });
  }

  addPermission(permission: Permission): void {
    this.permissions.add(undefined, permission);
  }

  /**
   * Returns the function, or one of its versions or aliases; undefined when it does not exist.
   *
   * @param qualifier a version or an alias. @default the function itself, which is `$LATEST`
   */
  target(qualifier?: string): FunctionTarget | undefined {
    if (qualifier !== undefined && !this.has(qualifier)) return undefined;
    const known = this.targets.get(qualifier);
    if (known) return known;
    const target = new FunctionTarget(this, qualifier);
    this.targets.set(qualifier, target);
    return target;
  }

  /** Whether the function has this version or alias. */
  has(qualifier: string): boolean {
    const found = isAliasName(qualifier) ? this.aliases.find(qualifier) : this.versions.find(qualifier);
    return found !== undefined;
  }

  revisionId(qualifier: string = LATEST): string | undefined {
    return (isAliasName(qualifier) ? this.aliases.find(qualifier) : this.versions.find(qualifier))?.revisionId;
  }

  /**
   * Gives the function, a version or an alias a new revision id, because something associated with it has changed, such
   * as its policy.
   */
  revise(qualifier: string = LATEST): void {
    if (isAliasName(qualifier)) this.aliases.revise(qualifier);
    else this.versions.revise(qualifier);
  }

  /** Returns the trace header of an invocation caused by a request with the header `cause`. */
  traceHeader(cause: string | undefined): string {
    return headerOfInvocation(cause, this.lineageId, this.context.random);
  }

  /** Whether a request with the header `cause` is part of a loop that Lambda stops. */
  isLoop(cause: string | undefined): boolean {
    if (this.recursiveLoop === 'Allow') return false;
    return invocationsSoFar(cause, this.lineageId) >= MOST_INVOCATIONS_IN_A_CHAIN;
  }
}

type StoppedLoop = Pick<Invocation, 'requestId' | 'trigger'> & { readonly messageIds?: readonly string[] };

/** The trace records this many characters of an error message. */
const TRACED_CHARACTERS = 256;

type Done = (outcome: Outcome, executedVersion: string) => void;

/** What a caller invokes: the function itself, or one of its versions or aliases. */
export class FunctionTarget implements Resource {
  readonly metrics: FunctionMetrics;
  /** The ARN that was invoked, which the handler sees. */
  readonly invokedArn: string;

  constructor(
    readonly deployed: DeployedFunction,
    /** A version or an alias; undefined for the function itself. */
    readonly qualifier: string | undefined,
  ) {
    this.invokedArn = qualified(deployed.arn, qualifier);
    this.metrics = new FunctionMetrics(deployed.name, qualifier, deployed.context.metrics);
  }

  /** The resource of permission checks. `$LATEST` means the function itself. */
  get arn(): string {
    return qualified(this.deployed.arn, this.policyQualifier);
  }

  get policy(): PolicyDocument | undefined {
    return this.deployed.permissions.policyOf(this.policyQualifier);
  }

  get eventInvoke(): EventInvokeConfiguration {
    return this.deployed.eventInvokes.of(this.qualifier);
  }

  /** The current configuration. For an alias with two versions, that of the first. */
  get configuration(): FunctionConfiguration {
    const { found } = this;
    if (!found) throw functionNotFound(this.invokedArn);
    return found;
  }

  /** The current configuration; undefined when the version or alias has been deleted. */
  get found(): FunctionConfiguration | undefined {
    const { deployed, qualifier = LATEST } = this;
    const alias = isAliasName(qualifier) ? deployed.aliases.find(qualifier) : undefined;
    return deployed.versions.find(alias?.functionVersion ?? qualifier)?.configuration;
  }

  /** Calls `listener` once a deleted alias exists again. Deleted functions and versions never do. */
  whenBack(listener: () => void): void {
    const { deployed, qualifier = LATEST } = this;
    if (isAliasName(qualifier)) deployed.aliases.whenCreated(qualifier, listener);
  }

  /** The key of its permissions and policy. */
  private get policyQualifier(): string | undefined {
    return this.qualifier === LATEST ? undefined : this.qualifier;
  }

  /** Records that Lambda stopped a loop instead of invoking the function. */
  stopLoop(stopped: StoppedLoop): void {
    this.metrics.count('RecursiveInvocationsDropped');
    this.deployed.context.trace.record({
      type: 'lambda.recursion-stopped',
      functionArn: this.deployed.arn,
      ...stopped,
    });
  }

  /**
   * Returns the error that Lambda itself meets when it invokes the function for a queued event or a batch: an injected
   * fault on `Invoke` that throttles or is a system error. Other faults affect only callers.
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
   * Runs the handler. Call it from due work and let that await the result. Returns undefined when the invocation is
   * throttled; `done` is then never called.
   *
   * @throws AwsError `ResourceNotFoundException` when the version or alias has been deleted
   */
  start(invocation: Invocation, done: Done): Promise<void> | undefined {
    const { deployed, qualifier } = this;
    const { arn: functionArn, name, concurrency, environments } = deployed;
    const { trace } = deployed.context;
    const { requestId, trigger, attempt } = invocation;
    const configuration = this.chosen();
    const { version } = configuration;
    if (!concurrency.take(name)) return this.throttled(invocation);
    const assigned = this.takeEnvironment(configuration);
    if (!assigned) return this.throttled(invocation, 'maxThreads');
    const { environment, number, coldStart } = assigned;
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
    const interruption = environments.interruptions.next(functionArn);
    return environment.begin({ ...invocation, functionArn: this.invokedArn, interruption }, async outcome => {
      concurrency.release(name);
      this.record(requestId, outcome, version);
      await environments.release(configuration, environment);
      done(outcome, version);
    });
  }

  /**
   * Takes an environment for an invocation that has reserved concurrency. Releases the concurrency if there is no
   * environment.
   */
  private takeEnvironment(configuration: FunctionConfiguration): AssignedEnvironment | undefined {
    const { concurrency, environments, name } = this.deployed;
    let assigned: AssignedEnvironment | undefined;
    try {
      assigned = environments.take(configuration);
      return assigned;
    } finally {
      if (!assigned) concurrency.release(name);
    }
  }

  private throttled({ requestId, trigger }: Invocation, reason?: 'maxThreads'): undefined {
    const { arn: functionArn, context } = this.deployed;
    this.metrics.count('Throttles');
    context.trace.record({ type: 'lambda.throttled', functionArn, requestId, trigger, ...(reason && { reason }) });
  }

  /** Chooses the version for the next invocation. */
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
