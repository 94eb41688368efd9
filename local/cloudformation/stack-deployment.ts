import { evaluate } from '../../template/evaluate';
import type { Problem } from '../../template/intrinsics';
import { isPending, type NoteProblem, PENDING, scalarText, shown } from '../../template/values';
import { AwsError } from '../kernel/aws-error';
import type { Clock } from '../kernel/clock';
import { isObject, type JsonObject } from '../kernel/json';
import type { Random } from '../kernel/random';
import { type References, referencesIn, resolveReferences } from './dynamic-references';
import { type PlannedResource, parametersOf, readOutputs, resourceName, type StackPlan } from './plan-stack';
import { type PropertyProblem, PropertyReader } from './property-reader';
import type { AnyResourceType, AwaitedContext, CreatedResource, ResourceType } from './resource-type';
import { type KnownOutput, MASK, type StackRecord } from './stack-record';
import { type AllowsStandIns, madeUpAttribute, type StandIn } from './stand-ins/stand-in';
import type { TemplateResource } from './template';
import { type CrossStackValues, outputKey, type ResourceValues, TemplateScope } from './template-scope';

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
  /** Whether any stack of this deployment has a problem. */
  readonly hasFailed: () => boolean;
  readonly standIns: {
    readonly allows: AllowsStandIns;
    /** The stand-in for a resource type. */
    readonly of: (type: string) => ResourceType;
    readonly note: (standIn: StandIn) => void;
  };
}

/** Collects the exports and outputs of a stack for later stacks. */
export interface CollectedStackValues extends CrossStackValues {
  readonly exports: Map<string, unknown>;
  readonly outputs: Map<string, unknown>;
}

/**
 * Creates one stack. Resources that need a failed resource are not created. Refusals of services after that are not
 * reported, because they may be consequences of the first problem.
 */
export class StackDeployment implements ResourceValues {
  private readonly created = new Map<string, DeployedResource>();
  /** Attributes that are lists, and made-up ones, by logical id and name. */
  private readonly moreAttributes = new Map<string, Map<string, string | readonly string[]>>();
  /** Resources with a problem of their own, or that need such a resource. */
  private readonly failed = new Set<string>();
  /** Texts that the API hides. */
  private readonly secrets = new Set<string>();
  private readonly scope: TemplateScope;
  private readonly note: NoteProblem;

  constructor(private readonly props: StackDeploymentProps) {
    const { plan, crossStack, references, note } = props;
    const { template, identity, parameters } = plan;
    this.note = note;
    for (const { value, isSecret } of props.record.parameters) if (isSecret) this.secrets.add(value);
    this.scope = new TemplateScope({
      template,
      stack: identity,
      parameters,
      resources: this,
      crossStack,
      references,
      note,
    });
  }

  async run(handing: CollectedStackValues): Promise<DeployedStack> {
    const { plan, record, clock } = this.props;
    for (const planned of plan.creations) {
      const creating = this.create(planned);
      // Await only resources that take virtual time. All others are created in one synchronous step.
      if (creating) await creating;
    }
    const outputs = this.outputs(handing);
    record.parameters = parametersOf(plan, this.scope.lookedUpParameters);
    record.outputs = outputs;
    record.end(this.failed.size === 0 ? 'CREATE_COMPLETE' : 'CREATE_FAILED', clock.nowMs);
    const texts = outputs.map(({ logicalId, value }) => [logicalId, value] as const);
    return { name: plan.stack.name, outputs: Object.fromEntries(texts), resources: this.created };
  }

  ref(logicalId: string): unknown {
    return this.created.get(logicalId)?.ref ?? PENDING;
  }

  attribute(logicalId: string, attribute: string, problem: Problem): unknown {
    const resource = this.created.get(logicalId);
    if (!resource) return PENDING;
    if (Object.hasOwn(resource.attributes, attribute)) return resource.attributes[attribute];
    const other = this.moreAttributes.get(logicalId)?.get(attribute) ?? this.makeUp(logicalId, resource, attribute);
    if (other !== undefined) return other;
    const given = Object.keys(resource.attributes).join(', ') || 'none';
    return problem(
      `asks for ${logicalId}.${attribute}: the attributes of ${resource.type} in the embedded AWS are ${given}`,
    );
  }

  /** Makes up an attribute that the type has on AWS, but not in the embedded AWS. */
  private makeUp(
    logicalId: string,
    { type, path }: DeployedResource,
    attribute: string,
  ): string | readonly string[] | undefined {
    const { plan, random, clock, standIns } = this.props;
    if (!standIns.allows(type)) return undefined;
    const { name, place } = plan.identity;
    const value = madeUpAttribute(type, attribute, {
      place,
      random: random.stream(`attribute/${name}/${logicalId}/${attribute}`),
      nowMs: () => clock.nowMs,
      physicalName: this.physicalNameOf(logicalId),
    });
    if (value === undefined) return undefined;
    const more = this.moreAttributes.get(logicalId) ?? new Map<string, string | readonly string[]>();
    this.moreAttributes.set(logicalId, more.set(attribute, value));
    const reason = `${attribute} of ${type} is not simulated: its value is made up`;
    this.noteStandIn({ logicalId, type, path }, { what: 'attribute', member: attribute, reason });
    return value;
  }

  /** A stand-in for a resource of a simulated type that one of its properties makes impossible to simulate. */
  private standInFor(resource: TemplateResource, reason: PropertyProblem, properties: JsonObject): CreatedResource {
    this.noteStandIn(resource, { what: 'resource', member: reason.property, reason: propertyProblem(reason) });
    const reader = PropertyReader.withStandIns(properties);
    return this.props.standIns.of(resource.type).create(reader, this.contextOf(resource));
  }

  private noteStandIn(
    { logicalId, type, path }: Pick<TemplateResource, 'logicalId' | 'type'> & { readonly path?: string | undefined },
    about: Pick<StandIn, 'what' | 'member' | 'reason'>,
  ): void {
    const stack = this.props.plan.stack;
    const at = path ?? stack.paths.get(logicalId);
    this.props.standIns.note({
      stack: stack.name,
      logicalId,
      type,
      ...(at === undefined ? {} : { path: at }),
      ...about,
    });
  }

  private outputs({ exports, outputs }: CollectedStackValues): readonly KnownOutput[] {
    const { plan } = this.props;
    return readOutputs(plan.template, this.scope, this.note).flatMap(output => {
      const value = resolveReferences(output.value, `Outputs.${output.logicalId}`, this.props.references, this.note);
      const text = scalarText(value);
      if (text === undefined && !isPending(value)) {
        this.note(`Outputs.${output.logicalId}.Value must be a string, got ${shown(value)}`);
      }
      outputs.set(outputKey(plan.stack.name, output.logicalId), text ?? PENDING);
      if (output.exportName !== undefined) exports.set(output.exportName, text ?? PENDING);
      return text === undefined ? [] : [{ ...output, value: text }];
    });
  }

  /** Returns a promise when the resource takes virtual time. */
  private create(planned: PlannedResource): Promise<void> | undefined {
    const { resource, type, needs, isStandIn } = planned;
    const { logicalId } = resource;
    const called = resourceName(this.props.plan.stack, resource);
    const note: NoteProblem = problem => {
      this.failed.add(logicalId);
      this.note(`${called}: ${problem}`);
    };
    const isFollowing = [...needs].some(needed => this.failed.has(needed));
    const evaluated = evaluate(resource.properties, 'Properties', this.scope, note);
    const properties = this.resolve(evaluated, type, note);
    if (isFollowing || !properties) this.failed.add(logicalId);
    if (!properties) return undefined;
    const isAllowed = this.props.standIns.allows(resource.type);
    const reader = isAllowed ? PropertyReader.withStandIns(properties) : new PropertyReader(properties);
    const shownProperties = this.shown(evaluated);
    if (isStandIn) {
      this.noteStandIn(resource, { what: 'resource', reason: `${resource.type} is not simulated` });
    }
    const finish = (given: CreatedResource | undefined): void => {
      const reason = reader.standInReason;
      const created = reason ? this.standInFor(resource, reason, properties) : given;
      for (const problem of created ? reader.allProblems() : reader.notedProblems()) {
        if (!(isFollowing && problem.isRefusal)) note(propertyProblem(problem));
      }
      for (const problem of created && !reason ? reader.listed() : []) {
        this.noteStandIn(resource, { what: 'property', member: problem.property, reason: propertyProblem(problem) });
      }
      this.finish(resource, created, shownProperties);
    };
    const refused = (error: unknown): void => {
      if (!(error instanceof AwsError)) throw error;
      if (reader.notedProblems().length === 0 && !isFollowing) note(`${error.code}: ${error.message}`);
      finish(undefined);
    };
    const context = this.contextOf(resource);
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

  private finish(resource: TemplateResource, created: CreatedResource | undefined, shownProperties: string): void {
    const { logicalId, type } = resource;
    if (!created) {
      this.failed.add(logicalId);
      this.noteStatus(resource, 'CREATE_FAILED', undefined, shownProperties);
      return;
    }
    const path = resource.path ?? this.props.plan.stack.paths.get(logicalId);
    const { ref, attributes, lists, isSecret } = created;
    if (lists) this.moreAttributes.set(logicalId, new Map(Object.entries(lists)));
    this.created.set(logicalId, { ref, attributes, type, ...(path === undefined ? {} : { path }) });
    if (isSecret) for (const value of Object.values(attributes)) this.secrets.add(value);
    this.noteStatus(resource, 'CREATE_COMPLETE', ref, shownProperties);
  }

  /** Resolves every reference in the properties; undefined when a value is missing. */
  private resolve(evaluated: unknown, type: AnyResourceType, note: NoteProblem): JsonObject | undefined {
    if ('runsCode' in type && type.runsCode && referencesIn(evaluated).has('secretsmanager')) {
      note('Properties: a dynamic reference to a secret is not resolved in a custom resource');
      return undefined;
    }
    const resolved = resolveReferences(evaluated, 'Properties', this.props.references, note);
    return isPending(resolved) || !isObject(resolved) ? undefined : resolved;
  }

  /** Properties as the API shows them: references unresolved, and secrets hidden. */
  private shown(evaluated: unknown): string {
    const masked = (value: unknown): unknown => {
      if (typeof value !== 'string') return value;
      return [...this.secrets].reduce((text, secret) => (secret === '' ? text : text.replaceAll(secret, MASK)), value);
    };
    return JSON.stringify(evaluated, (_name, value: unknown) => masked(value));
  }

  private noteStatus(
    { logicalId, type }: TemplateResource,
    status: StackRecord['status'],
    physicalId: string | undefined,
    shownProperties: string,
  ): void {
    const changedAtMs = this.props.clock.nowMs;
    this.props.record.noteResource(
      { logicalId, type, status, physicalId, reason: undefined, changedAtMs },
      shownProperties,
    );
  }

  private contextOf({ logicalId, type: resourceType }: TemplateResource): AwaitedContext {
    const { stack, identity } = this.props.plan;
    return {
      logicalId,
      resourceType,
      stackName: stack.name,
      stackId: identity.id,
      physicalName: this.physicalNameOf(logicalId),
      assetPath: s3Key => stack.assets.get(s3Key),
    };
  }

  private physicalNameOf(logicalId: string): (maxLength?: number) => string {
    const { name } = this.props.plan.stack;
    const suffix = nameSuffix(this.props.random.stream(`name/${name}/${logicalId}`));
    return maxLength => physicalName(name, logicalId, suffix, maxLength);
  }
}

function propertyProblem({ property, rule, value }: PropertyProblem): string {
  return value === undefined ? `${property} ${rule}` : `${property} ${rule}, got ${shown(value)}`;
}

const SUFFIX_CHARACTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
const SUFFIX_LENGTH = 12;

/** The random suffix of a physical name. */
function nameSuffix(random: Random): string {
  let suffix = '';
  for (let i = 0; i < SUFFIX_LENGTH; i += 1) {
    suffix += SUFFIX_CHARACTERS[random.integer(0, SUFFIX_CHARACTERS.length - 1)];
  }
  return suffix;
}

/**
 * Creates a name for a resource without one: stack name, logical id and a random suffix, joined with hyphens.
 *
 * **Assumption CFN-2:** AWS does not publish how it shortens the parts when the service allows fewer characters. Here
 * the longer of the two loses its end first, and the suffix is kept.
 *
 * @param maxLength the number of characters that the service allows @default no limit
 * @see https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-properties-name.html
 */
export function physicalName(
  stackName: string,
  logicalId: string,
  suffix: string,
  maxLength = Number.POSITIVE_INFINITY,
): string {
  const room = Math.max(maxLength - suffix.length - 2, 2);
  const half = Math.floor(room / 2);
  const stackRoom = Math.max(half, room - logicalId.length);
  const stack = stackName.slice(0, stackRoom);
  const logical = logicalId.slice(0, room - stack.length);
  return `${stack}-${logical}-${suffix}`;
}
