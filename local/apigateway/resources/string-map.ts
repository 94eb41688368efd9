import type { PropertyReader } from '../../cloudformation/property-reader';

/** An object whose members are all strings; numbers and booleans become text, as CloudFormation takes them. */
export function stringMap(properties: PropertyReader, name: string): Readonly<Record<string, string>> {
  const entries = Object.entries(properties.document(name) ?? {});
  const unfit = entries.filter(([, value]) => !['string', 'number', 'boolean'].includes(typeof value));
  for (const [key, value] of unfit) properties.problem(`${name}.${key}`, 'must be a string', value);
  return Object.fromEntries(entries.map(([key, value]) => [key, String(value)]));
}
