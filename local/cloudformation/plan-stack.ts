import type { Place } from '../kernel/place';
import type { Random } from '../kernel/random';
import type { StackArtifact } from './assembly';
import type { NoteProblem } from './assembly-error';
import { dependencyOrder } from './dependency-order';
import { environmentProblems } from './environment';
import { evaluate } from './evaluate';
import type { Problem } from './intrinsics';
import { TYPES_WITHOUT_EFFECT } from './no-effect';
import { conditionHolds, readOutputs } from './outputs';
import { isLookedUp, parameterValue } from './parameters';
import type { ResourceType } from './resource-type';
import { parseTemplate, type Template, type TemplateResource } from './template';
import { type Exports, type ResourceValues, type StackIdentity, stackArn, TemplateScope } from './template-scope';
import { PENDING } from './values';

/** What a deploy needs beside the stack itself. */
export interface DeployTarget {
  readonly types: ReadonlyMap<string, ResourceType>;
  readonly place: Place;
  /** A stream of the world's generator that belongs to CloudFormation alone. */
  readonly random: Random;
  /** Parameter values, where the template's own defaults are not wanted. */
  readonly parameters: Readonly<Record<string, string>>;
}

/** A stack whose template makes sense, and the order in which its resources come into being. */
export interface StackPlan {
  readonly stack: StackArtifact;
  readonly template: Template;
  readonly identity: StackIdentity;
  readonly parameters: Readonly<Record<string, string>>;
  readonly creations: readonly { readonly resource: TemplateResource; readonly type: ResourceType }[];
  /** The names under which it will export values. */
  readonly exportNames: readonly string[];
}

/** How problems name a resource: its construct's path where known, its logical id and its type. */
export function resourceName(stack: StackArtifact, { logicalId, type, path }: TemplateResource): string {
  const constructPath = path ?? stack.paths.get(logicalId);
  return constructPath === undefined ? `${logicalId} (${type})` : `${constructPath} (${logicalId}, ${type})`;
}

/**
 * Evaluates a template as far as that is possible before anything exists, and notes whatever the embedded AWS does not
 * know of it: sections, resource types, functions, names nobody declared, circles.
 */
export function planStack(stack: StackArtifact, target: DeployTarget, exports: Exports, note: NoteProblem): StackPlan {
  for (const problem of environmentProblems(stack.environment, target.place)) note(problem);
  const template = parseTemplate(stack.template, note);
  const { name, notificationArns } = stack;
  const uuid = target.random.stream(`stack/${name}`).uuid();
  const identity = { name, id: stackArn(target.place, name, uuid), place: target.place, notificationArns };
  const parameters = { ...stack.parameters, ...target.parameters };

  const needs = new Map<string, ReadonlySet<string>>();
  const preview = new ResourcePreview();
  const scope = new TemplateScope({ template, stack: identity, parameters, resources: preview, exports, note });
  checkDeclarations(template, parameters, scope, note);
  const wanted = wantedResources(template, scope, note);
  preview.existing = new Set(wanted.keys());
  for (const [logicalId, resource] of wanted) {
    const called = resourceName(stack, resource);
    const noteHere: NoteProblem = problem => note(`${called}: ${problem}`);
    const implicit = preview.namedBy(() => evaluate(resource.properties, 'Properties', scope, noteHere));
    needs.set(logicalId, new Set([...explicitDependencies(resource, template, wanted, noteHere), ...implicit]));
  }
  const exportNames = readOutputs(template, scope, note).flatMap(({ exportName }) => exportName ?? []);
  const sorted = dependencyOrder(needs);
  if ('cycle' in sorted) note(`circular dependency between resources: ${sorted.cycle.join(' -> ')}`);
  const order = 'order' in sorted ? sorted.order : [];
  const creations = resourceTypes(stack, wanted, target.types, note);
  return {
    stack,
    template,
    identity,
    parameters,
    exportNames,
    creations: order.flatMap(logicalId => creations.get(logicalId) ?? []),
  };
}

/** Resources before they exist: it answers nothing, and remembers which were asked for. */
class ResourcePreview implements ResourceValues {
  existing: ReadonlySet<string> = new Set();
  private named = new Set<string>();

  /** The resources that whatever happens in `reading` asks for. */
  namedBy(reading: () => void): ReadonlySet<string> {
    const named = new Set<string>();
    this.named = named;
    reading();
    this.named = new Set();
    return named;
  }

  ref(logicalId: string, problem: Problem): unknown {
    if (!this.existing.has(logicalId)) return problem(`names ${logicalId}, which this deploy does not create`);
    this.named.add(logicalId);
    return PENDING;
  }

  attribute(logicalId: string, _attribute: string, problem: Problem): unknown {
    return this.ref(logicalId, problem);
  }
}

/**
 * Parameters and conditions are checked even where nothing uses them, as AWS does. CDK's own BootstrapVersion parameter
 * comes from SSM and is used in `Rules` only, so looked-up ones matter once something refers to them.
 */
function checkDeclarations(
  template: Template,
  parameters: Readonly<Record<string, string>>,
  scope: TemplateScope,
  note: NoteProblem,
): void {
  for (const [name, declaration] of Object.entries(template.parameters)) {
    if (isLookedUp(declaration)) continue;
    const found = parameterValue(name, declaration, parameters[name]);
    if ('problem' in found) note(found.problem);
  }
  for (const name of Object.keys(template.conditions)) conditionHolds(name, `Conditions.${name}`, scope, note);
}

/** The resources whose conditions hold and whose types do something. */
function wantedResources(
  template: Template,
  scope: TemplateScope,
  note: NoteProblem,
): ReadonlyMap<string, TemplateResource> {
  const wanted = new Map<string, TemplateResource>();
  for (const [logicalId, resource] of template.resources) {
    const holds = conditionHolds(resource.condition, logicalId, scope, note);
    if (holds && !TYPES_WITHOUT_EFFECT.has(resource.type)) wanted.set(logicalId, resource);
  }
  return wanted;
}

function explicitDependencies(
  { dependsOn }: TemplateResource,
  template: Template,
  wanted: ReadonlyMap<string, TemplateResource>,
  note: NoteProblem,
): readonly string[] {
  for (const missing of dependsOn.filter(id => !template.resources.has(id))) {
    note(`DependsOn names ${missing}, which the template lacks`);
  }
  return dependsOn.filter(id => wanted.has(id));
}

function resourceTypes(
  stack: StackArtifact,
  wanted: ReadonlyMap<string, TemplateResource>,
  types: ReadonlyMap<string, ResourceType>,
  note: NoteProblem,
): ReadonlyMap<string, { readonly resource: TemplateResource; readonly type: ResourceType }> {
  const found = new Map<string, { readonly resource: TemplateResource; readonly type: ResourceType }>();
  for (const [logicalId, resource] of wanted) {
    const type = types.get(resource.type);
    if (type) found.set(logicalId, { resource, type });
    else note(`${resourceName(stack, resource)}: this resource type is not implemented by the embedded AWS`);
  }
  return found;
}
