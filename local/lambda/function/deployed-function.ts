import type { PolicyDocument } from '../../kernel/access';
import { ResourceTags, tagList } from '../../kernel/resource-tags';
import type { Concurrency } from '../environment/concurrency';
import type { EnvironmentPool } from '../environment/fleet';
import type { Invocation } from '../invocation';
import type { LambdaContext } from '../ports';
import { LAMBDA_TAGS } from '../tag-rules';
import { headerOfInvocation, invocationsSoFar, lineageId } from '../trace-header';
import { Aliases } from './aliases';
import { EventInvokeConfigurations } from './event-invoke-configurations';
import { type FunctionConfiguration, LATEST, type NewFunction, type RecursiveLoop } from './function-configuration';
import { isAliasName, qualified } from './function-name';
import type { Permission } from './function-policy';
import { FunctionTarget } from './function-target';
import { Permissions } from './permissions';
import { Versions } from './versions';

/**
 * Invocations of one function in one chain of requests.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/invocation-recursion.html
 */
const MOST_INVOCATIONS_IN_A_CHAIN = 16;

/** A function that exists: its versions and aliases, who may call it, and what all of its versions share. */
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
    readonly fleet: EnvironmentPool,
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

  /** What `$LATEST` is now. */
  get configuration(): FunctionConfiguration {
    return this.versions.latest.configuration;
  }

  /** The policy of the function itself, as `GetPolicy` answers it. */
  get policy(): PolicyDocument | undefined {
    return this.permissions.policyOf(undefined);
  }

  /** How many invocations may run at once; undefined for as many as the account has left. */
  get reservedConcurrency(): number | undefined {
    return this.reserved;
  }

  /** Sets the reserved concurrency, or takes it away. */
  reserve(limit: number | undefined): void {
    this.reserved = limit;
    this.concurrency.reserve(this.name, limit);
  }

  /** Changes `$LATEST`; its next invocations run in new execution environments. */
  update(changes: Partial<FunctionConfiguration>): void {
    const before = this.configuration;
    this.versions.update(changes);
    this.fleet.retire(before);
  }

  /** Takes a published version away; its execution environments end. */
  deleteVersion(version: string): void {
    const found = this.versions.find(version);
    this.versions.delete(version);
    this.eventInvokes.forget(version);
    if (found) this.fleet.retire(found.configuration);
  }

  /** The function is gone: what runs, runs on, and whoever still holds it can invoke it no more. */
  delete(): void {
    for (const { configuration } of this.versions.all()) this.fleet.retire(configuration);
    this.versions.deleteAll();
    this.reserve(undefined);
    this.context.trace.record({ type: 'lambda.function-deleted', functionArn: this.arn });
  }

  addPermission(permission: Permission): void {
    this.permissions.add(undefined, permission);
  }

  /**
   * The function as it is asked for, or undefined when it has no such version or alias.
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

  /** The revision id of the function itself, or of one version or alias. */
  revisionId(qualifier: string = LATEST): string | undefined {
    return (isAliasName(qualifier) ? this.aliases.find(qualifier) : this.versions.find(qualifier))?.revisionId;
  }

  /** Something around the function, a version or an alias has changed, such as its policy. */
  revise(qualifier: string = LATEST): void {
    if (isAliasName(qualifier)) this.aliases.revise(qualifier);
    else this.versions.revise(qualifier);
  }

  /** The trace header of an invocation that a request with the header `cause` leads to. */
  traceHeader(cause: string | undefined): string {
    return headerOfInvocation(cause, this.lineageId, this.context.random);
  }

  /** Whether a request with the header `cause` comes out of a loop that Lambda stops. */
  isLoop(cause: string | undefined): boolean {
    if (this.recursiveLoop === 'Allow') return false;
    return invocationsSoFar(cause, this.lineageId) >= MOST_INVOCATIONS_IN_A_CHAIN;
  }
}

/** An invocation that Lambda stopped, because it came out of a loop. */
export type StoppedLoop = Pick<Invocation, 'requestId' | 'trigger'> & { readonly messageIds?: readonly string[] };
