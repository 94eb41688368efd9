import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Stack } from 'aws-cdk-lib';
import { ROOT } from '../../repository/source-files';

/** A type as the jsii assembly writes it. */
interface TypeReference {
  readonly primitive?: string;
  readonly fqn?: string;
  readonly collection?: { readonly kind: 'array' | 'map'; readonly elementtype: TypeReference };
}

interface Member {
  readonly name: string;
  readonly type: TypeReference;
  readonly optional?: boolean;
}

interface Callable {
  readonly name?: string;
  readonly parameters?: readonly Member[];
  readonly static?: boolean;
  readonly protected?: boolean;
  /** The type whose method it overrides. */
  readonly overrides?: string;
}

interface JsiiType {
  readonly fqn: string;
  readonly name: string;
  readonly kind: 'class' | 'interface' | 'enum';
  readonly datatype?: boolean;
  readonly interfaces?: readonly string[];
  readonly properties?: readonly Member[];
  readonly methods?: readonly Callable[];
  readonly initializer?: Callable;
}

const ASSEMBLY: { readonly types: Readonly<Record<string, JsiiType>> } = JSON.parse(
  readFileSync(path.join(ROOT, '.jsii'), 'utf8'),
);

/** The structs that we declare. */
export const STRUCTS_FROM_US = Object.values(ASSEMBLY.types).filter(({ datatype }) => datatype === true);

const structOf = ({ fqn = '' }: TypeReference) => STRUCTS_FROM_US.find(it => it.fqn === fqn);

/** The members of a struct, with those of our structs that it extends. */
function membersOf({ properties = [], interfaces = [] }: JsiiType): readonly Member[] {
  return [...properties, ...interfaces.flatMap(fqn => membersOf(structOf({ fqn }) ?? { ...NONE, fqn }))];
}

const NONE: JsiiType = { fqn: '', name: '', kind: 'interface' };

/** Makes a value of a type; `name` is the parameter or property. */
export type Samples = (stack: Stack, type: string, name: string) => unknown;

/** A parameter with a value that it accepts. */
interface Parameter {
  readonly member: Member;
  readonly valid: unknown;
}

interface Prepared {
  readonly call: (values: readonly unknown[]) => unknown;
  readonly parameters: readonly Parameter[];
}

/** A constructor or method that we declare. */
interface PublicCall {
  readonly name: string;
  readonly callable: Callable;
  readonly prepare: (stack: Stack, samples: Samples) => Prepared;
}

/** Whether aws-cdk-lib declares a method, here or in what it overrides. */
function isInherited({ name, overrides }: Callable): boolean {
  if (overrides === undefined) return false;
  const overridden = ASSEMBLY.types[overrides];
  return overridden === undefined || isInherited(overridden.methods?.find(it => it.name === name) ?? { name: '' });
}

function validValue(stack: Stack, samples: Samples, { name, type }: Member): unknown {
  const { primitive, fqn, collection } = type;
  if (collection) return collection.kind === 'array' ? [] : {};
  const struct = structOf(type);
  if (!struct) return samples(stack, fqn ?? primitive ?? '', name);
  const required = membersOf(struct).filter(it => !it.optional);
  const needed = Object.fromEntries(required.map(it => [it.name, validValue(stack, samples, it)]));
  return { ...needed, ...Object(samples(stack, struct.fqn, name)) };
}

type Function = (...values: unknown[]) => unknown;

function prepared({ parameters = [] }: Callable, toFunction: (stack: Stack, samples: Samples) => Function) {
  return (stack: Stack, samples: Samples): Prepared => {
    const act = toFunction(stack, samples);
    return {
      call: values => act(...values),
      parameters: parameters.map(member => ({ member, valid: validValue(stack, samples, member) })),
    };
  };
}

function functionOf(holder: unknown, name: string): Function {
  const found: unknown = Reflect.get(Object(holder), name);
  if (typeof found !== 'function') throw new Error(`${name} is no function`);
  return (...values) => Reflect.apply(found, holder, values);
}

/** Every constructor and method with parameters that we declare. */
export function callsOf(library: object): readonly PublicCall[] {
  return Object.values(ASSEMBLY.types).flatMap(({ kind, name, fqn, initializer, methods = [] }): PublicCall[] => {
    if (kind !== 'class') return [];
    const type: unknown = Reflect.get(library, name);
    if (typeof type !== 'function') throw new Error(`${name} is not exported`);
    const construct: PublicCall[] = initializer?.parameters
      ? [
          {
            name: `new ${name}`,
            callable: initializer,
            prepare: prepared(
              initializer,
              () =>
                (...values) =>
                  Reflect.construct(type, values),
            ),
          },
        ]
      : [];
    const own = methods.filter(it => it.parameters && !it.protected && !isInherited(it));
    return [
      ...construct,
      ...own.map(method => ({
        name: `${name}.${method.name}`,
        callable: method,
        prepare: prepared(method, (stack, samples) =>
          functionOf(method.static ? type : samples(stack, fqn, 'receiver'), method.name ?? ''),
        ),
      })),
    ];
  });
}

/** Our structs that no parameter takes, by name. */
export function unreachedStructs(calls: readonly PublicCall[]): readonly string[] {
  const reached = new Set<string>();
  const reach = (type: TypeReference): void => {
    if (type.collection) reach(type.collection.elementtype);
    const struct = structOf(type);
    if (!struct || reached.has(struct.fqn)) return;
    const parents = (it: JsiiType): JsiiType[] =>
      (it.interfaces ?? []).flatMap(fqn => {
        const parent = structOf({ fqn });
        return parent ? [parent, ...parents(parent)] : [];
      });
    for (const it of [struct, ...parents(struct)]) reached.add(it.fqn);
    for (const member of membersOf(struct)) reach(member.type);
  };
  for (const { callable } of calls) for (const { type } of callable.parameters ?? []) reach(type);
  return STRUCTS_FROM_US.filter(({ fqn }) => !reached.has(fqn)).map(({ name }) => name);
}

/** One call with one wrong value. */
export interface WrongCall {
  readonly what: string;
  /** The property that the error must name. */
  readonly property: string;
  readonly call: () => unknown;
}

const WRONG = [null, '', {}, [], 42, 'x', true] as const;

/** Whether a value has the shape of a type. The members of a struct are wrong one by one. */
function fits({ primitive, fqn = '', collection }: TypeReference, value: unknown): boolean {
  if (collection) return collection.kind === 'array' ? Array.isArray(value) : isPlain(value);
  if (primitive === 'string') return value === 'x';
  if (primitive !== undefined) return typeof value === primitive;
  return isPlain(value) && (PLAIN_IN_CDK.has(fqn) || structOf({ fqn }) !== undefined);
}

/** Structs of aws-cdk-lib, which checks their members. */
const PLAIN_IN_CDK = new Set([
  'aws-cdk-lib.aws_cloudwatch.MathExpressionOptions',
  'aws-cdk-lib.aws_cloudwatch.MetricOptions',
  'aws-cdk-lib.aws_ec2.SubnetSelection',
  'aws-cdk-lib.aws_lambda_event_sources.SqsEventSourceProps',
  'aws-cdk-lib.aws_sns.DeliveryPolicy',
  'aws-cdk-lib.aws_sns.HealthyRetryPolicy',
]);

const isPlain = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A wrong value of a member, and the property that the error must name. */
interface Wrong {
  readonly property: string;
  readonly value: unknown;
}

function* wrongValues({ type, optional }: Member, valid: unknown, property: string): Generator<Wrong> {
  if (!optional) yield { property, value: undefined };
  for (const value of WRONG) if (!fits(type, value)) yield { property, value };
  const { collection } = type;
  if (collection?.kind === 'array') {
    for (const it of elements(collection.elementtype)) yield { property: `${property}[0]`, value: [it] };
  }
  if (collection?.kind === 'map') {
    for (const it of elements(collection.elementtype)) yield { property: `${property}.key`, value: { key: it } };
  }
  const struct = structOf(type);
  if (!struct) return;
  const others = isPlain(valid) ? valid : {};
  for (const member of membersOf(struct)) {
    const prefix = property === 'props' ? '' : `${property}.`;
    for (const wrong of wrongValues(member, Reflect.get(others, member.name), `${prefix}${member.name}`)) {
      yield { property: wrong.property, value: { ...others, [member.name]: wrong.value } };
    }
  }
}

/** An empty string may be a header's value. */
function elements(type: TypeReference): readonly unknown[] {
  const isText = type.primitive === 'string';
  return [undefined, ...WRONG].filter(value => !(fits(type, value) || (isText && value === '')));
}

/** Every call with one wrong value, and valid ones otherwise. */
export function* wrongCalls(call: Prepared['call'], parameters: readonly Parameter[]): Generator<WrongCall> {
  for (const [index, { member, valid }] of parameters.entries()) {
    for (const { property, value } of wrongValues(member, valid, member.name)) {
      const values = parameters.map((it, at) => (at === index ? value : it.valid));
      yield { what: `${property} = ${shown(value)}`, property, call: () => call(values) };
    }
  }
}

function shown(value: unknown): string {
  if (!isPlain(value)) return JSON.stringify(value) ?? 'undefined';
  return `{${Object.entries(value).map(([key, it]) => `${key}: ${isPlain(it) ? '…' : JSON.stringify(it)}`)}}`;
}
