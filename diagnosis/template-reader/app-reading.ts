import { isKnown, type MaybeKnown } from '../../template/maybe-known';
import type { PropertyValue } from '../../template/property-values';
import { type OtherStacks, StackReading } from '../../template/stack-reading';
import { type DeclaredResource, isTransformed, propertyOf, type TemplateStack } from '../../template/template-stack';
import { PENDING, scalarText } from '../../template/values';
import type { Resource, TemplatePlace } from '../inventory/inventory';

/** Macros that change nothing that is read here. */
const HARMLESS_TRANSFORM = /^AWS::(CodeDeployBlueGreen|SecretsManager-.*)$/;

const SAM = 'AWS::Serverless-2016-10-31';

/** The templates of an app, read together. */
export class AppReading implements OtherStacks {
  private readonly readings: readonly StackReading[];
  private readonly trees: readonly (readonly StackReading[])[];
  private readonly all: readonly ResourceReading[];
  private readonly linked = new Map<StackReading, Set<StackReading>>();
  private exportIndex: ReadonlyMap<string, readonly Export[]> | undefined;
  /** The resources of each stack, with those of stacks that nest in it. */
  readonly byStack: readonly (readonly ResourceReading[])[];
  /** What could not be read and may hold anything, each a sentence. */
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

  /** The resources of a type that are made, or may be. */
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
   * By place and name. While the names themselves are looked up there are none, for none is made of another; what nests may
   * be given what the others export.
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

  /** Which stacks, by their index, are known to have imported from which. */
  links(): (readonly [importing: number, exporting: number])[] {
    const treeOf = new Map(this.trees.flatMap((tree, index) => tree.map(it => [it, index] as const)));
    return [...this.linked].flatMap(([importing, exporting]) =>
      [...exporting].flatMap(it => {
        const [from, to] = [treeOf.get(importing), treeOf.get(it)];
        return from === undefined || to === undefined ? [] : [[from, to] as const];
      }),
    );
  }

  /** Where each stack is deployed. */
  get environments(): readonly StackReading['environment'][] {
    return this.readings.map(({ environment }) => environment);
  }
}

/** An output that is exported, and its stack. */
interface Export {
  readonly reading: StackReading;
  readonly output: string;
}

/** Names are those of an account and a Region. */
function exportKey({ environment }: StackReading, name: string): string {
  return `${environment.account}/${environment.region}/${name}`;
}

function exportsOf(reading: StackReading): (readonly [string, Export])[] {
  return Object.keys(reading.parts.outputs).flatMap(output => {
    const name = reading.exportName(output);
    return typeof name === 'string' ? [[exportKey(reading, name), { reading, output }] as const] : [];
  });
}

/** Of a name that several stacks export, which one is meant is not known. */
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
  const [stacks, are] = count === 1 ? ['A stack that nests', 'is'] : [`${count} stacks that nest`, 'are'];
  return [`${stacks} in ${reading.name} ${are} not read: the assembly has no template in JSON.`];
}

function macrosOf({ parts }: StackReading): readonly string[] {
  return parts.transforms.filter(it => !HARMLESS_TRANSFORM.test(it));
}

function macroText(macros: readonly string[]): string {
  const [first] = macros;
  if (first === SAM) return 'CloudFormation makes its resources by SAM’s transform when it is deployed';
  return `CloudFormation changes it by ${macros.join(' and ')} when it is deployed`;
}

function resourcesOf(reading: StackReading): ResourceReading[] {
  return [...reading.parts.resources.values()].flatMap(declared => {
    const verdict = reading.isMade(declared.condition);
    return verdict === false ? [] : [new ResourceReading(reading, declared, reading.isCertain && verdict === true)];
  });
}

/** What CDK calls the resource in which a construct is deployed. */
const OWN_RESOURCE = /\/(Resource|Default)$/;

/** How aws-cdk-lib writes a URL that is a construct's id, and what in it is often secret: user, password and parameters. */
const URL_SECRETS = /(https?:-{4})(?:[^/@]*@)?([^/?#]*)(?:[?#][^/]*)?/gi;

/** A resource of a template, read as far as can be before it is deployed. */
export class ResourceReading {
  private readonly read = new Map<string, PropertyValue>();

  /** @param isCertain whether it is surely made: its condition, where it has one, may not be known */
  constructor(
    readonly stack: StackReading,
    private readonly declared: DeclaredResource,
    readonly isCertain: boolean,
  ) {}

  get type(): string {
    return this.declared.type;
  }

  /** A property. */
  given(name: string): PropertyValue {
    const known = this.read.get(name);
    if (known) return known;
    const given = this.stack.given(propertyOf(this.declared, name), name);
    this.read.set(name, given);
    return given;
  }

  /** The names of the properties it is given; none where a macro gives them. */
  get properties(): readonly string[] {
    return isTransformed(this.declared) ? [] : Object.keys(this.declared.properties);
  }

  /** All properties at once. */
  get all(): PropertyValue {
    return this.stack.given(this.declared.properties, 'Properties');
  }

  /** Evaluates all it has, whatever of that somebody asks for. */
  evaluateAll(): void {
    for (const name of this.properties) this.given(name);
  }

  /** What `Ref` answers. */
  get ref(): MaybeKnown<string> {
    return this.stack.given({ Ref: this.declared.logicalId }, 'Ref').text('');
  }

  attribute(name: string): MaybeKnown<string> {
    return this.stack.given({ 'Fn::GetAtt': [this.declared.logicalId, name] }, name).text('');
  }

  /**
   * What checks know it by.
   * @param arn what its ARN will be
   * @param part what of it, where it is more than one thing
   */
  as(arn: MaybeKnown<string>, part = ''): Resource {
    const { place } = this;
    const path = place.constructPath?.replace(OWN_RESOURCE, '') ?? place.logicalId;
    const unknown = `<${place.stack}.${place.logicalId}>`;
    const name = `${path.replace(URL_SECRETS, '$1$2')}${part}`;
    return { arn: isKnown(arn) ? arn : unknown, name, place };
  }

  /** Where it stands. */
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
