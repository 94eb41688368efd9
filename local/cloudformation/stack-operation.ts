import type { ResourceStatus } from '@aws-sdk/client-cloudformation';
import type { NoteProblem } from '../../template/values';
import { AwsError, OwnLimit } from '../kernel/aws-error';
import type { Clock } from '../kernel/clock';
import type { Random } from '../kernel/random';
import { customName, type PredictedChange, predictChanges, propertyChanges } from './change-prediction';
import type { References } from './dynamic-references';
import { givenIn, type PlannedResource, parametersOf, type StackPlan } from './plan-stack';
import type { PropertyProblem, PropertyReader } from './property-reader';
import {
  type AnyResourceType,
  type AwaitedContext,
  type CreatedResource,
  type ExistingResource,
  FailedResource,
  reasonOf,
} from './resource-type';
import type { KnownOutput, LiveResource, StackRecord } from './stack-record';
import { type DesiredProperties, existing, propertyProblem, StackWork, type StandInAccess } from './stack-work';
import type { CrossStackValues } from './template-scope';

interface Undo {
  readonly planned: PlannedResource;
  readonly before: LiveResource | undefined;
  /** Undefined when the change failed before the resource got a physical id. */
  after: LiveResource | undefined;
  /** The resource as a failed update may have left it. */
  readonly attempted?: LiveResource;
}

/** The error with which a service refused a change, if it did. */
export interface MayBeBusy {
  readonly error?: AwsError;
  readonly reason?: string;
}

export interface OperationContext {
  readonly options: { readonly random: Random; readonly references: References; readonly timeline: Clock };
  /** The exports and outputs of the stacks that exist. */
  readonly values: CrossStackValues;
  readonly standIns: StandInAccess;
  /** Lets the time pass that one operation on a resource takes. */
  pass(): Promise<void>;
  /** Runs `act` again as long as the resource is busy with another change. */
  whileBusy<Result extends MayBeBusy>(act: () => Promise<Result>): Promise<Result>;
  /** Why the exports of a stack cannot become these outputs; undefined when they can. */
  exportProblem(record: StackRecord, outputs: readonly KnownOutput[]): string | undefined;
  /** Deletes resources, each after those that depend on it. Returns those that could not be deleted. */
  deleteResources(
    record: StackRecord,
    resources: readonly LiveResource[],
    policyOf: (resource: LiveResource) => string,
  ): Promise<readonly LiveResource[]>;
}

/** What happens when a stack cannot be created. */
export type OnFailure = 'ROLLBACK' | 'DO_NOTHING' | 'DELETE';

interface StackOperationProps {
  readonly engine: OperationContext;
  readonly record: StackRecord;
  readonly plan: StackPlan;
  readonly kind: 'CREATE' | 'UPDATE';
}

const NEW_RESOURCE = 'Requested update requires the creation of a new physical resource; hence creating one.';

/**
 * Creates or updates one stack in CloudFormation's order. First it creates and changes resources, each as soon as those
 * that it depends on are ready. A resource that must be replaced is created again under another name. Then the cleanup
 * deletes what was replaced or removed. If a change fails, the operation sets back what it changed, and deletes what it
 * created.
 *
 * @see https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/using-cfn-updating-stacks-monitor-stack.html
 */
export class StackOperation {
  readonly problems: string[] = [];
  /** The problems that only the embedded AWS has. */
  private readonly ownLimits = new Set<string>();
  readonly children = new Map<string, StackOperation>();
  private readonly work: StackWork;
  private readonly undo: Undo[] = [];
  /** What the cleanup deletes. */
  private readonly replaced: LiveResource[] = [];
  private readonly before: ReadonlyMap<string, LiveResource>;
  private readonly artifactBefore: StackRecord['artifact'];
  private hasFailed = false;
  isCancelled = false;
  private settle: () => void = () => {};

  constructor(private readonly props: StackOperationProps) {
    const { engine, record, plan } = props;
    const { random, references } = engine.options;
    this.before = record.live;
    this.artifactBefore = record.artifact;
    const note: NoteProblem = problem => this.problems.push(problem);
    const crossStack = engine.values;
    const { standIns } = engine;
    this.work = new StackWork({ plan, record, random, references, crossStack, note, standIns, takesTime: true });
  }

  /** What the operation would do. Nothing may have been changed yet, and the operation cannot run afterwards. */
  predict(): readonly PredictedChange[] {
    return predictChanges(this.props.plan, this.work);
  }

  get plan(): StackPlan {
    return this.props.plan;
  }

  get kind(): 'CREATE' | 'UPDATE' {
    return this.props.kind;
  }

  get stack(): StackRecord {
    return this.props.record;
  }

  /** Runs the whole operation. Returns whether it succeeded. */
  async run(onFailure: OnFailure): Promise<boolean> {
    const isDone = await this.apply();
    if (isDone) await this.cleanUp();
    else if (this.isCancelled) this.settle();
    else if (onFailure === 'ROLLBACK') await this.rollBack();
    else this.end('CREATE_FAILED');
    return isDone;
  }

  /** Begins no further resource, and rolls nothing back. Resolves when what was begun has ended. */
  cancel(): Promise<void> {
    this.isCancelled = true;
    this.hasFailed = true;
    return new Promise(resolve => {
      this.settle = resolve;
    });
  }

  /** Creates and changes resources. Returns false when something failed. */
  async apply(): Promise<boolean> {
    const { record, plan, kind } = this.props;
    this.enter(`${kind}_IN_PROGRESS`, 'User Initiated');
    record.artifact = plan.stack;
    const done = new Map<string, Promise<boolean>>();
    for (const planned of plan.creations) {
      const needed = [...planned.needs].flatMap(id => done.get(id) ?? []);
      const changing = async (): Promise<boolean> => {
        const areReady = (await Promise.all(needed)).every(Boolean);
        return areReady && !this.hasFailed && this.change(planned);
      };
      done.set(planned.resource.logicalId, changing());
    }
    await Promise.all(done.values());
    if (!this.hasFailed) this.finish();
    this.store();
    return !this.hasFailed;
  }

  /** Takes over outputs, and finds what the cleanup must delete. */
  private finish(): void {
    const { engine, record, plan, kind } = this.props;
    const outputs = this.work.outputs(() => {});
    const refusal = this.problems[0] ?? engine.exportProblem(record, outputs);
    if (refusal !== undefined) {
      this.fail(refusal);
      return;
    }
    const wanted = new Set(plan.creations.map(({ resource }) => resource.logicalId));
    for (const resource of this.before.values()) {
      if (wanted.has(resource.logicalId)) continue;
      this.replaced.push(resource);
      this.work.live.delete(resource.logicalId);
    }
    record.outputs = outputs;
    record.parameters = parametersOf(plan, this.work.scope.lookedUpParameters);
    record.given = givenIn(plan);
    record.imports = this.work.scope.imports;
    if (kind === 'CREATE') this.enter('CREATE_COMPLETE');
    else if (this.mustCleanUp) this.enter('UPDATE_COMPLETE_CLEANUP_IN_PROGRESS');
  }

  /** Ends the operation of a nested stack that has failed. Its parent rolls it back. */
  end(status: 'CREATE_FAILED' | 'UPDATE_FAILED'): void {
    this.enter(status, this.problems.join('; '));
  }

  private get mustCleanUp(): boolean {
    return this.replaced.length > 0 || [...this.children.values()].some(child => child.mustCleanUp);
  }

  /**
   * Deletes what was replaced or removed, dependents first. A failed deletion does not fail the update: the resource
   * stays, and the stack forgets it.
   */
  async cleanUp(): Promise<void> {
    for (const child of this.children.values()) if (child.props.kind === 'UPDATE') await child.cleanUp();
    const policies = new Map(this.props.plan.creations.map(it => [it.resource.logicalId, it.resource]));
    await this.deleteAll(this.replaced, ({ logicalId, deletionPolicy }) => {
      const replacement = policies.get(logicalId);
      return replacement ? (replacement.updateReplacePolicy ?? 'Delete') : deletionPolicy;
    });
    if (this.props.kind === 'UPDATE') this.enter('UPDATE_COMPLETE');
  }

  /** Sets back what was changed, and deletes what was created. */
  async rollBack(): Promise<void> {
    const { record, kind } = this.props;
    const isCreation = kind === 'CREATE';
    this.enter(isCreation ? 'ROLLBACK_IN_PROGRESS' : 'UPDATE_ROLLBACK_IN_PROGRESS', this.problems.join('; '));
    record.artifact = this.artifactBefore;
    this.hasFailed = false;
    // Resources that have not changed take back the policies and dependencies of the old template.
    const changed = new Set(this.undo.map(({ planned }) => planned.resource.logicalId));
    for (const resource of this.before.values()) {
      if (!changed.has(resource.logicalId)) this.work.live.set(resource.logicalId, resource);
    }
    for (const { planned, before, after, attempted } of this.undo) {
      const child = this.children.get(planned.resource.logicalId);
      if (!before) continue;
      if (child) await child.rollBack();
      else if (attempted) await this.setBack(planned, { ...attempted, ref: after?.ref ?? attempted.ref }, before);
      this.work.live.set(before.logicalId, before);
    }
    this.store();
    if (this.hasFailed) {
      this.enter(isCreation ? 'ROLLBACK_FAILED' : 'UPDATE_ROLLBACK_FAILED', this.problems.at(-1));
      return;
    }
    const created = this.undo.flatMap(({ before, after }) => (after && after.ref !== before?.ref ? [after] : []));
    if (!isCreation && created.length > 0) this.enter('UPDATE_ROLLBACK_COMPLETE_CLEANUP_IN_PROGRESS');
    for (const { logicalId } of created) if (!this.before.has(logicalId)) this.work.live.delete(logicalId);
    const failed = await this.deleteAll(created, ({ deletionPolicy }) =>
      deletionPolicy === 'RetainExceptOnCreate' ? 'Delete' : deletionPolicy,
    );
    this.store();
    if (isCreation) this.enter(failed.length === 0 ? 'ROLLBACK_COMPLETE' : 'ROLLBACK_FAILED');
    else this.enter('UPDATE_ROLLBACK_COMPLETE');
  }

  /** Brings one resource to the state that the template describes. Returns false when that failed. */
  private async change(planned: PlannedResource): Promise<boolean> {
    const { resource, needs } = planned;
    const { logicalId, deletionPolicy = 'Delete' } = resource;
    const before = this.before.get(logicalId);
    const problems: string[] = [];
    const desired = this.work.desired(planned, problem => problems.push(problem));
    const { properties, shownProperties } = desired;
    if (!properties || problems.length > 0) {
      const reason = problems.join('; ') || 'a value is not known';
      this.note(planned, before ? 'UPDATE_FAILED' : 'CREATE_FAILED', before?.ref, reason, shownProperties);
      this.fail(`${this.work.nameOf(resource)}: ${reason}`);
      return false;
    }
    if (!before) return this.create(planned, desired, undefined);
    const changes = propertyChanges(resource.type, before.properties, properties);
    if (changes.changed.length === 0) {
      this.work.live.set(logicalId, { ...before, needs, deletionPolicy });
      return true;
    }
    if (changes.replacing.length > 0) return this.create(planned, desired, before);
    return this.update(planned, desired, before);
  }

  /** @param before the resource that the new one replaces */
  private async create(
    planned: PlannedResource,
    desired: DesiredProperties,
    before: LiveResource | undefined,
  ): Promise<boolean> {
    const suffix = this.work.newSuffix(planned.resource);
    const verb = before ? 'UPDATE' : 'CREATE';
    this.note(planned, `${verb}_IN_PROGRESS`, before?.ref, before && NEW_RESOURCE, desired.shownProperties);
    const undo: Undo = { planned, before, after: undefined };
    this.undo.push(undo);
    const { resource, isStandIn } = planned;
    if (isStandIn) this.work.noteStandIn(resource, { what: 'resource', reason: `${resource.type} is not simulated` });
    const made = await this.attempt(planned, desired, suffix, (type, reader, context) =>
      'create' in type ? type.create(reader, context) : type.createInTime(reader, context),
    );
    const reason = made.reason && (customNameProblem(made.reason, resource.type, desired, before) ?? made.reason);
    if (made.created) undo.after = this.work.keep(planned, made.created, desired, suffix, made.isStandIn ?? isStandIn);
    if (reason === undefined) {
      this.note(
        planned,
        `${verb}_IN_PROGRESS`,
        undo.after?.ref,
        'Resource creation Initiated',
        desired.shownProperties,
      );
      await this.props.engine.pass();
    }
    if (before && undo.after) this.replaced.push(before);
    const end = { ...made, reason };
    return this.ended(planned, verb, undo.after ?? before, end, desired.shownProperties, resource.logicalId);
  }

  private async update(planned: PlannedResource, desired: DesiredProperties, before: LiveResource): Promise<boolean> {
    this.note(planned, 'UPDATE_IN_PROGRESS', before.ref, undefined, desired.shownProperties);
    const { properties = {}, shownProperties } = desired;
    const undo: Undo = { planned, before, after: undefined, attempted: { ...before, properties } };
    this.undo.push(undo);
    const made = await this.attempt(
      planned,
      desired,
      before.suffix,
      (type, reader, context) => updateWith(type, reader, context, existing(before)),
      before,
    );
    if (made.created) {
      undo.after = this.work.keep(planned, made.created, desired, before.suffix, before.isStandIn);
      if (made.created.ref !== before.ref) this.replaced.push(before);
    }
    if (made.reason === undefined) await this.props.engine.pass();
    return this.ended(planned, 'UPDATE', undo.after ?? before, made, shownProperties, before.logicalId);
  }

  /** Gives a resource its old properties. */
  private async setBack(planned: PlannedResource, attempted: LiveResource, before: LiveResource): Promise<void> {
    const { engine } = this.props;
    const desired = { properties: before.properties, shownProperties: before.shownProperties };
    this.note(planned, 'UPDATE_IN_PROGRESS', before.ref, undefined, before.shownProperties);
    const { reason } = await this.attempt(
      planned,
      desired,
      before.suffix,
      (type, reader, context) => updateWith(type, reader, context, existing(attempted)),
      before,
      this.artifactBefore,
    );
    if (reason === undefined) await engine.pass();
    else this.fail(`${this.work.nameOf(planned.resource)}: ${reason}`);
    const status = reason === undefined ? 'UPDATE_COMPLETE' : 'UPDATE_FAILED';
    this.note(planned, status, before.ref, reason, before.shownProperties);
  }

  /** Calls a resource type, and returns what it made, or why it failed. */
  private async attempt(
    planned: PlannedResource,
    { properties = {} }: DesiredProperties,
    suffix: string,
    act: (type: AnyResourceType, reader: PropertyReader, context: AwaitedContext) => Result | Promise<Result>,
    before?: LiveResource,
    artifact?: StackRecord['artifact'],
  ): Promise<Attempted> {
    const { resource } = planned;
    const { standIns } = this.props.engine;
    const context = this.work.contextOf(resource, suffix, artifact);
    const isStandIn = before?.isStandIn ?? planned.isStandIn;
    const type = isStandIn ? standIns.of(resource.type) : planned.type;
    return this.props.engine.whileBusy(async (): Promise<Attempted> => {
      const reader = this.work.readerOf(resource, properties);
      const end = await refused(reader, () => act(type, reader, context));
      if ('reason' in end) return end;
      const { standInReason } = reader;
      if (standInReason && before) {
        // What the change would do is unknown: the resource stays as it is.
        const reason = propertyProblem(standInReason);
        this.work.noteStandIn(resource, { what: 'resource', member: standInReason.property, reason });
        return { created: before, isStandIn };
      }
      if (standInReason) {
        return { created: this.work.standInFor(resource, standInReason, properties, suffix), isStandIn: true };
      }
      const { created } = end;
      const problems = created ? reader.allProblems() : reader.notedProblems();
      const reason = problems.map(propertyProblem).join('; ');
      if (!created) return { reason: reason || 'it failed', isOwnLimit: reason !== '' && areOwnLimits(problems) };
      const isOwnLimit = areOwnLimits(problems);
      if (reason !== '') return { reason, isOwnLimit, ...(created.ref !== '' && { created, isStandIn }) };
      this.work.noteListed(resource, reader);
      return { created, isStandIn };
    });
  }

  private ended(
    planned: PlannedResource,
    verb: 'CREATE' | 'UPDATE',
    live: LiveResource | undefined,
    { reason, isOwnLimit }: Pick<Attempted, 'reason' | 'isOwnLimit'>,
    shownProperties: string,
    logicalId: string,
  ): boolean {
    if (reason !== undefined) {
      this.note(planned, `${verb}_FAILED`, live?.ref, reason, shownProperties);
      this.fail(`${this.work.nameOf(planned.resource)}: ${reason}`, isOwnLimit);
      return false;
    }
    if (this.hasFailed) {
      // Another resource has failed meanwhile.
      const cancelled = verb === 'CREATE' ? 'Resource creation cancelled' : 'Resource update cancelled';
      this.note(planned, `${verb}_FAILED`, live?.ref, cancelled, shownProperties);
      return false;
    }
    this.note(planned, `${verb}_COMPLETE`, live?.ref, undefined, shownProperties);
    return this.work.live.has(logicalId);
  }

  /** Deletes resources, dependents first. Returns those that could not be deleted. */
  private deleteAll(
    resources: readonly LiveResource[],
    policyOf: (resource: LiveResource) => string,
  ): Promise<readonly LiveResource[]> {
    const { engine, record } = this.props;
    return engine.deleteResources(record, resources, policyOf);
  }

  private store(): void {
    this.props.record.live = this.work.live;
  }

  /** Whether AWS would have done it: every problem is a limit of the embedded AWS. */
  get isStoppedByOwnLimits(): boolean {
    return this.problems.length > 0 && this.problems.every(it => this.ownLimits.has(it));
  }

  private fail(problem: string, isOwnLimit = false): void {
    this.hasFailed = true;
    if (isOwnLimit) this.ownLimits.add(problem);
    if (!this.problems.includes(problem)) this.problems.push(problem);
  }

  private enter(status: Parameters<StackRecord['enter']>[0], reason?: string): void {
    const { engine, record } = this.props;
    const { nowMs } = engine.options.timeline;
    if (status === 'UPDATE_IN_PROGRESS') record.updatedAtMs = nowMs;
    record.enter(status, nowMs, reason);
  }

  private note(
    { resource: { logicalId, type } }: PlannedResource,
    status: ResourceStatus,
    physicalId: string | undefined,
    reason: string | undefined,
    shownProperties: string,
  ): void {
    const { engine, record } = this.props;
    const changedAtMs = engine.options.timeline.nowMs;
    record.noteResource({ logicalId, type, status, physicalId, reason, changedAtMs }, shownProperties);
  }
}

type Result = CreatedResource | undefined;

/** What a resource type made, and why it failed if it did. */
interface Attempted extends MayBeBusy {
  readonly created?: CreatedResource;
  readonly isStandIn?: boolean;
  /** Whether AWS would have done it. */
  readonly isOwnLimit?: boolean;
}

const areOwnLimits = (problems: readonly PropertyProblem[]): boolean => problems.every(it => it.isOwnLimit);

/** Runs `act`; an error of AWS becomes the reason why it failed. */
async function refused(
  reader: PropertyReader,
  act: () => Result | Promise<Result>,
): Promise<{ readonly created: Result } | (Attempted & { readonly reason: string })> {
  try {
    return { created: await act() };
  } catch (error) {
    if (!(error instanceof AwsError)) throw error;
    const problems = reader.notedProblems();
    const reason = problems.map(propertyProblem).join('; ') || reasonOf(error);
    const isOwnLimit = problems.length > 0 ? areOwnLimits(problems) : error instanceof OwnLimit;
    return { reason, error, isOwnLimit, ...(error instanceof FailedResource && { created: error.created }) };
  }
}

function updateWith(
  type: AnyResourceType,
  reader: PropertyReader,
  context: AwaitedContext,
  before: ExistingResource,
): Result | Promise<Result> {
  return 'update' in type ? type.update(reader, context, before) : type.updateInTime(reader, context, before);
}

/** CloudFormation's own text, if the name of a resource to replace is taken by the resource itself. */
function customNameProblem(
  reason: string,
  type: string,
  { properties = {} }: DesiredProperties,
  before: LiveResource | undefined,
): string | undefined {
  const name = before && /already.?exist/i.test(reason) ? customName(type, before.properties, properties) : undefined;
  return (
    name &&
    `CloudFormation cannot update a stack when a custom-named resource requires replacing. Rename ${name} and update the stack again.`
  );
}
