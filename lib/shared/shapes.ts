import { Token } from 'aws-cdk-lib';
import { Construct, type IConstruct } from 'constructs';
import type { Problem } from '../../policy/problem';
import { pathOf, throwProblems } from './checks';

/**
 * What a value must be. TypeScript holds a caller to it; a caller in plain JavaScript or another language may pass
 * anything.
 */
export interface Shape<T> {
  /** Completes a sentence that begins with the property: `must be a queue`. */
  readonly rule: string;
  fits(value: unknown): value is T;
  /** The problems within a value that fits. @default - the value has no parts to check */
  partProblems?(property: string, value: T): Problem[];
}

/** The shape of a property that may be absent. */
export interface Optional<T> {
  readonly optional: Shape<T>;
}

/** A shape for each member of `T`. The compiler refuses a table that lacks a member. */
type Shapes<T> = {
  readonly [K in keyof T]-?: undefined extends T[K] ? Optional<Exclude<T[K], undefined>> : Shape<T[K]>;
};

/** The shape of an object with known members. Members that it does not know are ignored. */
export interface StructShape<T> extends Shape<T> {
  readonly members: Shapes<T>;
}

export function optional<T>(shape: Shape<T>): Optional<T> {
  return { optional: shape };
}

/** A string, which may be empty. */
export const STRING: Shape<string> = {
  rule: 'must be a string',
  fits: (value): value is string => typeof value === 'string' || Token.isUnresolved(value),
};

/** A string that is not empty. */
export const TEXT: Shape<string> = {
  rule: 'must be a string that is not empty',
  fits: (value): value is string => STRING.fits(value) && value !== '',
};

export const NUMBER: Shape<number> = {
  rule: 'must be a number',
  fits: (value): value is number => typeof value === 'number' || Token.isUnresolved(value),
};

export const BOOLEAN: Shape<boolean> = {
  rule: 'must be true or false',
  fits: (value): value is boolean => typeof value === 'boolean' || Token.isUnresolved(value),
};

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An object of a kind that aws-cdk-lib defines. aws-cdk-lib checks its members. */
export const OBJECT: Shape<object> = { rule: 'must be an object', fits: isObject };

/**
 * An object that has the members by which we use it. It need not be an instance of a class, because an app may load
 * aws-cdk-lib twice, and a program in another language implements interfaces with classes of its own.
 */
export function having<T extends object>(noun: string, ...members: readonly (keyof T & string)[]): Shape<T> {
  return {
    rule: `must be ${noun}`,
    fits: (value): value is T => isObject(value) && members.every(member => member in value),
  };
}

/** A value of an enum. The values of an enum of numbers include its names, which are not meant. */
export function enumValue<T extends string | number>(
  name: string,
  values: Readonly<Record<string, string | T>>,
): Shape<T> {
  const all = Object.values(values);
  const meant = new Set<unknown>(all.some(it => typeof it === 'number') ? all.filter(Number.isFinite) : all);
  return {
    rule: `must be a value of ${name}`,
    fits: (value): value is T => meant.has(value) || Token.isUnresolved(value),
  };
}

export function listOf<T>(shape: Shape<T>): Shape<T[]> {
  return {
    rule: 'must be a list',
    fits: (value): value is T[] => Array.isArray(value),
    partProblems: (property, list) =>
      Token.isUnresolved(list) ? [] : list.flatMap((it, index) => misfit(`${property}[${index}]`, it, shape)),
  };
}

export function mapOf<T>(shape: Shape<T>): Shape<{ [key: string]: T }> {
  return {
    rule: 'must be an object',
    fits: (value): value is { [key: string]: T } => isObject(value),
    partProblems: (property, map) =>
      Token.isUnresolved(map)
        ? []
        : Object.entries(map).flatMap(([key, it]) => misfit(`${property}.${key}`, it, shape)),
  };
}

export function struct<T extends object>(members: Shapes<T>): StructShape<T> {
  return {
    rule: 'must be an object',
    fits: (value): value is T => isObject(value),
    partProblems: (property, value) => memberProblems(value, members, `${property}.`),
    members,
  };
}

function memberProblems<T extends object>(value: T, members: Shapes<T>, prefix = ''): Problem[] {
  const given = new Map<string, unknown>(Object.keys(members).map(name => [name, Reflect.get(value, name)]));
  return Object.entries<Shape<unknown> | Optional<unknown>>(members).flatMap(([name, member]) => {
    const it = given.get(name);
    if ('optional' in member) return it === undefined ? [] : misfit(prefix + name, it, member.optional);
    return misfit(prefix + name, it, member);
  });
}

function misfit<T>(property: string, value: unknown, shape: Shape<T>): Problem[] {
  if (shape.fits(value)) return shape.partProblems?.(property, value) ?? [];
  return [wrongValue(property, value, shape.rule)];
}

/** A problem with an argument that shows a construct by its path. */
export function wrongValue(property: string, value: unknown, rule: string): Problem {
  return { property, rule, value: shown(value) };
}

/** A value as an error shows it: at most one level deep, because constructs refer to each other in circles. */
function shown(value: unknown, isPart = false): unknown {
  if (Construct.isConstruct(value)) return value.node.path;
  if (typeof value === 'function') return `function ${value.name}`;
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return isPart ? '[…]' : value.map(it => shown(it, true));
  const { constructor: kind } = value;
  if (kind !== Object && typeof kind === 'function') return `a ${kind.name}`;
  return isPart ? '{…}' : Object.fromEntries(Object.entries(value).map(([key, it]) => [key, shown(it, true)]));
}

export const SCOPE = having<Construct>('a construct', 'node');

const PLACE = struct<{ scope: Construct; id: string }>({ scope: SCOPE, id: TEXT });

/**
 * Checks what a constructor was called with, before anything is created. Other checks may rely on the shapes.
 * @throws one error that names each property that is absent or has the wrong shape, the rule and the value
 */
export function checkNew<T extends object>(
  scope: Construct,
  id: string,
  props: NoInfer<T>,
  shape: StructShape<T>,
): void {
  const problems = [...memberProblems({ scope, id }, PLACE.members), ...propsProblems(props, shape)];
  throwProblems(Construct.isConstruct(scope) ? pathOf(scope, String(id)) : String(id), problems);
}

/**
 * Checks the properties of a class that is no construct.
 * @throws one error that names each property that is absent or has the wrong shape, the rule and the value
 */
export function checkProps<T extends object>(subject: string, props: NoInfer<T>, shape: StructShape<T>): void {
  throwProblems(subject, propsProblems(props, shape));
}

function propsProblems<T extends object>(props: T, shape: StructShape<T>): Problem[] {
  return shape.fits(props) ? memberProblems(props, shape.members) : misfit('props', props, shape);
}

/**
 * Checks the arguments of a method.
 * @param subject the construct or class whose method it is
 * @throws one error that names each argument that is absent or has the wrong shape, the rule and the value
 */
export function checkArguments<T extends object>(subject: IConstruct | string, given: T, shapes: Shapes<T>): void {
  throwProblems(typeof subject === 'string' ? subject : subject.node.path, memberProblems(given, shapes));
}

/** Returns the options of a metric. @throws if they are not an object */
export function metricOptions<T extends object>(subject: IConstruct | string, options: T | undefined): T | undefined {
  checkArguments<{ options?: object | undefined }>(subject, { options }, { options: optional(OBJECT) });
  return options;
}
