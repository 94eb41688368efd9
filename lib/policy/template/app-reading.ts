import { ResourceReading } from './resource-reading';
import { type OtherStacks, StackReading } from './stack-reading';
import type { TemplateStack } from './template-stack';
import { PENDING } from './values';

/** Macros that change nothing that is read here. */
const HARMLESS_TRANSFORM = /^AWS::(CodeDeployBlueGreen|SecretsManager-.*)$/;

const SAM = 'AWS::Serverless-2016-10-31';

/** The templates of an app, read together. */
export class AppReading implements OtherStacks {
  private readonly readings: readonly StackReading[];
  private readonly all: readonly ResourceReading[];
  private exportIndex: ReadonlyMap<string, Export> | undefined;
  /** What could not be read and may hold anything, each a sentence. */
  readonly unread: readonly string[];

  constructor(stacks: readonly TemplateStack[]) {
    this.readings = stacks.map(stack => new StackReading(stack, this));
    const every = this.readings.flatMap(withNested);
    const isReadable = (reading: StackReading) => macrosOf(reading).length === 0;
    this.unread = [
      ...every.flatMap(unreadableNested),
      ...every.filter(it => !isReadable(it)).map(it => `${it.name} is not read: ${macroText(macrosOf(it))}.`),
    ];
    this.all = every.filter(isReadable).flatMap(resourcesOf);
  }

  /** The resources of a type that are made, or may be. */
  resources(...types: readonly string[]): readonly ResourceReading[] {
    return this.all.filter(({ type }) => types.includes(type));
  }

  exported(name: string, by: StackReading): unknown {
    const found = this.exports().get(exportKey(by, name));
    return found?.reading.outputValue(found.output) ?? PENDING;
  }

  output(stackName: string, logicalId: string, region: string): unknown {
    const named = this.readings.find(it => it.name === stackName && it.environment.region === region);
    return named?.outputValue(logicalId) ?? PENDING;
  }

  /**
   * By place and name. While the names themselves are looked up there are none, for none is made of another; what nests may
   * be given what the others export.
   */
  private exports(): ReadonlyMap<string, Export> {
    if (this.exportIndex) return this.exportIndex;
    this.exportIndex = new Map();
    this.exportIndex = new Map(this.readings.flatMap(exportsOf));
    this.exportIndex = new Map(this.readings.flatMap(withNested).flatMap(exportsOf));
    return this.exportIndex;
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
