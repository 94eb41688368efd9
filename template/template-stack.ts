import { isObject, type JsonObject } from '../policy/json-members';
import { scalarText, shown } from './values';

/** A template somebody deploys, and what is known of where to. */
export interface TemplateStack {
  readonly stackName: string;
  /** As JSON has it. */
  readonly template: unknown;
  readonly templatePath: string;
  /** @default - chosen when it is deployed */
  readonly account?: string | undefined;
  /** @default - chosen when it is deployed */
  readonly region?: string | undefined;
  /** What the place is called to which it is deployed, and not where its twins are. @default - where all others are */
  readonly place?: string | undefined;
  /** Values of the template's parameters; what is not here is chosen when it is deployed, defaults notwithstanding. */
  readonly parameters?: JsonObject;
  /** Paths of constructs by logical id, for resources that do not say it themselves. */
  readonly constructPaths?: ReadonlyMap<string, string>;
  /** The template of a stack that nests in this one. Undefined where it cannot be read. */
  readonly nested?: (nested: NestedTemplate) => ReadTemplate | undefined;
}

/** A stack within a stack. */
export interface NestedTemplate {
  readonly logicalId: string;
  /** Where CloudFormation gets it, as far as that is known: the object's name in a bucket is the last part. */
  readonly templateUrl: string | undefined;
  /** Where CDK put it, beside the template of the stack around it. */
  readonly assetPath: string | undefined;
}

/** A template that was found. */
export type ReadTemplate = Pick<TemplateStack, 'template' | 'templatePath' | 'constructPaths' | 'nested'>;

/** A resource as its template declares it; nothing of it is evaluated yet. */
export interface DeclaredResource {
  readonly logicalId: string;
  readonly type: string;
  /** As they are written; `propertyOf` reads one. */
  readonly properties: JsonObject;
  readonly dependsOn: readonly string[];
  /** @default - it is always made */
  readonly condition?: string | undefined;
  readonly metadata: JsonObject;
}

/** A template taken apart. */
export interface TemplateParts {
  readonly parameters: JsonObject;
  readonly mappings: JsonObject;
  readonly conditions: JsonObject;
  readonly outputs: JsonObject;
  readonly resources: ReadonlyMap<string, DeclaredResource>;
  /** Macros that change the template before it is deployed. */
  readonly transforms: readonly string[];
}

function section(value: unknown, name: string): JsonObject {
  const found = isObject(value) ? value[name] : undefined;
  return isObject(found) ? found : {};
}

const MACRO = 'Fn::Transform';

/** A macro in a resource may change all its properties, and one among them too. */
function propertiesOf(resource: JsonObject): JsonObject {
  const properties = section(resource, 'Properties');
  return Object.hasOwn(resource, MACRO) ? { ...properties, [MACRO]: resource[MACRO] } : properties;
}

/** Whether a macro makes its properties when it is deployed. */
export function isTransformed({ properties }: DeclaredResource): boolean {
  return Object.hasOwn(properties, MACRO);
}

/** A property as it is written, or the macro that may make it. */
export function propertyOf(declared: DeclaredResource, name: string): unknown {
  const { properties } = declared;
  if (isTransformed(declared)) return { [MACRO]: properties[MACRO] };
  return Object.hasOwn(properties, name) ? properties[name] : undefined;
}

function texts(value: unknown): string[] {
  return (Array.isArray(value) ? value : [value]).filter(it => typeof it === 'string');
}

/** A macro that is named in the section of them, by itself or with parameters. */
function macroName(transform: unknown): string {
  const name = isObject(transform) ? transform['Name'] : transform;
  return scalarText(name) ?? shown(name);
}

/** Macros in the section of them, and those that stand in place of sections or resources. */
function macrosIn(template: unknown): string[] {
  const transform = isObject(template) ? template['Transform'] : undefined;
  const declared: readonly unknown[] = Array.isArray(transform) ? transform : [transform];
  const inPlace = [...Object.keys(isObject(template) ? template : {}), ...Object.keys(section(template, 'Resources'))];
  return [
    ...declared.filter(it => it !== undefined).map(macroName),
    ...inPlace.filter(name => name.startsWith('Fn::')),
  ];
}

/** Takes a template apart. What is no template has no resources. */
export function partsOf(template: unknown): TemplateParts {
  const resources = Object.entries(section(template, 'Resources')).flatMap(([logicalId, resource]) => {
    if (!isObject(resource) || typeof resource['Type'] !== 'string') return [];
    const { Type: type, Condition: condition, DependsOn } = resource;
    const declared: DeclaredResource = {
      logicalId,
      type,
      properties: propertiesOf(resource),
      dependsOn: texts(DependsOn),
      condition: typeof condition === 'string' ? condition : undefined,
      metadata: section(resource, 'Metadata'),
    };
    return [[logicalId, declared] as const];
  });
  return {
    parameters: section(template, 'Parameters'),
    mappings: section(template, 'Mappings'),
    conditions: section(template, 'Conditions'),
    outputs: section(template, 'Outputs'),
    resources: new Map(resources),
    transforms: macrosIn(template),
  };
}
