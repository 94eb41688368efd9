import { isDeepStrictEqual } from 'node:util';
import type { UnknownDecision } from '../../kernel/access';
import type { JsonObject } from '../../kernel/json';
import type { Place } from '../../kernel/place';
import type { Random } from '../../kernel/random';
import type { PropertyReader } from '../property-reader';
import { schemaOf } from '../resource-schemas';
import type { CreateContext, ResourceType } from '../resource-type';
import { neededProperty } from './shapes';
import { StandInValues } from './stand-in-values';

/** A resource, or a part of one, that the embedded AWS does not simulate, or what followed from it. */
export interface StandIn {
  /** The name of the stack. Empty for a value, for context, and for the decision about a role that belongs to no stack. */
  readonly stack: string;
  /** Empty where `stack` is. */
  readonly logicalId: string;
  /** For example `AWS::S3::Bucket`. */
  readonly type: string;
  /** The path of its construct, where the assembly has it. */
  readonly path?: string;
  /**
   * `resource`: a stand-in takes the place of the whole resource. It has the values of `Ref` and `Fn::GetAtt`, and does nothing.
   * `property`: the resource is simulated as if it did not have the property. `attribute`: the value of `Fn::GetAtt` is made up.
   * `value`: the template refers to a parameter or a secret that does not exist here, so its value is made up. `context`: the app
   * was synthesized with a value that CDK made up. `decision`: a call was allowed, although a managed policy decides about it whose
   * document is unknown.
   */
  readonly what: 'resource' | 'property' | 'attribute' | 'value' | 'context' | 'decision';
  /** The property or attribute, for example `VpcConfig`. Also the property because of which a whole resource is not simulated. */
  readonly member?: string;
  /** Set for a `decision`. The first such call is also an event `iam.decision-unknown` in the trace. */
  readonly decision?: UnknownDecision;
  /** Says what is not simulated, for people. */
  readonly reason: string;
}

/**
 * What the embedded AWS does with what it does not simulate: `warn` deploys a stand-in and lists it, `refuse` fails the
 * deployment by name. By resource type it is an object, in which `*` means all other types:
 * `{ '*': 'warn', 'AWS::DynamoDB::Table': 'refuse' }`.
 */
export type StandIns = StandInRule | Readonly<Record<string, StandInRule>>;

export type StandInRule = 'warn' | 'refuse';

/** What a scenario answers in place of the provider of a custom resource. */
export interface CustomResourceAnswer {
  /** The value of `Ref`. @default - a physical name */
  readonly PhysicalResourceId?: string;
  /** The values of `Fn::GetAtt`. @default - none */
  readonly Data?: Readonly<Record<string, string>>;
}

/** By resource type, for example `Custom::AWS`. */
export type CustomResourceAnswers = Readonly<Record<string, CustomResourceAnswer>>;

export type AllowsStandIns = (type: string) => boolean;

export const NO_STAND_INS: AllowsStandIns = () => false;

export function allowsStandIns(given: StandIns): AllowsStandIns {
  const rules: Readonly<Record<string, StandInRule>> = typeof given === 'string' ? { '*': given } : given;
  return type => (Object.hasOwn(rules, type) ? rules[type] : (rules['*'] ?? 'refuse')) === 'warn';
}

/** Properties of simulated types that decide whether messages are lost. Without them, a simulation would be wrong. */
const DECISIVE: Readonly<Record<string, readonly string[]>> = {
  'AWS::SNS::Topic': ['DataProtectionPolicy', 'MaximumMessageSize'],
};

export const decisiveProperties = (type: string): readonly string[] | undefined =>
  Object.hasOwn(DECISIVE, type) ? DECISIVE[type] : undefined;

/** Types whose attributes depend on the resource. */
const OF_ANY_ATTRIBUTE: ReadonlySet<string> = new Set([
  'AWS::CloudFormation::CustomResource',
  'AWS::CloudFormation::Stack',
]);

/** Whether an app may be deployed that was synthesized with context that CDK made up. */
export const allowsMissingContext = (given: StandIns): boolean => allowsStandIns(given)(CONTEXT_TYPE);

/** Stands for context that CDK made up, in the rules of `StandIns`. */
const CONTEXT_TYPE = 'AWS::CDK::Context';

/** A third party's type, or a private one: the registry's public schemas do not have it. */
const OF_OTHERS = /^(?!AWS::|Amazon::|Custom::)\w+::\w+::\w+(?:::MODULE)?$/;

/** Whether a stand-in can take the place of a resource of this type. AWS refuses a type that does not exist. */
export function isKnownType(type: string): boolean {
  return schemaOf(type) !== undefined || OF_OTHERS.test(type);
}

/** Whether the rules of `StandIns` may name this type. */
export const isRuledType = (type: string): boolean => type === CONTEXT_TYPE || isKnownType(type);

interface StandInDependencies {
  readonly place: Place;
  readonly random: Random;
  readonly nowMs: () => number;
}

/**
 * Takes the place of a resource: it has the values of `Ref` and `Fn::GetAtt`, and does nothing. It checks what the registry's
 * schema requires.
 */
export function standInType(type: string, { place, random, nowMs }: StandInDependencies): ResourceType {
  const valuesOf = (properties: JsonObject, { physicalName }: CreateContext): StandInValues => {
    // A replacement has another physical name, and so other ids.
    const own = random.stream(`stand-in/${physicalName()}`);
    const schema = schemaOf(type);
    return new StandInValues({ type, schema, properties, place, random: own, physicalName, nowMs: nowMs() });
  };
  return {
    type,
    create: (reader, context) => {
      const properties = checkedProperties(type, reader);
      const values = valuesOf(properties, context);
      const ref = values.ref();
      const attributes: Record<string, string> = {};
      const lists: Record<string, readonly string[]> = {};
      for (const [name, kind] of schemaOf(type)?.attributes ?? []) {
        const needed = neededProperty(type, name);
        if (kind === 'object' || (needed !== undefined && properties[needed] === undefined)) continue;
        const value = values.attribute(name);
        if (typeof value === 'string') attributes[name] = value;
        else lists[name] = value;
      }
      return { ref, attributes, lists };
    },
    update: (reader, context, { ref, attributes: before, lists, properties: old }) => {
      const properties = checkedProperties(type, reader);
      const attributes = { ...before };
      for (const name of schemaOf(type)?.attributes.keys() ?? []) {
        const needed = neededProperty(type, name);
        if (needed === undefined || isDeepStrictEqual(properties[needed], old.everything()[needed])) continue;
        delete attributes[name];
        const value = properties[needed] === undefined ? undefined : valuesOf(properties, context).attribute(name);
        if (typeof value === 'string') attributes[name] = value;
      }
      return { ref, attributes, ...(lists ? { lists } : {}) };
    },
    delete: () => {},
  };
}

function checkedProperties(type: string, reader: PropertyReader): JsonObject {
  const schema = schemaOf(type);
  const properties = reader.everything();
  for (const name of schema?.required ?? []) {
    if (properties[name] === undefined) reader.problem(name, 'is required');
  }
  for (const name of schema ? Object.keys(properties).filter(it => !schema.properties.has(it)) : []) {
    reader.notSimulated(name, `is no property of ${type} in the schemas of this version`, properties[name]);
  }
  return properties;
}

/**
 * Makes up one attribute of a resource that does not have it here; undefined if its type does not have it.
 *
 * @param isStandIn whether the resource is a stand-in. Those of custom resources and nested stacks have any attribute
 */
export function madeUpAttribute(
  type: string,
  name: string,
  isStandIn: boolean,
  {
    place,
    random,
    nowMs,
    physicalName,
  }: StandInDependencies & { readonly physicalName: (maxLength: number) => string },
): string | readonly string[] | undefined {
  const schema = schemaOf(type);
  const kind = schema?.attributes.get(name);
  if (isStandIn && neededProperty(type, name) !== undefined) return undefined;
  const isCustom = isStandIn && (!schema || OF_ANY_ATTRIBUTE.has(type));
  if (!isCustom && (kind === undefined || kind === 'object')) return undefined;
  return new StandInValues({ type, schema, properties: {}, place, random, physicalName, nowMs: nowMs() }).attribute(
    name,
  );
}
