import type { PropertyReader } from '../../cloudformation/property-reader';
import type { AwsError } from '../../kernel/aws-error';

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

/** Notes an error of AWS as a property's problem: what a client is told, and what more the trace would be. */
export function refused(properties: PropertyReader, name: string, error: AwsError, value?: unknown): void {
  const why = error.reason === error.message ? '' : `: ${error.reason}`;
  properties.problem(name, `is refused (${error.message}${why})`, value);
}
