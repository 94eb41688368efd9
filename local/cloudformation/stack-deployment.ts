import type { NoteProblem } from '../../template/values';
import { PENDING } from '../../template/values';
import { AwsError } from '../kernel/aws-error';
import type { Clock } from '../kernel/clock';
import type { Random } from '../kernel/random';
import type { References } from './dynamic-references';
import { type PlannedResource, parametersOf, type StackPlan } from './plan-stack';
import { type CreatedResource, reasonOf } from './resource-type';
import type { KnownOutput, LiveResource, StackRecord } from './stack-record';
import { type DesiredProperties, propertyProblem, StackWork, type StandInAccess } from './stack-work';
import type { TemplateResource } from './template';
import { type CrossStackValues, outputKey } from './template-scope';

export interface DeployedResource extends Omit<CreatedResource, 'isSecret' | 'lists'> {
  /** For example `AWS::SQS::Queue`. */
  readonly type: string;
  /** The path of its construct, where the assembly has it. */
  readonly path?: string;
}

export interface DeployedStack {
  readonly name: string;
  readonly outputs: Readonly<Record<string, string>>;
  /** By logical id, in the order of creation. */
  readonly resources: ReadonlyMap<string, DeployedResource>;
}

interface StackDeploymentProps {
  readonly plan: StackPlan;
  readonly record: StackRecord;
  readonly random: Random;
  readonly clock: Clock;
  readonly crossStack: CrossStackValues;
  readonly references: References;
  readonly note: NoteProblem;
  readonly hasFailed: () => boolean;
  readonly standIns: StandInAccess;
}

export interface CollectedStackValues extends CrossStackValues {
  readonly exports: Map<string, unknown>;
  readonly outputs: Map<string, unknown>;
}

/**
 * Creates one stack, as the first deployment of a simulation: without rollback, to find all problems at once. Resources
 * that need a failed resource are not created. Refusals of services after that are not reported, because they may be
 * consequences of the first problem.
 */
export class StackDeployment {
  /** Resources with a problem of their own, or that need such a resource. */
  private readonly failed = new Set<string>();
  private readonly work: StackWork;

  constructor(private readonly props: StackDeploymentProps) {
    this.work = new StackWork({ ...props, takesTime: false });
  }

  async run(handing: CollectedStackValues): Promise<DeployedStack> {
    const { plan, record, clock } = this.props;
    for (const planned of plan.creations) {
      const creating = this.create(planned);
      // Await only resources that take virtual time. All others are created in one synchronous step.
      if (creating) await creating;
    }
    record.outputs = this.outputs(handing);
    record.parameters = parametersOf(plan, this.work.scope.lookedUpParameters);
    record.live = this.work.live;
    record.imports = this.work.scope.imports;
    record.enter(this.failed.size === 0 ? 'CREATE_COMPLETE' : 'CREATE_FAILED', clock.nowMs);
    return deployedStack(record);
  }

  private outputs({ exports, outputs }: CollectedStackValues): readonly KnownOutput[] {
    const { name } = this.props.plan.stack;
    return this.work.outputs(({ logicalId, exportName }, text) => {
      outputs.set(outputKey(name, logicalId), text ?? PENDING);
      if (exportName !== undefined) exports.set(exportName, text ?? PENDING);
    });
  }

  /** Returns a promise when the resource takes virtual time. */
  private create(planned: PlannedResource): Promise<void> | undefined {
    const { resource, type, needs, isStandIn } = planned;
    const { logicalId } = resource;
    const called = this.work.nameOf(resource);
    const note: NoteProblem = problem => {
      this.failed.add(logicalId);
      this.props.note(`${called}: ${problem}`);
    };
    const isFollowing = [...needs].some(needed => this.failed.has(needed));
    const desired = this.work.desired(planned, note);
    const { properties, shownProperties } = desired;
    if (isFollowing || !properties) this.failed.add(logicalId);
    if (!properties) return undefined;
    const reader = this.work.readerOf(resource, properties);
    const suffix = this.work.newSuffix(resource);
    if (isStandIn) this.work.noteStandIn(resource, { what: 'resource', reason: `${resource.type} is not simulated` });
    const finish = (given: CreatedResource | undefined): void => {
      const reason = reader.standInReason;
      const created = reason ? this.work.standInFor(resource, reason, properties, suffix) : given;
      for (const problem of created ? reader.allProblems() : reader.notedProblems()) {
        if (!(isFollowing && problem.isRefusal)) note(propertyProblem(problem));
      }
      if (created && !reason) this.work.noteListed(resource, reader);
      this.finish(planned, created, desired, suffix, isStandIn || reason !== undefined);
    };
    const refused = (error: unknown): void => {
      if (!(error instanceof AwsError)) throw error;
      if (reader.notedProblems().length === 0 && !isFollowing) note(reasonOf(error));
      finish(undefined);
    };
    const context = this.work.contextOf(resource, suffix);
    if (!('create' in type)) {
      if (type.runsCode && this.props.hasFailed()) return undefined;
      this.noteStatus(resource, 'CREATE_IN_PROGRESS', undefined, shownProperties);
      return type.createInTime(reader, context).then(finish, refused);
    }
    this.noteStatus(resource, 'CREATE_IN_PROGRESS', undefined, shownProperties);
    try {
      finish(type.create(reader, context));
    } catch (error) {
      refused(error);
    }
    return undefined;
  }

  private finish(
    planned: PlannedResource,
    created: CreatedResource | undefined,
    desired: DesiredProperties,
    suffix: string,
    isStandIn: boolean,
  ): void {
    const { resource } = planned;
    if (!created) {
      this.failed.add(resource.logicalId);
      this.noteStatus(resource, 'CREATE_FAILED', undefined, desired.shownProperties);
      return;
    }
    this.work.keep(planned, created, desired, suffix, isStandIn);
    this.noteStatus(resource, 'CREATE_COMPLETE', created.ref, desired.shownProperties);
  }

  private noteStatus(
    { logicalId, type }: TemplateResource,
    status: 'CREATE_IN_PROGRESS' | 'CREATE_COMPLETE' | 'CREATE_FAILED',
    physicalId: string | undefined,
    shownProperties: string,
  ): void {
    const changedAtMs = this.props.clock.nowMs;
    this.props.record.noteResource(
      { logicalId, type, status, physicalId, reason: undefined, changedAtMs },
      shownProperties,
    );
  }
}

/** A stack as users of the library see it. */
export function deployedStack({ name, outputs, live }: StackRecord): DeployedStack {
  const resources = [...live.values()].map(resource => [resource.logicalId, deployedResource(resource)] as const);
  return {
    name,
    outputs: Object.fromEntries(outputs.map(({ logicalId, value }) => [logicalId, value])),
    resources: new Map(resources),
  };
}

const shown = new WeakMap<LiveResource, DeployedResource>();

function deployedResource(live: LiveResource): DeployedResource {
  const known = shown.get(live);
  if (known) return known;
  const { type, path, ref, attributes } = live;
  const resource = { ref, attributes, type, ...(path === undefined ? {} : { path }) };
  shown.set(live, resource);
  return resource;
}
