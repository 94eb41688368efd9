import type { JsonObject } from '../../policy/json-members';
import { isKnown, type MaybeKnown } from '../../template/maybe-known';
import type { PropertyValue } from '../../template/property-values';
import { type OtherStacks, StackReading } from '../../template/stack-reading';
import { type DeclaredResource, isTransformed, propertyOf, type TemplateStack } from '../../template/template-stack';
import { PENDING, scalarText } from '../../template/values';
import type { Resource, TemplatePlace } from '../inventory/inventory';

/** Macros that change nothing that is read here. */
const HARMLESS_TRANSFORM = /^AWS::(CodeDeployBlueGreen|SecretsManager-.*)$/;

const SAM = 'AWS::Serverless-2016-10-31';

export class AppReading implements OtherStacks {
  private readonly readings: readonly StackReading[];
  private readonly trees: readonly (readonly StackReading[])[];
  private readonly all: readonly ResourceReading[];
  private readonly linked = new Map<StackReading, Set<StackReading>>();
  private exportIndex: ReadonlyMap<string, readonly Export[]> | undefined;
  readonly byStack: readonly (readonly ResourceReading[])[];
  /** What could not be read, a sentence each. Any resource may be missing. */
  readonly unread: readonly string[];

  constructor(stacks: readonly TemplateStack[]) {
    this.readings = stacks.map(stack => new StackReading(stack, this));
    this.trees = this.readings.map(withNested);
    const every = this.trees.flat();
    const isReadable = (reading: StackReading) => macrosOf(reading).length === 0;
    this.unread = [
      ...every.flatMap(unreadableNested),
      ...every.filter(it => !isReadable(it)).map(it => `${it.name} is not read: ${macroText(macrosOf(it))}.`),
    ];
    this.byStack = this.trees.map(tree => tree.filter(isReadable).flatMap(resourcesOf));
    this.all = this.byStack.flat();
  }

  /** All resources that are created, or may be. */
  get everyResource(): readonly ResourceReading[] {
    return this.all;
  }

  resources(...types: readonly string[]): readonly ResourceReading[] {
    return this.all.filter(({ type }) => types.includes(type));
  }

  exported(name: string, by: StackReading): unknown {
    const [found, ...others] = this.exports().get(exportKey(by, name)) ?? [];
    if (found === undefined || others.length > 0) return PENDING;
    this.link(by, found.reading);
    return found.reading.outputValue(found.output) ?? PENDING;
  }

  output(stackName: string, logicalId: string, region: string, by: StackReading): unknown {
    const named = this.readings.find(it => it.name === stackName && it.environment.region === region);
    if (named && region === by.environment.region) this.link(by, named);
    return named?.outputValue(logicalId) ?? PENDING;
  }

  /**
   * By place and name. While the names themselves are evaluated there are no exports, because no name is made from
   * another. A nested stack may be given exports of others.
   */
  private exports(): ReadonlyMap<string, readonly Export[]> {
    if (this.exportIndex) return this.exportIndex;
    this.exportIndex = new Map();
    this.exportIndex = byKey(this.readings.flatMap(exportsOf));
    this.exportIndex = byKey(this.readings.flatMap(withNested).flatMap(exportsOf));
    return this.exportIndex;
  }

  private link(importing: StackReading, exporting: StackReading): void {
    this.linked.set(importing, (this.linked.get(importing) ?? new Set()).add(exporting));
  }

  links(): (readonly [importing: number, exporting: number])[] {
    const treeOf = new Map(this.trees.flatMap((tree, index) => tree.map(it => [it, index] as const)));
    return [...this.linked].flatMap(([importing, exporting]) =>
      [...exporting].flatMap(it => {
        const [from, to] = [treeOf.get(importing), treeOf.get(it)];
        return from === undefined || to === undefined ? [] : [[from, to] as const];
      }),
    );
  }

  get environments(): readonly StackReading['environment'][] {
    return this.readings.map(({ environment }) => environment);
  }
}

interface Export {
  readonly reading: StackReading;
  readonly output: string;
}

/** Export names are unique within an account and Region. */
function exportKey({ environment }: StackReading, name: string): string {
  return `${environment.account}/${environment.region}/${name}`;
}

function exportsOf(reading: StackReading): (readonly [string, Export])[] {
  return Object.keys(reading.parts.outputs).flatMap(output => {
    const name = reading.exportName(output);
    return typeof name === 'string' ? [[exportKey(reading, name), { reading, output }] as const] : [];
  });
}

/** If several stacks export the same name, it is unknown which one is meant. */
function byKey(exports: readonly (readonly [string, Export])[]): ReadonlyMap<string, readonly Export[]> {
  const index = new Map<string, Export[]>();
  for (const [key, it] of exports) index.set(key, [...(index.get(key) ?? []), it]);
  return index;
}

function withNested(reading: StackReading): StackReading[] {
  return [reading, ...reading.nestedStacks().flatMap(it => (it ? withNested(it) : []))];
}

function unreadableNested(reading: StackReading): string[] {
  const count = reading.nestedStacks().filter(it => it === undefined).length;
  if (count === 0) return [];
  const [stacks, are] = count === 1 ? ['A nested stack', 'is'] : [`${count} nested stacks`, 'are'];
  return [`${stacks} in ${reading.name} ${are} not read: the assembly has no template in JSON.`];
}

function macrosOf({ parts }: StackReading): readonly string[] {
  return parts.transforms.filter(it => !HARMLESS_TRANSFORM.test(it));
}

function macroText(macros: readonly string[]): string {
  const [first] = macros;
  if (first === SAM) return 'CloudFormation creates its resources at deployment, by the SAM transform';
  return `CloudFormation changes it at deployment, by ${macros.join(' and ')}`;
}

function resourcesOf(reading: StackReading): ResourceReading[] {
  return [...reading.parts.resources.values()].flatMap(declared => {
    const verdict = reading.isMade(declared.condition);
    return verdict === false ? [] : [new ResourceReading(reading, declared, reading.isCertain && verdict === true)];
  });
}

/** CDK's id of the resource inside a construct. */
const OWN_RESOURCE = /\/(Resource|Default)$/;

/**
 * A URL used as a construct's id, as aws-cdk-lib writes it. The user, the password and the parameters are often secret.
 */
const URL_SECRETS = /(https?:-{4})(?:[^/@]*@)?([^/?#]*)(?:[?#][^/]*)?/gi;

/** A resource of a template, evaluated as far as possible before deployment. */
export class ResourceReading {
  private readonly read = new Map<string, PropertyValue>();

  /** @param isCertain whether it is certainly created: its condition, if it has one, may be unknown */
  constructor(
    readonly stack: StackReading,
    private readonly declared: DeclaredResource,
    readonly isCertain: boolean,
  ) {}

  get type(): string {
    return this.declared.type;
  }

  given(name: string): PropertyValue {
    const known = this.read.get(name);
    if (known) return known;
    const given = this.stack.given(propertyOf(this.declared, name), name);
    this.read.set(name, given);
    return given;
  }

  get metadata(): JsonObject {
    return this.declared.metadata;
  }

  /** The names of its properties; empty if a macro creates them. */
  get properties(): readonly string[] {
    return isTransformed(this.declared) ? [] : Object.keys(this.declared.properties);
  }

  get all(): PropertyValue {
    return this.stack.given(this.declared.properties, 'Properties');
  }

  /** Evaluates everything it has, whether or not it is needed, to find problems. */
  evaluateAll(): void {
    for (const name of this.properties) this.given(name);
  }

  /** The result of `Ref`. */
  get ref(): MaybeKnown<string> {
    return this.stack.given({ Ref: this.declared.logicalId }, 'Ref').text('');
  }

  attribute(name: string): MaybeKnown<string> {
    return this.stack.given({ 'Fn::GetAtt': [this.declared.logicalId, name] }, name).text('');
  }

  /**
   * Its identity for the checks.
   * @param arn its future ARN
   * @param part which part of it, if it defines several things
   */
  as(arn: MaybeKnown<string>, part = ''): Resource {
    const { place } = this;
    const path = place.constructPath?.replace(OWN_RESOURCE, '') ?? place.logicalId;
    const unknown = `<${place.stack}.${place.logicalId}>`;
    const name = `${path.replace(URL_SECRETS, '$1$2')}${part}`;
    return { arn: isKnown(arn) ? arn : unknown, name, place };
  }

  get place(): TemplatePlace {
    const { logicalId, metadata } = this.declared;
    const { stack } = this.stack;
    const constructPath = scalarText(metadata['aws:cdk:path']) ?? stack.constructPaths?.get(logicalId);
    return {
      stack: stack.stackName,
      logicalId,
      templatePath: stack.templatePath,
      ...(constructPath !== undefined && { constructPath }),
      waitsFor: this.stack.waitsFor.get(logicalId) ?? [],
    };
  }
}
