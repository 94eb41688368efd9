import type { Problem } from './problem';

export type Check = (value: unknown, property: string) => readonly Problem[];

export interface MemberRule {
  readonly check: Check;
  /** @default false */
  readonly isOptional?: boolean;
}

/** A JSON object whose members have not been checked yet. */
export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function withoutUndefined<T extends object>(members: { readonly [Name in keyof T]: T[Name] | undefined }): T {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as T;
}

/** A single value as a list of one, as in IAM policies. A list is returned as it is. */
export function listOfOneOrMore(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value];
}

/** Parses JSON text. Returns undefined when the text is not JSON, or is not a JSON object. */
export function parseObject(text: string | undefined): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text ?? '');
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Makes a check of one rule. `rule` continues a sentence that begins with the property: `must be a list`. */
export function must(rule: string, isFulfilled: (value: unknown) => boolean): Check {
  return (value, property) => (isFulfilled(value) ? [] : [{ property, rule, value }]);
}

export function isNonEmptyText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

export const nonEmptyText = must('must be a string that is not empty', isNonEmptyText);
export const booleanValue = must('must be true or false', value => typeof value === 'boolean');

/** Both ends are allowed. */
export function wholeNumber(min: number, max: number): Check {
  const isWithin = (value: unknown) => Number.isInteger(value) && Number(value) >= min && Number(value) <= max;
  return must(`must be a whole number from ${min} to ${max}`, isWithin);
}

export function atLeast(min: number): Check {
  return must(`must be a number of at least ${min}`, value => Number.isFinite(value) && Number(value) >= min);
}

export function moreThan(min: number): Check {
  return must(`must be a number greater than ${min}`, value => Number.isFinite(value) && Number(value) > min);
}

export function listOf(check: Check): Check {
  return (value, property) => {
    if (!Array.isArray(value)) return [{ property, rule: 'must be a list', value }];
    return value.flatMap((entry, index) => check(entry, `${property}[${index}]`));
  };
}

/**
 * A member that an object itself has. A name that a user chose may be one that every object inherits, such as `toString` or
 * `__proto__`.
 */
export function ownMember<T>(members: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(members, name) ? members[name] : undefined;
}

/** The rule for a member that no rule is for. */
export const UNKNOWN_MEMBER = 'is not known';

/** Checks every member of an object against a table, and reports members that are not in the table. */
export function memberProblems(
  table: Readonly<Record<string, MemberRule>>,
  value: JsonObject,
  prefix: string,
): Problem[] {
  const unknown = Object.keys(value).filter(name => !Object.hasOwn(table, name));
  return [
    ...Object.entries(table).flatMap(([name, { check, isOptional = false }]) =>
      isOptional && value[name] === undefined ? [] : check(value[name], `${prefix}${name}`),
    ),
    ...unknown.map(name => ({ property: `${prefix}${name}`, rule: UNKNOWN_MEMBER, value: value[name] })),
  ];
}
