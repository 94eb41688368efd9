import { isObject } from '../policy/json-members';

/** A value that is only known when a resource exists. Everything computed from it is pending too. */
export const PENDING = Symbol('known once the resource exists');

/** `AWS::NoValue`: removes the property or list item. */
export const NO_VALUE = Symbol('AWS::NoValue');

export function isPending(value: unknown): boolean {
  if (value === PENDING) return true;
  if (Array.isArray(value)) return value.some(isPending);
  return isObject(value) && Object.values(value).some(isPending);
}

/** A scalar as text. CloudFormation joins and compares numbers and booleans as they are written. */
export function scalarText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}

/** Collects problems, so that all of them are reported at once. */
export type NoteProblem = (problem: string) => void;

const LONGEST_SHOWN = 160;

/** Formats a value for a problem: JSON, cut if it is long. */
export function shown(value: unknown): string {
  const json = JSON.stringify(value) ?? String(value);
  return json.length > LONGEST_SHOWN ? `${json.slice(0, LONGEST_SHOWN)}…` : json;
}
