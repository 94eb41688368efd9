import { AwsError } from '../kernel/aws-error';
import { isMembers } from '../kernel/json';
import type { Random } from '../kernel/random';
import { type NoteProblem, shown } from './assembly-error';
import { evaluate } from './evaluate';
import type { Problem } from './intrinsics';
import { readOutputs } from './outputs';
import { nameSuffix, physicalName } from './physical-name';
import { resourceName, type StackPlan } from './plan-stack';
import { type PropertyProblem, PropertyReader } from './property-reader';
import type { CreatedResource, ResourceType } from './resource-type';
import type { TemplateResource } from './template';
import { type Exports, type ResourceValues, TemplateScope } from './template-scope';
import { isPending, PENDING, scalarText } from './values';

export interface DeployedResource extends CreatedResource {
  /** For example `AWS::SQS::Queue`. */
  readonly type: string;
  /** The path of its construct, where the assembly tells. */
  readonly path?: string;
}

export interface DeployedStack {
  readonly name: string;
  readonly outputs: Readonly<Record<string, string>>;
  /** By logical id, in the order of creation. */
  readonly resources: ReadonlyMap<string, DeployedResource>;
}

/** One stack coming into being. What depends on a resource that failed is left out: its problem is told once. */
export class StackDeployment implements ResourceValues {
  private readonly created = new Map<string, DeployedResource>();
  private readonly scope: TemplateScope;

  constructor(
    private readonly plan: StackPlan,
    private readonly random: Random,
    exports: Exports,
    private readonly note: NoteProblem,
  ) {
    const { template, identity, parameters } = plan;
    this.scope = new TemplateScope({ template, stack: identity, parameters, resources: this, exports, note });
  }

  run(exports: Map<string, unknown>): DeployedStack {
    for (const { resource, type } of this.plan.creations) this.create(resource, type);
    const outputs: Record<string, string> = {};
    for (const { logicalId, value, exportName } of readOutputs(this.plan.template, this.scope, this.note)) {
      const text = scalarText(value);
      if (text !== undefined) outputs[logicalId] = text;
      else if (!isPending(value)) this.note(`Outputs.${logicalId}.Value must be a string, got ${shown(value)}`);
      if (exportName !== undefined) exports.set(exportName, text ?? PENDING);
    }
    return { name: this.plan.stack.name, outputs, resources: this.created };
  }

  ref(logicalId: string): unknown {
    return this.created.get(logicalId)?.ref ?? PENDING;
  }

  attribute(logicalId: string, attribute: string, problem: Problem): unknown {
    const resource = this.created.get(logicalId);
    if (!resource) return PENDING;
    if (Object.hasOwn(resource.attributes, attribute)) return resource.attributes[attribute];
    const given = Object.keys(resource.attributes).join(', ') || 'none';
    return problem(
      `asks for ${logicalId}.${attribute}: the attributes of ${resource.type} in the embedded AWS are ${given}`,
    );
  }

  private create(resource: TemplateResource, type: ResourceType): void {
    const called = resourceName(this.plan.stack, resource);
    const note: NoteProblem = problem => this.note(`${called}: ${problem}`);
    const properties = evaluate(resource.properties, 'Properties', this.scope, note);
    if (isPending(properties) || !isMembers(properties)) return;
    const reader = new PropertyReader(properties);
    const created = this.attempt(resource, type, reader, note);
    for (const problem of created ? reader.allProblems() : reader.notedProblems()) note(propertyProblem(problem));
    if (created) this.created.set(resource.logicalId, created);
  }

  private attempt(
    resource: TemplateResource,
    type: ResourceType,
    reader: PropertyReader,
    note: NoteProblem,
  ): DeployedResource | undefined {
    const { stack } = this.plan;
    const { logicalId } = resource;
    const path = resource.path ?? stack.paths.get(logicalId);
    const suffix = nameSuffix(this.random.stream(`name/${stack.name}/${logicalId}`));
    try {
      const created = type.create(reader, {
        logicalId,
        stackName: stack.name,
        physicalName: maxLength => physicalName(stack.name, logicalId, suffix, maxLength),
        assetPath: s3Key => stack.assets.get(s3Key),
      });
      return { ...created, type: resource.type, ...(path === undefined ? {} : { path }) };
    } catch (error) {
      if (!(error instanceof AwsError)) throw error;
      if (reader.notedProblems().length === 0) note(`${error.code}: ${error.message}`);
      return undefined;
    }
  }
}

function propertyProblem({ property, rule, value }: PropertyProblem): string {
  return value === undefined ? `${property} ${rule}` : `${property} ${rule}, got ${shown(value)}`;
}
