import type { Problem } from './problem';

/** What is wrong with the value of one property. */
export type Check = (value: unknown, property: string) => readonly Problem[];

/** What one property of an object must be. */
export interface MemberRule {
  readonly check: Check;
  /** @default false */
  readonly isOptional?: boolean;
}

/** An object of which nothing is known yet. */
export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The object a text is the JSON of; undefined where it is none. */
export function parseObject(text: string | undefined): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text ?? '');
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** A rule that reads on after the property: `must be a list`. */
export function must(rule: string, isFulfilled: (value: unknown) => boolean): Check {
  return (value, property) => (isFulfilled(value) ? [] : [{ property, rule, value }]);
}

export function isNonEmptyText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

export const nonEmptyText = must('must be a text that is not empty', isNonEmptyText);
export const booleanValue = must('must be true or false', value => typeof value === 'boolean');

/** Both ends included. */
export function wholeNumber(min: number, max: number): Check {
  const isWithin = (value: unknown) => Number.isInteger(value) && Number(value) >= min && Number(value) <= max;
  return must(`must be a whole number from ${min} to ${max}`, isWithin);
}

export function atLeast(min: number): Check {
  return must(`must be a number of at least ${min}`, value => Number.isFinite(value) && Number(value) >= min);
}

export function moreThan(min: number): Check {
  return must(`must be a number of more than ${min}`, value => Number.isFinite(value) && Number(value) > min);
}

export function listOf(check: Check): Check {
  return (value, property) => {
    if (!Array.isArray(value)) return [{ property, rule: 'must be a list', value }];
    return value.flatMap((entry, index) => check(entry, `${property}[${index}]`));
  };
}

/** All that is wrong with the members of an object, and those nobody knows. */
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
    ...unknown.map(name => ({ property: `${prefix}${name}`, rule: 'is not known', value: value[name] })),
  ];
}
