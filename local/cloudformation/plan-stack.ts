import { evaluate } from '../../template/evaluate';
import type { Problem, Verdict } from '../../template/intrinsics';
import { type NoteProblem, PENDING, scalarText } from '../../template/values';
import { isMembers, type Members } from '../kernel/json';
import type { Place } from '../kernel/place';
import type { Random } from '../kernel/random';
import type { StackArtifact } from './assembly';
import type { References } from './dynamic-references';
import { environmentProblems } from './environment';
import { isLookedUp, type ParameterValues, parameterValue } from './parameters';
import type { AnyResourceType } from './resource-type';
import {
  dependencyOrder,
  NESTED_STACK_TYPE,
  parseTemplate,
  stringMember,
  type Template,
  type TemplateResource,
  TYPES_WITHOUT_EFFECT,
} from './template';
import { type Handed, type ResourceValues, type StackIdentity, stackArn, TemplateScope } from './template-scope';

/** What a deploy needs beside the stack itself. */
export interface DeployTarget {
  readonly types: ReadonlyMap<string, AnyResourceType>;
  readonly place: Place;
  /** A stream of the world's generator that belongs to CloudFormation alone. */
  readonly random: Random;
}

/** What is known when a stack is planned. */
export interface PlanInput {
  readonly target: DeployTarget;
  /** Parameter values, where the template's own defaults are not wanted. */
  readonly parameters: ParameterValues;
  readonly handed: Handed;
  /** What other services hold; without them, as long as nothing exists yet, it is pending. */
  readonly references?: References | undefined;
  /** Told of each nested stack, with its properties as far as they are known. */
  readonly nested?: (resource: TemplateResource, properties: Members, note: NoteProblem) => void;
}

/** A parameter of a stack, as the API tells of it. */
export interface TemplateParameter {
  readonly name: string;
  /** What was given, or the default. */
  readonly value: string;
  /** Whether the template says that it is not to be shown (`NoEcho`). */
  readonly isSecret: boolean;
  /** Of a parameter that is looked up: what was found, if somebody asked for it. */
  readonly resolved?: string;
}

/** A resource that will be created, and what must be there first. */
export interface PlannedResource {
  readonly resource: TemplateResource;
  readonly type: AnyResourceType;
  readonly needs: ReadonlySet<string>;
}

/** A stack whose template makes sense, and the order in which its resources come into being. */
export interface StackPlan {
  readonly stack: StackArtifact;
  readonly template: Template;
  readonly identity: StackIdentity;
  readonly parameters: ParameterValues;
  readonly creations: readonly PlannedResource[];
  /** What it will answer and export; the values may be pending. */
  readonly outputs: readonly Output[];
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
export function planStack(stack: StackArtifact, input: PlanInput, note: NoteProblem): StackPlan {
  const { target, handed, references } = input;
  for (const problem of environmentProblems(stack.environment, target.place)) note(problem);
  const template = parseTemplate(stack.template, note);
  const { name, notificationArns } = stack;
  const uuid = target.random.stream(`stack/${name}`).uuid();
  const identity = { name, id: stackArn(target.place, name, uuid), place: target.place, notificationArns };
  const parameters = { ...stack.parameters, ...input.parameters };

  const preview = new ResourcePreview();
  const scope = new TemplateScope({
    template,
    stack: identity,
    parameters,
    resources: preview,
    handed,
    references,
    note,
  });
  checkDeclarations(template, parameters, scope, note);
  const wanted = wantedResources(template, scope, note);
  preview.existing = new Set(wanted.keys());
  const needs = new Map<string, ReadonlySet<string>>();
  for (const [logicalId, { resource }] of wanted) {
    const called = resourceName(stack, resource);
    const noteHere: NoteProblem = problem => note(`${called}: ${problem}`);
    const implicit = preview.namedBy(() => {
      const properties = evaluate(resource.properties, 'Properties', scope, noteHere);
      if (resource.type === NESTED_STACK_TYPE && isMembers(properties)) input.nested?.(resource, properties, noteHere);
    });
    needs.set(logicalId, new Set([...explicitDependencies(resource, template, wanted, noteHere), ...implicit]));
  }
  const outputs = readOutputs(template, scope, note);
  const sorted = dependencyOrder(needs);
  if ('cycle' in sorted) note(`circular dependency between resources: ${sorted.cycle.join(' -> ')}`);
  const order = 'order' in sorted ? sorted.order : [];
  const types = resourceTypes(stack, wanted, target.types, note);
  const creations = order.flatMap(logicalId => {
    const [it, type] = [wanted.get(logicalId), types.get(logicalId)];
    return it && type ? [{ resource: it.resource, type, needs: needs.get(logicalId) ?? new Set<string>() }] : [];
  });
  return { stack, template, identity, parameters, outputs, creations };
}

/** @param lookedUp what those that are looked up in SSM have come to */
export function parametersOf(
  { template, parameters }: StackPlan,
  lookedUp: ReadonlyMap<string, string>,
): readonly TemplateParameter[] {
  return Object.entries(template.parameters).flatMap(([name, declaration]) => {
    if (!isMembers(declaration)) return [];
    const given = parameters[name];
    const text = typeof given === 'string' ? given : (scalarText(declaration['Default']) ?? '');
    const resolved = lookedUp.get(name);
    const isSecret = declaration['NoEcho'] === true || declaration['NoEcho'] === 'true';
    return [{ name, value: text, isSecret, ...(resolved === undefined ? {} : { resolved }) }];
  });
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
  parameters: ParameterValues,
  scope: TemplateScope,
  note: NoteProblem,
): void {
  for (const [name, declaration] of Object.entries(template.parameters)) {
    const given = parameters[name];
    if (isLookedUp(declaration) || given === PENDING) continue;
    const found = parameterValue(name, declaration, given);
    if ('problem' in found) note(found.problem);
  }
  for (const name of Object.keys(template.conditions)) conditionHolds(name, `Conditions.${name}`, scope, note);
}

/** A resource of a template, and whether it is sure to be created: its condition may hang on what is not known yet. */
interface WantedResource {
  readonly resource: TemplateResource;
  readonly isSure: boolean;
}

/** The resources whose conditions hold, or may hold, and whose types do something. */
function wantedResources(
  template: Template,
  scope: TemplateScope,
  note: NoteProblem,
): ReadonlyMap<string, WantedResource> {
  const wanted = new Map<string, WantedResource>();
  for (const [logicalId, resource] of template.resources) {
    const holds = conditionHolds(resource.condition, logicalId, scope, note);
    if (holds === false || TYPES_WITHOUT_EFFECT.has(resource.type)) continue;
    wanted.set(logicalId, { resource, isSure: holds === true });
  }
  return wanted;
}

function explicitDependencies(
  { dependsOn }: TemplateResource,
  template: Template,
  wanted: ReadonlyMap<string, WantedResource>,
  note: NoteProblem,
): readonly string[] {
  for (const missing of dependsOn.filter(id => !template.resources.has(id))) {
    note(`DependsOn names ${missing}, which the template does not declare`);
  }
  return dependsOn.filter(id => wanted.has(id));
}

const CUSTOM_RESOURCE = 'AWS::CloudFormation::CustomResource';

/** `Custom::` and a name of up to 60 characters. */
const CUSTOM_TYPE = /^Custom::[\w@-]{1,60}$/;

function resourceTypes(
  stack: StackArtifact,
  wanted: ReadonlyMap<string, WantedResource>,
  types: ReadonlyMap<string, AnyResourceType>,
  note: NoteProblem,
): ReadonlyMap<string, AnyResourceType> {
  const found = new Map<string, AnyResourceType>();
  for (const [logicalId, { resource, isSure }] of wanted) {
    const type = types.get(CUSTOM_TYPE.test(resource.type) ? CUSTOM_RESOURCE : resource.type);
    if (type) found.set(logicalId, type);
    else if (isSure) {
      note(`${resourceName(stack, resource)}: this resource type is not implemented by the embedded AWS`);
    }
  }
  return found;
}

export interface Output {
  readonly logicalId: string;
  readonly value: unknown;
  readonly description?: string;
  readonly exportName?: string;
}

/** The outputs whose conditions hold. */
export function readOutputs(template: Template, scope: TemplateScope, note: NoteProblem): readonly Output[] {
  return Object.entries(template.outputs).flatMap(([logicalId, output]) => {
    const at = `Outputs.${logicalId}`;
    if (!isMembers(output) || output['Value'] === undefined) {
      note(`${at}: Value is required`);
      return [];
    }
    const condition = scalarText(output['Condition']);
    if (conditionHolds(condition, at, scope, note) === false) return [];
    const value = evaluate(output['Value'], `${at}.Value`, scope, note);
    const description = stringMember(output, 'Description');
    const read = { logicalId, value, ...(description === undefined ? {} : { description }) };
    const exporting = output['Export'];
    if (exporting === undefined) return [read];
    const name = isMembers(exporting) ? evaluate(exporting['Name'], `${at}.Export.Name`, scope, note) : undefined;
    if (typeof name === 'string') return [{ ...read, exportName: name }];
    if (name !== PENDING) note(`${at}: Export.Name must be a string`);
    return [read];
  });
}

/** Is what `owner` stands for wanted at all? Without a condition it is. */
export function conditionHolds(
  condition: string | undefined,
  owner: string,
  scope: TemplateScope,
  note: NoteProblem,
): Verdict {
  if (condition === undefined) return true;
  return scope.condition(condition, rule => {
    note(`${owner}: Condition ${rule}`);
    return PENDING;
  });
}
