import { isDeepStrictEqual } from 'node:util';
import { PENDING } from '../../template/values';
import { AwsError } from '../kernel/aws-error';
import type { Scheduler } from '../kernel/timeline';
import type { Recorder } from '../kernel/trace';
import type { StackArtifact } from './assembly';
import type { DeployTarget } from './deploy';
import type { References } from './dynamic-references';
import { failOn } from './environment';
import { nestedArtifact, nestedStackType } from './nested-stack';
import { findType, newStackId, parametersOf, planStack } from './plan-stack';
import type { PropertyProblem, PropertyReader } from './property-reader';
import { type AnyResourceType, type AwaitedContext, reasonOf } from './resource-type';
import type { CollectedStackValues } from './stack-deployment';
import { type MayBeBusy, type OnFailure, type OperationContext, StackOperation } from './stack-operation';
import { type KnownOutput, type LiveResource, type StackDirectory, StackRecord } from './stack-record';
import { existing, propertyProblem, type StandInAccess } from './stack-work';
import { type AllowsStandIns, isKnownType, standInType } from './stand-ins/stand-in';
import { type CrossStackValues, outputKey } from './template-scope';
import type { CloudFormationTraceEvent } from './trace-events';

export interface EngineOptions extends DeployTarget {
  readonly directory: StackDirectory;
  readonly timeline: Scheduler;
  readonly trace: Recorder<CloudFormationTraceEvent>;
  /**
   * How long creating, changing or deleting one resource takes, in milliseconds of virtual time.
   *
   * **Assumption CFN-6:** AWS does not publish how long its operations take. They take from seconds to minutes.
   */
  readonly operationMs: number;
  readonly allows: AllowsStandIns;
  /** The exports and outputs of the account's stacks in another Region. */
  readonly inRegion: CrossStackValues['inRegion'];
}

type Values = Readonly<Record<string, string>>;

/** How often CloudFormation tries again when a resource is busy with another change, once a second. */
const BUSY_RETRIES = 120;

/** Creates, updates and deletes stacks in virtual time, as CloudFormation's API does. */
export class StackEngine implements OperationContext {
  private readonly types: ReadonlyMap<string, AnyResourceType>;
  /** Operations under way, by the ARN of the stack. */
  private readonly running = new Map<string, StackOperation>();

  constructor(readonly options: EngineOptions) {
    const nested = nestedStackType({
      create: (wanted, properties, names) => this.createNested(wanted, properties, names),
      update: (wanted, properties, context, stackId) => this.updateNested(wanted, properties, context, stackId),
      delete: async stackId => {
        const record = options.directory.find(stackId);
        if (record && !record.isDeleted && !(await this.delete(record))) {
          throw new AwsError('DELETE_FAILED', record.statusReason ?? '');
        }
      },
    });
    this.types = new Map([...options.types, nested].map(type => [type.type, type]));
  }

  /**
   * Plans the creation of a stack, or the update of an existing one.
   *
   * @throws AssemblyError with everything that CloudFormation, or the embedded AWS, does not accept
   */
  plan(stack: StackArtifact, given: Values, parent?: StackRecord): StackOperation {
    const { directory, place, random, references } = this.options;
    const known = parent ? undefined : directory.find(stack.name);
    return this.operation(stack, given, known, known?.description.parent ?? parent, {
      stackId: known?.id ?? newStackId({ place, random }, stack.name, directory.countOf(stack.name) + 1),
      references,
    });
  }

  /** Whether an update with this template and these parameters would change anything. */
  isUnchanged(record: StackRecord, stack: StackArtifact, given: Values): boolean {
    const relevant = ({ template }: StackArtifact) =>
      ['Resources', 'Parameters', 'Conditions', 'Mappings', 'Outputs'].map(section => template[section] ?? {});
    if (record.status === 'CREATE_FAILED') return false;
    return isDeepStrictEqual(relevant(record.artifact), relevant(stack)) && isDeepStrictEqual(record.given, given);
  }

  /**
   * Evaluates a template as far as possible before the first stack of an update changes.
   *
   * @param crossStack the exports and outputs of the stacks before it; those of this stack are added
   * @returns every problem
   */
  preview(stack: StackArtifact, parameters: Values, crossStack: CollectedStackValues): readonly string[] {
    const problems: string[] = [];
    const note = (problem: string) => problems.push(`${stack.name}: ${problem}`);
    const plan = planStack(stack, { target: this.target, parameters, crossStack }, note);
    for (const { logicalId, exportName } of plan.outputs) {
      crossStack.outputs.set(outputKey(stack.name, logicalId), PENDING);
      if (exportName !== undefined) crossStack.exports.set(exportName, PENDING);
    }
    return problems;
  }

  private operation(
    stack: StackArtifact,
    given: Values,
    known: StackRecord | undefined,
    parent: StackRecord | undefined,
    { stackId, references }: { readonly stackId: string; readonly references: References },
  ): StackOperation {
    const { random, timeline, directory } = this.options;
    const problems: string[] = [];
    const note = (problem: string) => problems.push(`${stack.name}: ${problem}`);
    const crossStack = this.values;
    const plan = planStack(stack, { target: this.target, parameters: given, crossStack, references, stackId }, note);
    const otherType = plan.creations
      .filter(({ resource: { logicalId, type } }) => (known?.live.get(logicalId)?.type ?? type) !== type)
      .map(({ resource }) => resource.logicalId);
    if (otherType.length > 0) {
      note(
        `Update of resource type is not permitted. The new template modifies resource type of the following resources: [${otherType.join(', ')}]`,
      );
    }
    failOn(problems);
    if (known) {
      const kind = known.status === 'REVIEW_IN_PROGRESS' ? 'CREATE' : 'UPDATE';
      return new StackOperation({ engine: this, record: known, plan, kind });
    }
    const incarnation = directory.countOf(stack.name) + 1;
    const eventIds = random.stream(incarnation === 1 ? `events/${stack.name}` : `events/${stack.name}#${incarnation}`);
    const description = { name: stack.name, id: stackId, createdAtMs: timeline.nowMs, parent, incarnation };
    const record = new StackRecord(description, stack, () => eventIds.uuid());
    record.parameters = parametersOf(plan, new Map());
    directory.add(record);
    return new StackOperation({ engine: this, record, plan, kind: 'CREATE' });
  }

  private get target() {
    const { place, random, allows } = this.options;
    const standIn = (type: string) => (allows(type) && isKnownType(type) ? this.standIns.of(type) : undefined);
    return { types: this.types, place, random, standIn };
  }

  get standIns(): StandInAccess {
    const { place, random, timeline, allows, noteStandIn } = this.options;
    const nowMs = () => timeline.nowMs;
    const of = (type: string) => standInType(type, { place, random, nowMs });
    return { allows, of, note: noteStandIn ?? (() => {}), nowMs };
  }

  async run(operation: StackOperation, onFailure: OnFailure = 'ROLLBACK'): Promise<boolean> {
    const { stack } = operation;
    stack.running = operation;
    const isDone = await this.tracked(operation, () => operation.run(onFailure));
    stack.running = undefined;
    if (!isDone && onFailure === 'DELETE' && !operation.isCancelled) await this.delete(stack);
    return isDone;
  }

  private async tracked<Result>(operation: StackOperation, act: () => Promise<Result>): Promise<Result> {
    const { stack } = operation;
    this.follow(stack);
    this.running.set(stack.id, operation);
    try {
      return await act();
    } finally {
      this.running.delete(stack.id);
    }
  }

  /**
   * Deletes a stack. If it is being created, no further resource is created.
   *
   * @param retained the logical ids of resources that stay
   * @returns whether every resource could be deleted
   */
  async delete(record: StackRecord, retained: readonly string[] = []): Promise<boolean> {
    const { timeline } = this.options;
    this.follow(record);
    record.enter('DELETE_IN_PROGRESS', timeline.nowMs, 'User Initiated');
    await record.running?.cancel();
    const inUse = this.exportProblem(record, []);
    if (inUse !== undefined) {
      record.enter('DELETE_FAILED', timeline.nowMs, inUse);
      return false;
    }
    const failed = await this.deleteResources(record, [...record.live.values()], it =>
      retained.includes(it.logicalId) ? 'Retain' : it.deletionPolicy,
    );
    record.live = new Map(failed.map(resource => [resource.logicalId, resource]));
    if (failed.length > 0) {
      const names = failed.map(({ logicalId }) => logicalId).join(', ');
      record.enter('DELETE_FAILED', timeline.nowMs, `The following resource(s) failed to delete: [${names}]. `);
      return false;
    }
    record.deletedAtMs = timeline.nowMs;
    record.enter('DELETE_COMPLETE', timeline.nowMs);
    return true;
  }

  /** Deletes resources, each after those that depend on it. Returns those that could not be deleted. */
  async deleteResources(
    record: StackRecord,
    resources: readonly LiveResource[],
    policyOf: (resource: LiveResource) => string,
  ): Promise<readonly LiveResource[]> {
    const ends = new Map<LiveResource, Promise<boolean>>();
    const end = (resource: LiveResource): Promise<boolean> => {
      const known = ends.get(resource);
      if (known) return known;
      const dependents = resources.filter(it => it !== resource && it.needs.has(resource.logicalId));
      const ending = Promise.all(dependents.map(end)).then(
        async done => done.every(Boolean) && this.deleteResource(record, resource, policyOf(resource)),
      );
      ends.set(resource, ending);
      return ending;
    };
    const done = await Promise.all([...resources].reverse().map(async it => ({ it, isGone: await end(it) })));
    return done.filter(({ isGone }) => !isGone).map(({ it }) => it);
  }

  private async deleteResource(record: StackRecord, resource: LiveResource, policy: string): Promise<boolean> {
    const { timeline } = this.options;
    const { logicalId, type, ref, suffix, shownProperties } = resource;
    const note = (
      status: 'DELETE_SKIPPED' | 'DELETE_IN_PROGRESS' | 'DELETE_COMPLETE' | 'DELETE_FAILED',
      reason?: string,
    ) => {
      const event = { logicalId, type, status, physicalId: ref, reason, changedAtMs: timeline.nowMs };
      // The logical id may have another physical resource by now.
      if (record.resources.get(logicalId)?.physicalId === ref) record.noteResource(event, shownProperties);
      else record.noteEvent(event, shownProperties);
    };
    if (policy.startsWith('Retain')) {
      note('DELETE_SKIPPED');
      return true;
    }
    note('DELETE_IN_PROGRESS', policy === 'Snapshot' ? 'Snapshots are not simulated: there will be none' : undefined);
    const { reason } = await this.whileBusy(() => this.deletionProblem(record, resource, suffix));
    if (reason !== undefined) {
      note('DELETE_FAILED', reason);
      return false;
    }
    await this.pass();
    note('DELETE_COMPLETE');
    if (record.status !== 'DELETE_IN_PROGRESS') forget(record, resource);
    return true;
  }

  private async deletionProblem(record: StackRecord, resource: LiveResource, suffix: string): Promise<MayBeBusy> {
    const type = resource.isStandIn ? this.standIns.of(resource.type) : findType(this.types, resource.type);
    if (!type) return { reason: `${resource.type} is not implemented by the embedded AWS` };
    const live = existing(resource, this.standIns.allows);
    try {
      if ('delete' in type) type.delete(live);
      else await type.deleteInTime(live, this.contextOf(record, resource, suffix));
      const { standInReason } = live.properties;
      if (standInReason) this.noteStandIn(record, resource, standInReason);
      return {};
    } catch (error) {
      if (!(error instanceof AwsError)) throw error;
      return isMissing(error) ? {} : { reason: reasonOf(error), error };
    }
  }

  private noteStandIn(
    { name: stack }: StackRecord,
    { logicalId, type, path }: LiveResource,
    why: PropertyProblem,
  ): void {
    const at = { stack, logicalId, type, ...(path === undefined ? {} : { path }) };
    this.standIns.note({ ...at, what: 'resource', member: why.property, reason: propertyProblem(why) });
  }

  private contextOf(record: StackRecord, { logicalId, type }: LiveResource, suffix: string): AwaitedContext {
    return {
      logicalId,
      resourceType: type,
      stackName: record.name,
      stackId: record.id,
      takesTime: true,
      physicalName: () => `${record.name}-${logicalId}-${suffix}`,
      assetPath: s3Key => record.artifact.assets.get(s3Key),
    };
  }

  /** Why the exports of a stack cannot become these outputs; undefined when they can. */
  exportProblem(record: StackRecord, outputs: readonly KnownOutput[]): string | undefined {
    const { directory } = this.options;
    const after = new Map(outputs.map(({ exportName, value }) => [exportName, value]));
    for (const [name, value] of record.exports) {
      const users = directory.importersOf(name).filter(({ id }) => id !== record.id);
      if (users.length === 0 || after.get(name) === value) continue;
      const verb = after.has(name) ? 'updated' : 'deleted';
      return `Export ${name} cannot be ${verb} as it is in use by ${users.map(user => user.name).join(', ')}`;
    }
    const others = directory.all().filter(({ id }) => id !== record.id);
    const twice = [...after.keys()].find(name => name !== undefined && others.some(other => other.exports.has(name)));
    return (
      twice &&
      `Export with name ${twice} is already exported by stack ${others.find(it => it.exports.has(twice))?.name}`
    );
  }

  get values(): CrossStackValues {
    return crossStackValues(this.options.directory, this.options.inRegion);
  }

  /** Lets the time pass that one operation on a resource takes. */
  async pass(ms = this.options.operationMs): Promise<void> {
    if (ms > 0) await new Promise<void>(resolve => this.options.timeline.after(ms, resolve));
  }

  /** Runs `act` again as long as the resource is busy with another change. */
  async whileBusy<Result extends MayBeBusy>(act: () => Promise<Result>): Promise<Result> {
    for (let retries = 0; ; retries += 1) {
      const result = await act();
      if (result.error?.code !== 'ResourceInUseException' || retries >= BUSY_RETRIES) return result;
      await this.pass(1000);
    }
  }

  private async createNested(
    { templateUrl, parameters }: NestedStackProperties,
    properties: PropertyReader,
    { name, logicalId, parentId }: { readonly name: string; readonly logicalId: string; readonly parentId: string },
  ) {
    const parent = this.running.get(parentId);
    const artifact = parent && this.nestedArtifact(parent, name, logicalId, templateUrl, properties);
    if (!parent || !artifact) return undefined;
    const child = this.plan(artifact, parameters, parent.stack);
    return this.applyChild(parent, logicalId, child, properties, 'created');
  }

  private async updateNested(
    { templateUrl, parameters }: NestedStackProperties,
    properties: PropertyReader,
    { logicalId, stackId: parentId }: AwaitedContext,
    stackId: string,
  ) {
    const parent = this.running.get(parentId);
    const record = this.options.directory.find(stackId);
    if (!record || record.isDeleted) throw new AwsError('ValidationError', `Stack ${stackId} does not exist`);
    const artifact = parent && this.nestedArtifact(parent, record.name, logicalId, templateUrl, properties);
    if (!parent || !artifact) return undefined;
    const { references } = this.options;
    const child = this.operation(artifact, parameters, record, parent.stack, { stackId, references });
    return this.applyChild(parent, logicalId, child, properties, 'updated');
  }

  private async applyChild(
    parent: StackOperation,
    logicalId: string,
    child: StackOperation,
    properties: PropertyReader,
    verb: 'created' | 'updated',
  ) {
    parent.children.set(logicalId, child);
    const isDone = await this.tracked(child, () => child.apply());
    if (!isDone) {
      child.end(verb === 'created' ? 'CREATE_FAILED' : 'UPDATE_FAILED');
      const text = `Embedded stack ${child.stack.id} was not successfully ${verb}: ${child.problems.join('; ')}`;
      properties.problem('TemplateURL', text, undefined, child.isStoppedByOwnLimits);
    }
    return { id: child.stack.id, outputs: child.stack.outputs };
  }

  private nestedArtifact(
    parent: StackOperation,
    name: string,
    logicalId: string,
    templateUrl: string,
    properties: PropertyReader,
  ): StackArtifact | undefined {
    return nestedArtifact(parent.stack.artifact, { name, logicalId }, templateUrl, rule =>
      properties.problem('TemplateURL', rule, templateUrl),
    );
  }

  /** Writes the events of a stack to the trace. */
  private follow(record: StackRecord): void {
    const { trace } = this.options;
    record.listener = ({ logicalId, type, status, physicalId, reason }) => {
      const why = reason === undefined ? {} : { reason };
      const { id: stackId, name: stackName } = record;
      if (physicalId === stackId)
        trace.record({ type: 'cloudformation.stack-status', stackId, stackName, status, ...why });
      else {
        const resource = { logicalId, resourceType: type, status, ...(physicalId !== undefined && { physicalId }) };
        trace.record({ type: 'cloudformation.resource-status', stackName, ...resource, ...why });
      }
    };
  }
}

interface NestedStackProperties {
  readonly templateUrl: string;
  readonly parameters: Values;
}

export function crossStackValues(directory: StackDirectory, inRegion: CrossStackValues['inRegion']): CrossStackValues {
  const stacks = directory.all();
  return {
    exports: new Map(stacks.flatMap(({ exports }) => [...exports])),
    outputs: new Map(
      stacks.flatMap(({ name, outputs }) =>
        outputs.map(({ logicalId, value }) => [outputKey(name, logicalId), value] as const),
      ),
    ),
    inRegion,
  };
}

/** Services have different words for a resource that does not exist. */
function isMissing({ code }: AwsError): boolean {
  return /NotFound|NonExistent|DoesNotExist|NoSuch/.test(code);
}

function forget(record: StackRecord, { logicalId, ref }: LiveResource): void {
  if (record.resources.get(logicalId)?.physicalId === ref) record.resources.delete(logicalId);
}
