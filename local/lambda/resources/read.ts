import type { PropertyReader } from '../../cloudformation/property-reader';
import type { AwsError } from '../../kernel/aws-error';

/** Reads a whole number. If it is invalid, records a problem and returns `otherwise`. */
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

/** Reads one of several texts. If it is invalid, records a problem and returns `otherwise`. */
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

/** Records an AWS error as a problem of a property, with the details that only the trace would contain. */
export function refused(properties: PropertyReader, name: string, error: AwsError, value?: unknown): void {
  const why = error.reason === error.message ? '' : `: ${error.reason}`;
  properties.problem(name, `is refused (${error.message}${why})`, value);
}
