import { evaluate } from '../../template/evaluate';
import type { Problem } from '../../template/intrinsics';
import { isPending, type NoteProblem, PENDING, scalarText, shown } from '../../template/values';
import { isObject, type JsonObject } from '../kernel/json';
import type { Random } from '../kernel/random';
import type { StackArtifact } from './assembly';
import { type References, referencesIn, resolveReferences } from './dynamic-references';
import { type PlannedResource, readOutputs, resourceName, type StackPlan } from './plan-stack';
import { type PropertyProblem, PropertyReader } from './property-reader';
import type { AnyResourceType, AwaitedContext, CreatedResource, ExistingResource, ResourceType } from './resource-type';
import { type KnownOutput, type LiveResource, MASK, type StackRecord } from './stack-record';
import {
  type AllowsStandIns,
  decisiveProperties,
  madeUpAttribute,
  NO_STAND_INS,
  type StandIn,
} from './stand-ins/stand-in';
import type { TemplateResource } from './template';
import { type CrossStackValues, type ResourceValues, TemplateScope } from './template-scope';

interface StackWorkProps {
  readonly plan: StackPlan;
  readonly record: StackRecord;
  readonly random: Random;
  readonly crossStack: CrossStackValues;
  readonly references: References;
  readonly note: NoteProblem;
  /** Whether operations take virtual time. */
  readonly takesTime: boolean;
  readonly standIns: StandInAccess;
}

/** What takes the place of resources, properties and attributes that are not simulated. */
export interface StandInAccess {
  readonly allows: AllowsStandIns;
  readonly of: (type: string) => ResourceType;
  readonly note: (standIn: StandIn) => void;
  readonly nowMs: () => number;
}

export interface DesiredProperties {
  /** Evaluated, with every reference resolved. Undefined when a value is missing; the problem is recorded. */
  readonly properties: JsonObject | undefined;
  /** As the API shows them: references unresolved, and secrets hidden. */
  readonly shownProperties: string;
}

/** Evaluates a template against the resources of its stack, while these are created, changed and deleted. */
export class StackWork implements ResourceValues {
  readonly live: Map<string, LiveResource>;
  readonly scope: TemplateScope;
  /** Texts that the API hides. */
  private readonly secrets = new Set<string>();

  constructor(private readonly props: StackWorkProps) {
    const { plan, record, crossStack, references, note } = props;
    const { template, identity, parameters } = plan;
    this.live = new Map(record.live);
    for (const { value, isSecret } of record.parameters) if (isSecret) this.secrets.add(value);
    for (const resource of record.live.values()) this.hide(resource);
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

  ref(logicalId: string): unknown {
    return this.live.get(logicalId)?.ref ?? PENDING;
  }

  attribute(logicalId: string, attribute: string, problem: Problem): unknown {
    const resource = this.live.get(logicalId);
    if (!resource) return PENDING;
    if (Object.hasOwn(resource.attributes, attribute)) return resource.attributes[attribute];
    const more = this.props.record.moreAttributes.get(logicalId)?.get(attribute);
    const other = more ?? resource.lists?.[attribute] ?? this.makeUp(resource, attribute);
    if (other !== undefined) return other;
    const given = Object.keys(resource.attributes).join(', ') || 'none';
    return problem(
      `asks for ${logicalId}.${attribute}: the attributes of ${resource.type} in the embedded AWS are ${given}`,
    );
  }

  /** Makes up an attribute that the type has on AWS, but not in the embedded AWS. */
  private makeUp(resource: LiveResource, attribute: string): string | readonly string[] | undefined {
    const { logicalId, type, suffix } = resource;
    const { plan, record, random, standIns } = this.props;
    if (!standIns.allows(type)) return undefined;
    const { name, place } = plan.identity;
    const value = madeUpAttribute(type, attribute, resource.isStandIn, {
      place,
      random: random.stream(`attribute/${name}/${logicalId}/${attribute}`),
      nowMs: standIns.nowMs,
      physicalName: maxLength => physicalName(name, logicalId, suffix, maxLength),
    });
    if (value === undefined) return undefined;
    const known = record.moreAttributes.get(logicalId) ?? new Map<string, string | readonly string[]>();
    record.moreAttributes.set(logicalId, known.set(attribute, value));
    const reason = `${attribute} of ${type} is not simulated: its value is made up`;
    this.noteStandIn(resource, { what: 'attribute', member: attribute, reason });
    return value;
  }

  /** A stand-in for a resource of a simulated type that one of its properties makes impossible to simulate. */
  standInFor(
    resource: TemplateResource,
    reason: PropertyProblem,
    properties: JsonObject,
    suffix: string,
  ): CreatedResource {
    this.noteStandIn(resource, { what: 'resource', member: reason.property, reason: propertyProblem(reason) });
    const reader = PropertyReader.withStandIns(properties, resource.type);
    return this.props.standIns.of(resource.type).create(reader, this.contextOf(resource, suffix));
  }

  noteStandIn(
    { logicalId, type, path }: Pick<TemplateResource, 'logicalId' | 'type'> & { readonly path?: string | undefined },
    about: Pick<StandIn, 'what' | 'member' | 'reason'>,
  ): void {
    const { stack } = this.props.plan;
    const at = path ?? stack.paths.get(logicalId);
    const where = at === undefined ? {} : { path: at };
    this.props.standIns.note({ stack: stack.name, logicalId, type, ...where, ...about });
  }

  /** Lists the properties that are not simulated, where stand-ins are allowed. */
  noteListed(resource: TemplateResource, reader: PropertyReader): void {
    for (const problem of reader.listed()) {
      const reason = propertyProblem(problem);
      this.noteStandIn(resource, { what: 'property', member: problem.property, reason });
    }
  }

  readerOf({ type }: TemplateResource, properties: JsonObject): PropertyReader {
    const reader = this.props.standIns.allows(type)
      ? PropertyReader.withStandIns(properties, type, decisiveProperties(type))
      : new PropertyReader(properties, type);
    reader.endsAtTakenName = this.props.takesTime;
    return reader;
  }

  desired({ resource, type }: PlannedResource, note: NoteProblem): DesiredProperties {
    const evaluated = evaluate(resource.properties, 'Properties', this.scope, note);
    return { properties: this.resolve(evaluated, type, note), shownProperties: this.shown(evaluated) };
  }

  /** The random suffix of the next physical resource of a logical id. */
  newSuffix({ logicalId }: TemplateResource): string {
    const { record, random } = this.props;
    return nameSuffix(random.stream(record.nextResource(logicalId)));
  }

  /** @param artifact has the files that the properties name. @default - those of the stack's new deployment */
  contextOf(
    { logicalId, type: resourceType }: Pick<TemplateResource, 'logicalId' | 'type'>,
    suffix: string,
    artifact: StackArtifact = this.props.plan.stack,
  ): AwaitedContext {
    const { plan, takesTime } = this.props;
    const { stack, identity } = plan;
    return {
      logicalId,
      resourceType,
      stackName: stack.name,
      stackId: identity.id,
      takesTime,
      physicalName: maxLength => physicalName(stack.name, logicalId, suffix, maxLength),
      assetPath: s3Key => artifact.assets.get(s3Key),
    };
  }

  /** Stores what was created, or what an update returned. */
  keep(
    { resource, needs }: PlannedResource,
    created: CreatedResource,
    { properties = {}, shownProperties }: DesiredProperties,
    suffix: string,
    isStandIn: boolean,
  ): LiveResource {
    const { logicalId, type, deletionPolicy = 'Delete' } = resource;
    const path = resource.path ?? this.props.plan.stack.paths.get(logicalId);
    const { ref, attributes, lists, isSecret } = created;
    if (this.live.get(logicalId)?.ref !== ref) this.props.record.moreAttributes.delete(logicalId);
    const live = {
      logicalId,
      type,
      ref,
      attributes,
      ...(path === undefined ? {} : { path }),
      ...(isSecret ? { isSecret } : {}),
      ...(lists ? { lists } : {}),
      isStandIn,
      properties,
      shownProperties,
      suffix,
      needs,
      deletionPolicy,
    };
    this.live.set(logicalId, live);
    this.hide(live);
    return live;
  }

  /** Reads the outputs, now that the resources exist. Those without a value are left out. */
  outputs(
    found: (output: { readonly logicalId: string; readonly exportName?: string }, text: string | undefined) => void,
  ) {
    const { plan, note, references } = this.props;
    return readOutputs(plan.template, this.scope, note).flatMap((output): KnownOutput[] => {
      const value = resolveReferences(output.value, `Outputs.${output.logicalId}`, references, note);
      const text = scalarText(value);
      if (text === undefined && !isPending(value)) {
        note(`Outputs.${output.logicalId}.Value must be a string, got ${shown(value)}`);
      }
      found(output, text);
      return text === undefined ? [] : [{ ...output, value: text }];
    });
  }

  nameOf(resource: TemplateResource): string {
    return resourceName(this.props.plan.stack, resource);
  }

  /** Resolves every dynamic reference in a value; values that are not known yet stay pending. */
  resolved(evaluated: unknown): unknown {
    return resolveReferences(evaluated, 'Properties', this.props.references, this.props.note);
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

  private shown(evaluated: unknown): string {
    const masked = (value: unknown): unknown => {
      if (typeof value !== 'string') return value;
      return [...this.secrets].reduce((text, secret) => (secret === '' ? text : text.replaceAll(secret, MASK)), value);
    };
    return JSON.stringify(evaluated, (_name, value: unknown) => masked(value));
  }

  private hide({ isSecret, attributes }: CreatedResource): void {
    if (isSecret) for (const value of Object.values(attributes)) this.secrets.add(value);
  }
}

/** A resource as the code of its type sees it before a change. */
export function existing(
  { type, ref, attributes, lists, properties }: LiveResource,
  allowsStandIns: AllowsStandIns = NO_STAND_INS,
): ExistingResource {
  const reader = allowsStandIns(type) ? PropertyReader.withStandIns(properties, type) : new PropertyReader(properties);
  return { ref, attributes, ...(lists ? { lists } : {}), properties: reader };
}

export function propertyProblem({ property, rule, value }: PropertyProblem): string {
  return value === undefined ? `${property} ${rule}` : `${property} ${rule}, got ${shown(value)}`;
}

const SUFFIX_CHARACTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
const SUFFIX_LENGTH = 12;

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
