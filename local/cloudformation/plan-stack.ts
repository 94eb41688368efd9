import { ownMember } from '../../policy/json-members';
import { evaluate } from '../../template/evaluate';
import type { ConditionValue, Problem } from '../../template/intrinsics';
import { type NoteProblem, PENDING, scalarText } from '../../template/values';
import { isObject, type JsonObject } from '../kernel/json';
import type { Place } from '../kernel/place';
import type { Random } from '../kernel/random';
import type { StackArtifact } from './assembly';
import type { References } from './dynamic-references';
import { environmentProblems } from './environment';
import { isLookedUp, type ParameterValues, parameterValue } from './parameters';
import { schemaOf } from './resource-schemas';
import type { AnyResourceType, ResourceType } from './resource-type';
import { checkRules } from './rules';
import { isKnownType } from './stand-ins/stand-in';
import {
  dependencyOrder,
  NESTED_STACK_TYPE,
  parseTemplate,
  stringMember,
  type Template,
  type TemplateResource,
  TYPES_WITHOUT_EFFECT,
} from './template';
import {
  type CrossStackValues,
  type ResourceValues,
  type StackIdentity,
  stackArn,
  TemplateScope,
} from './template-scope';

export interface DeployTarget {
  readonly types: ReadonlyMap<string, AnyResourceType>;
  readonly place: Place;
  /** The source of randomness that only CloudFormation draws from. */
  readonly random: Random;
  /** The stand-in for a type that is not simulated; undefined if it is refused. */
  readonly standIn: (type: string) => ResourceType | undefined;
}

interface PlanInput {
  readonly target: DeployTarget;
  /** Parameter values that replace the template's defaults. */
  readonly parameters: ParameterValues;
  readonly crossStack: CrossStackValues;
  /** Looks up values of other services. Without it these values are pending, because nothing exists yet. */
  readonly references?: References | undefined;
  /** The ARN of the stack. @default - that of the first stack with this name */
  readonly stackId?: string | undefined;
  /** Called with each nested stack and its properties, as far as they are known. */
  readonly nested?: (resource: TemplateResource, properties: JsonObject, note: NoteProblem) => void;
}

export interface TemplateParameter {
  readonly name: string;
  /** The given value, or the default. */
  readonly value: string;
  /** Whether the template hides the value (`NoEcho`). */
  readonly isSecret: boolean;
  /** The value found for a parameter that names an SSM parameter, if it was looked up. */
  readonly resolved?: string;
}

export interface PlannedResource {
  readonly resource: TemplateResource;
  readonly type: AnyResourceType;
  /** Whether the type is not simulated. */
  readonly isStandIn: boolean;
  readonly needs: ReadonlySet<string>;
}

/** A valid stack, with its resources in the order of creation. */
export interface StackPlan {
  readonly stack: StackArtifact;
  readonly template: Template;
  readonly identity: StackIdentity;
  readonly parameters: ParameterValues;
  readonly creations: readonly PlannedResource[];
  /** Outputs and exports; their values may be pending. */
  readonly outputs: readonly Output[];
}

/** The name of a resource in problems: its construct path if known, logical id and type. */
export function resourceName(stack: StackArtifact, { logicalId, type, path }: TemplateResource): string {
  const constructPath = path ?? stack.paths.get(logicalId);
  return constructPath === undefined ? `${logicalId} (${type})` : `${constructPath} (${logicalId}, ${type})`;
}

/**
 * Evaluates a template as far as possible before anything exists. Records what the embedded AWS does not support
 * (sections, resource types, functions), undeclared names, and circular dependencies.
 */
export function planStack(stack: StackArtifact, input: PlanInput, note: NoteProblem): StackPlan {
  const { target, crossStack, references } = input;
  for (const problem of environmentProblems(stack.environment, target.place)) note(problem);
  const template = parseTemplate(stack.template, note);
  const { name, notificationArns } = stack;
  const id = input.stackId ?? newStackId(target, name, 1);
  const identity = { name, id, place: target.place, notificationArns };
  const parameters = { ...stack.parameters, ...input.parameters };

  const preview = new ResourcePreview();
  const scope = new TemplateScope({
    template,
    stack: identity,
    parameters,
    resources: preview,
    crossStack,
    references,
    note,
  });
  checkDeclarations(template, parameters, scope, note);
  checkRules(template, scope, note);
  const wanted = wantedResources(template, scope, note);
  preview.types = new Map([...wanted].map(([id, { resource }]) => [id, resource.type]));
  const needs = new Map<string, ReadonlySet<string>>();
  for (const [logicalId, { resource }] of wanted) {
    const called = resourceName(stack, resource);
    const noteHere: NoteProblem = problem => note(`${called}: ${problem}`);
    const implicit = preview.namedBy(() => {
      const properties = evaluate(resource.properties, 'Properties', scope, noteHere);
      if (resource.type === NESTED_STACK_TYPE && isObject(properties)) input.nested?.(resource, properties, noteHere);
    });
    needs.set(logicalId, new Set([...explicitDependencies(resource, template, wanted, noteHere), ...implicit]));
  }
  putSettingsFirst(wanted, needs);
  const outputs = readOutputs(template, scope, note);
  const sorted = dependencyOrder(needs);
  if ('cycle' in sorted) note(`circular dependency between resources: ${sorted.cycle.join(' -> ')}`);
  const order = 'order' in sorted ? sorted.order : [];
  const types = resourceTypes(stack, wanted, target, note);
  const creations = order.flatMap(logicalId => {
    const [it, found] = [wanted.get(logicalId), types.get(logicalId)];
    return it && found ? [{ ...found, resource: it.resource, needs: needs.get(logicalId) ?? new Set<string>() }] : [];
  });
  return { stack, template, identity, parameters, outputs, creations };
}

export function givenIn({ template, parameters }: StackPlan): Readonly<Record<string, string>> {
  const given = Object.entries(parameters).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string' && Object.hasOwn(template.parameters, entry[0]),
  );
  return Object.fromEntries(given);
}

/** @param incarnation how many stacks have had this name, this one included */
export function newStackId(
  { place, random }: Pick<DeployTarget, 'place' | 'random'>,
  name: string,
  incarnation: number,
): string {
  const stream = incarnation === 1 ? `stack/${name}` : `stack/${name}#${incarnation}`;
  return stackArn(place, name, random.stream(stream).uuid());
}

/** @param lookedUp values of the parameters that name an SSM parameter */
export function parametersOf(
  { template, parameters }: StackPlan,
  lookedUp: ReadonlyMap<string, string>,
): readonly TemplateParameter[] {
  return Object.entries(template.parameters).flatMap(([name, declaration]) => {
    if (!isObject(declaration)) return [];
    const given = ownMember(parameters, name);
    const text = typeof given === 'string' ? given : (scalarText(declaration['Default']) ?? '');
    const resolved = lookedUp.get(name);
    const isSecret = declaration['NoEcho'] === true || declaration['NoEcho'] === 'true';
    return [{ name, value: text, isSecret, ...(resolved === undefined ? {} : { resolved }) }];
  });
}

/** The attributes of nested stacks and custom resources are what these answer. */
const hasFixedAttributes = (type: string): boolean => type !== NESTED_STACK_TYPE && type !== CUSTOM_RESOURCE;

/** Resources before they exist: it has no values, but records which resources were read. */
class ResourcePreview implements ResourceValues {
  /** By logical id. */
  types: ReadonlyMap<string, string> = new Map();
  private named = new Set<string>();

  /** Returns the resources that `reading` reads. */
  namedBy(reading: () => void): ReadonlySet<string> {
    const named = new Set<string>();
    this.named = named;
    reading();
    this.named = new Set();
    return named;
  }

  ref(logicalId: string, problem: Problem): unknown {
    if (!this.types.has(logicalId)) return problem(`names ${logicalId}, which this deployment does not create`);
    this.named.add(logicalId);
    return PENDING;
  }

  /** CloudFormation finds attributes that a type does not have before it creates anything. */
  attribute(logicalId: string, attribute: string, problem: Problem): unknown {
    const type = this.types.get(logicalId) ?? '';
    const { attributes, properties } = hasFixedAttributes(type) ? (schemaOf(type) ?? {}) : {};
    const [first = ''] = attribute.split('.');
    if (attributes && ![attribute, first].some(name => attributes.has(name) || properties?.has(name))) {
      return problem(
        `asks for ${logicalId}.${attribute}: resource ${logicalId} does not support attribute type ${attribute}. ` +
          `The attributes of ${type} are ${[...attributes.keys()].join(', ') || 'none'}`,
      );
    }
    return this.ref(logicalId, problem);
  }
}

/**
 * Parameters and conditions are checked even when nothing uses them, as on AWS. CDK's own BootstrapVersion parameter
 * comes from SSM and is used only in `Rules`, so parameters from SSM are checked only when something refers to them.
 */
function checkDeclarations(
  template: Template,
  parameters: ParameterValues,
  scope: TemplateScope,
  note: NoteProblem,
): void {
  for (const [name, declaration] of Object.entries(template.parameters)) {
    const given = ownMember(parameters, name);
    if (isLookedUp(declaration) || given === PENDING) continue;
    const found = parameterValue(name, declaration, given);
    if ('problem' in found) note(found.problem);
  }
  for (const name of Object.keys(template.conditions)) conditionHolds(name, `Conditions.${name}`, scope, note);
}

/** A resource of a template, and whether it is certain to be created: its condition may depend on unknown values. */
interface WantedResource {
  readonly resource: TemplateResource;
  readonly isSure: boolean;
}

/** The resources whose conditions are or may be true, and whose types have an effect. */
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

/**
 * Settings of the account, and the resources that only work with them. CloudFormation creates what does not depend on each other at
 * the same time, and a setting takes less time than what leads to such a resource.
 */
const SETTINGS: Readonly<Record<string, string>> = { 'AWS::ApiGateway::Stage': 'AWS::ApiGateway::Account' };

/** Creates settings before the resources that work with them, unless they depend on those. */
function putSettingsFirst(wanted: ReadonlyMap<string, WantedResource>, needs: Map<string, ReadonlySet<string>>): void {
  const reaches = (from: string, to: string, seen = new Set<string>()): boolean =>
    from === to || [...(needs.get(from) ?? [])].some(next => !seen.has(next) && reaches(next, to, seen.add(next)));
  for (const [logicalId, { resource }] of wanted) {
    const setting = SETTINGS[resource.type];
    if (setting === undefined) continue;
    const first = [...wanted].filter(([id, it]) => it.resource.type === setting && !reaches(id, logicalId));
    needs.set(logicalId, new Set([...(needs.get(logicalId) ?? []), ...first.map(([id]) => id)]));
  }
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

export function findType(types: ReadonlyMap<string, AnyResourceType>, type: string): AnyResourceType | undefined {
  return types.get(CUSTOM_TYPE.test(type) ? CUSTOM_RESOURCE : type);
}

function resourceTypes(
  stack: StackArtifact,
  wanted: ReadonlyMap<string, WantedResource>,
  { types, standIn }: DeployTarget,
  note: NoteProblem,
): ReadonlyMap<string, Pick<PlannedResource, 'type' | 'isStandIn'>> {
  const found = new Map<string, Pick<PlannedResource, 'type' | 'isStandIn'>>();
  for (const [logicalId, { resource, isSure }] of wanted) {
    const simulated = findType(types, resource.type);
    const type = simulated ?? standIn(resource.type);
    if (type) found.set(logicalId, { type, isStandIn: !simulated });
    else if (isSure) {
      const rule = isKnownType(resource.type)
        ? "is not simulated: standIns 'warn' deploys a stand-in in its place"
        : 'does not exist in CloudFormation';
      note(`${resourceName(stack, resource)}: this resource type ${rule}`);
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

export function readOutputs(template: Template, scope: TemplateScope, note: NoteProblem): readonly Output[] {
  return Object.entries(template.outputs).flatMap(([logicalId, output]) => {
    const at = `Outputs.${logicalId}`;
    if (!isObject(output) || output['Value'] === undefined) {
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
    const name = isObject(exporting) ? evaluate(exporting['Name'], `${at}.Export.Name`, scope, note) : undefined;
    if (typeof name === 'string') return [{ ...read, exportName: name }];
    if (name !== PENDING) note(`${at}: Export.Name must be a string`);
    return [read];
  });
}

/** Whether the condition of `owner` is true. Without a condition it is. */
function conditionHolds(
  condition: string | undefined,
  owner: string,
  scope: TemplateScope,
  note: NoteProblem,
): ConditionValue {
  if (condition === undefined) return true;
  return scope.condition(condition, rule => {
    note(`${owner}: Condition ${rule}`);
    return PENDING;
  });
}
