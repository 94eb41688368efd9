import { type Condition, givenValue, isCall, isPath, type Operand, valueAt } from './expressions';
import { type Item, typeOf, type Value } from './item';
import { sortText } from './table';

/**
 * Whether an item meets a condition. An attribute that does not exist meets only `attribute_not_exists` and `<>`.
 *
 * @param values the values of the request
 */
export function meets(item: Item, condition: Condition, values: Item): boolean {
  const { type, name = '', args } = condition;
  // The grammar gives these three conditions, and all others operands.
  const conditions = args as readonly Condition[];
  if (type === 'and') return conditions.every(each => meets(item, each, values));
  if (type === 'or') return conditions.some(each => meets(item, each, values));
  if (type === 'not') return !conditions.some(each => meets(item, each, values));
  const [first, ...others] = (args as readonly Operand[]).map(operand => operandValue(operand, item, values));
  return type === 'function' ? FUNCTIONS[name]?.(first, others[0]) === true : compare(type, first, others);
}

function operandValue(operand: Operand, item: Item, values: Item): Value | undefined {
  if (isPath(operand)) return valueAt(item, operand);
  if (!isCall(operand)) return givenValue(operand, values);
  const [measured] = operand.args;
  const value = measured && operandValue(measured, item, values);
  const size = value && sizeOf(value);
  return size === undefined ? undefined : { N: String(size) };
}

function sizeOf({ S, B, SS, NS, BS, L, M }: Value): number | undefined {
  if (S !== undefined) return S.length;
  if (B !== undefined) return Buffer.byteLength(B, 'base64');
  return (SS ?? NS ?? BS ?? L)?.length ?? (M && Object.keys(M).length);
}

type Test = (value: Value | undefined, other: Value | undefined) => boolean;

const FUNCTIONS: Readonly<Record<string, Test>> = {
  attribute_exists: value => value !== undefined,
  attribute_not_exists: value => value === undefined,
  attribute_type: (value, type) => value !== undefined && typeOf(value) === type?.S,
  begins_with: (value, prefix) =>
    value !== undefined &&
    prefix !== undefined &&
    typeOf(value) === typeOf(prefix) &&
    sortText(value).startsWith(sortText(prefix)),
  contains,
};

function compare(operator: string, value: Value | undefined, others: readonly (Value | undefined)[]): boolean {
  const [other, upper] = others;
  switch (operator) {
    case '=':
      return isEqual(value, other);
    case '<>':
      return !isEqual(value, other);
    case 'in':
      return others.some(each => isEqual(value, each));
    case 'between':
      return inOrder(other, value, true) && inOrder(value, upper, true);
    case '<':
    case '<=':
      return inOrder(value, other, operator === '<=');
    default:
      return inOrder(other, value, operator === '>=');
  }
}

/** Values of different types have no order. */
function inOrder(lesser: Value | undefined, greater: Value | undefined, mayBeEqual: boolean): boolean {
  if (!lesser || !greater || typeOf(lesser) !== typeOf(greater) || !/^[SNB]$/.test(typeOf(lesser))) return false;
  const [a, b] = [sortText(lesser), sortText(greater)];
  return a < b || (mayBeEqual && a === b);
}

/** Sets are equal in any order. Numbers are stored in one form, so that equal ones are equal texts. */
function isEqual(a: Value | undefined, b: Value | undefined): boolean {
  if (!a || !b || typeOf(a) !== typeOf(b)) return false;
  const [set, otherSet] = [setOf(a), setOf(b)];
  if (set && otherSet) return set.length === otherSet.length && set.every(each => otherSet.includes(each));
  if (a.L && b.L) return a.L.length === b.L.length && a.L.every((each, i) => isEqual(each, b.L?.[i]));
  if (a.M && b.M) {
    const names = Object.keys(a.M);
    return names.length === Object.keys(b.M).length && names.every(name => isEqual(a.M?.[name], b.M?.[name]));
  }
  return a.S === b.S && a.N === b.N && a.B === b.B && a.BOOL === b.BOOL;
}

export const setOf = ({ SS, NS, BS }: Value): readonly string[] | undefined => SS ?? NS ?? BS;

function contains(value: Value | undefined, part: Value | undefined): boolean {
  if (!value || !part) return false;
  if (value.L) return value.L.some(each => isEqual(each, part));
  const set = setOf(value);
  if (set) return typeOf(value) === `${typeOf(part)}S` && set.includes(part.S ?? part.N ?? part.B ?? '');
  if (value.S !== undefined) return part.S !== undefined && value.S.includes(part.S);
  if (value.B === undefined || part.B === undefined) return false;
  return Buffer.from(value.B, 'base64').includes(Buffer.from(part.B, 'base64'));
}
