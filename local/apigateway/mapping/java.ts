import { LinearRegex } from '../../kernel/linear-regex';
import { TemplateFailure } from './template-failure';

/**
 * How API Gateway writes a value into a template's text: nothing for what is missing or null, a list as JSON, an object
 * as Java writes a map, with the lists in it as JSON again.
 */
export function asText(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (Array.isArray(value)) return JSON.stringify(value);
  if (typeof value === 'object') return javaMap(value);
  return String(value);
}

function javaMap(value: object): string {
  const entries = Object.entries(value).map(([key, member]) => `${key}=${member === null ? 'null' : asText(member)}`);
  return `{${entries.join(', ')}}`;
}

interface MethodCall {
  readonly property: string;
  readonly context: unknown;
  readonly params: readonly unknown[];
}

type JavaMethod = (target: unknown, params: readonly unknown[]) => unknown;

const sizeOf = (target: unknown): number =>
  typeof target === 'string' || Array.isArray(target) ? target.length : Object.keys(Object(target)).length;

/** The template chooses the pattern, and whoever sends the request what it is matched with. */
function regexIn(pattern: unknown): LinearRegex {
  const regex = LinearRegex.compile(String(pattern));
  if (regex) return regex;
  throw new TemplateFailure(`${String(pattern)} is no regular expression, or one that looks ahead, back or at groups`);
}

/** Java's methods of strings, lists and maps that templates use and JavaScript does not have, or has otherwise. */
const JAVA_METHODS: Readonly<Record<string, JavaMethod>> = {
  length: sizeOf,
  isEmpty: target => sizeOf(target) === 0,
  equals: (target, [other]) => target === other,
  equalsIgnoreCase: (target, [other]) => String(target).toLowerCase() === String(other).toLowerCase(),
  contains: (target, [part]) => (Array.isArray(target) ? target.includes(part) : String(target).includes(String(part))),
  containsKey: (target, [key]) => Object.hasOwn(Object(target), String(key)),
  containsValue: (target, [value]) => Object.values(Object(target)).includes(value),
  values: target => Object.values(Object(target)),
  replaceAll: (target, [pattern, by]) => regexIn(pattern).replaceAll(String(target), String(by)),
  replaceFirst: (target, [pattern, by]) => regexIn(pattern).replaceFirst(String(target), String(by)),
  matches: (target, [pattern]) => regexIn(`^(?:${String(pattern)})$`).test(String(target)),
};

const javaMethods = Object.entries(JAVA_METHODS).map(([name, run]) => ({
  uid: `java ${name}`,
  match: ({ property, context }: MethodCall): boolean => property === name && !ownFunction(context, name),
  resolve: ({ context, params }: MethodCall): unknown => run(context, params),
}));

const methodOf = ({ property, context }: MethodCall): unknown => Reflect.get(Object(context), property);

/** A method JavaScript has as well, such as `substring`: what it makes of its arguments is the template's affair. */
const sharedMethod = {
  uid: 'a method of the value',
  match: (call: MethodCall): boolean =>
    typeof methodOf(call) === 'function' && !ownFunction(call.context, call.property),
  resolve: (call: MethodCall): unknown => {
    const method = methodOf(call);
    if (typeof method !== 'function') return undefined;
    try {
      return Reflect.apply(method, call.context, call.params);
    } catch (error) {
      throw new TemplateFailure(`${call.property}: ${error instanceof Error ? error.message : String(error)}`);
    }
  },
};

/** The methods, for velocityjs; a member of the target's own that has the same name comes first. */
export const javaMethodHandlers = [...javaMethods, sharedMethod];

function ownFunction(target: unknown, name: string): boolean {
  return (
    typeof target === 'object' &&
    target !== null &&
    Object.hasOwn(target, name) &&
    typeof Reflect.get(target, name) === 'function'
  );
}
