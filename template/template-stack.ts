import { isObject, type JsonObject, listOfOneOrMore } from '../policy/json-members';
import { scalarText, shown } from './values';

export interface TemplateStack {
  readonly stackName: string;
  /** The construct path of the stack, or of the stack that it is nested in. @default - unknown */
  readonly stackPath?: string | undefined;
  /** Parsed from JSON. */
  readonly template: unknown;
  readonly templatePath: string;
  /** @default - only known at deployment */
  readonly account?: string | undefined;
  /** @default - only known at deployment */
  readonly region?: string | undefined;
  /**
   * The name of the place where it is deployed, if its twin stacks are elsewhere. @default - the same place as all
   * others
   */
  readonly place?: string | undefined;
  /** Values of the template's parameters. The others are only known at deployment, even if they have defaults. */
  readonly parameters?: JsonObject;
  /** Construct paths by logical id, for resources that do not state them. */
  readonly constructPaths?: ReadonlyMap<string, string>;
  /** Reads the template of a nested stack. Returns undefined if it cannot be read. */
  readonly nested?: (nested: NestedTemplate) => ReadTemplate | undefined;
}

/** A stack within a stack. */
export interface NestedTemplate {
  readonly logicalId: string;
  /**
   * The URL from which CloudFormation reads it, as far as it is known. The last part is the object's name in its
   * bucket.
   */
  readonly templateUrl: string | undefined;
  /** Where CDK wrote it, next to the template of the outer stack. */
  readonly assetPath: string | undefined;
}

export type ReadTemplate = Pick<TemplateStack, 'template' | 'templatePath' | 'constructPaths' | 'nested'>;

/** A resource as its template declares it, before evaluation. */
export interface DeclaredResource {
  readonly logicalId: string;
  readonly type: string;
  /** The properties as written in the template. Read one with `propertyOf`. */
  readonly properties: JsonObject;
  readonly dependsOn: readonly string[];
  /** @default - the resource is always created */
  readonly condition?: string | undefined;
  readonly metadata: JsonObject;
}

export interface TemplateParts {
  readonly parameters: JsonObject;
  readonly mappings: JsonObject;
  readonly conditions: JsonObject;
  readonly outputs: JsonObject;
  readonly resources: ReadonlyMap<string, DeclaredResource>;
  /** Macros that change the template at deployment. */
  readonly transforms: readonly string[];
}

function section(value: unknown, name: string): JsonObject {
  const found = isObject(value) ? value[name] : undefined;
  return isObject(found) ? found : {};
}

const MACRO = 'Fn::Transform';

/** A macro in a resource can change all its properties; a macro in a property can change that property. */
function propertiesOf(resource: JsonObject): JsonObject {
  const properties = section(resource, 'Properties');
  return Object.hasOwn(resource, MACRO) ? { ...properties, [MACRO]: resource[MACRO] } : properties;
}

/** Whether a macro creates its properties at deployment. */
export function isTransformed({ properties }: DeclaredResource): boolean {
  return Object.hasOwn(properties, MACRO);
}

/** A property as written, or the macro that may create it. */
export function propertyOf(declared: DeclaredResource, name: string): unknown {
  const { properties } = declared;
  if (isTransformed(declared)) return { [MACRO]: properties[MACRO] };
  return Object.hasOwn(properties, name) ? properties[name] : undefined;
}

function texts(value: unknown): string[] {
  return listOfOneOrMore(value).filter(it => typeof it === 'string');
}

/** The name of a macro in the `Transform` section, with or without parameters. */
function macroName(transform: unknown): string {
  const name = isObject(transform) ? transform['Name'] : transform;
  return scalarText(name) ?? shown(name);
}

/** Macros in the `Transform` section, and those in place of sections or resources. */
function macrosIn(template: unknown): string[] {
  const transform = isObject(template) ? template['Transform'] : undefined;
  const declared = listOfOneOrMore(transform);
  const inPlace = [...Object.keys(isObject(template) ? template : {}), ...Object.keys(section(template, 'Resources'))];
  return [
    ...declared.filter(it => it !== undefined).map(macroName),
    ...inPlace.filter(name => name.startsWith('Fn::')),
  ];
}

/** Splits a template into its parts. Something that is not a template has no resources. */
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
