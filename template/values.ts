import { isObject } from '../policy/json-members';

/** A value that will be known once a resource exists. Whatever is made from it is pending too. */
export const PENDING = Symbol('known once the resource exists');

/** `AWS::NoValue`: takes the property, or list item, that holds it away. */
export const NO_VALUE = Symbol('AWS::NoValue');

/** Is any part of the value still pending? */
export function isPending(value: unknown): boolean {
  if (value === PENDING) return true;
  if (Array.isArray(value)) return value.some(isPending);
  return isObject(value) && Object.values(value).some(isPending);
}

/** A scalar as text; CloudFormation joins and compares numbers and booleans as they are written. */
export function scalarText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}

/** Where a reader puts each problem it finds, so that all of them are reported at once. */
export type NoteProblem = (problem: string) => void;

const LONGEST_SHOWN = 160;

/** A value as a problem shows it: JSON, cut when it is long. */
export function shown(value: unknown): string {
  const json = JSON.stringify(value) ?? String(value);
  return json.length > LONGEST_SHOWN ? `${json.slice(0, LONGEST_SHOWN)}…` : json;
}
