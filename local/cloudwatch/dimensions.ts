import type { Dimension } from '@aws-sdk/client-cloudwatch';

/** AWS's list of name and value as a record. */
export function dimensionsOf(dimensions: readonly Dimension[] | undefined): Readonly<Record<string, string>> {
  return Object.fromEntries((dimensions ?? []).map(({ Name = '', Value = '' }) => [Name, Value]));
}

/** And back. */
export function dimensionList(dimensions: Readonly<Record<string, string>>): Dimension[] {
  return Object.entries(dimensions).map(([Name, Value]) => ({ Name, Value }));
}
