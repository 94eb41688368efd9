import type { PropertyReader } from '../../cloudformation/property-reader';

/** A whole number within limits. Notes the problem, and answers `otherwise`, when it is not. */
export function wholeNumber<Otherwise>(
  properties: PropertyReader,
  name: string,
  { least, most, otherwise }: { readonly least: number; readonly most: number; readonly otherwise: Otherwise },
): number | Otherwise {
  const value = properties.number(name);
  if (value === undefined) return otherwise;
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  properties.problem(name, `must be a whole number from ${least} to ${most}`, value);
  return otherwise;
}

/** One of a few texts. Notes the problem, and answers `otherwise`, when it is another. */
export function oneOf<Text extends string>(
  properties: PropertyReader,
  name: string,
  allowed: readonly Text[],
  otherwise: Text,
): Text {
  const value = properties.string(name);
  if (value === undefined) return otherwise;
  const found = allowed.find(text => text === value);
  if (found === undefined) properties.problem(name, `must be one of ${allowed.join(', ')}`, value);
  return found ?? otherwise;
}
