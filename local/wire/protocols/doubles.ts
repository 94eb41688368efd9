import { doubleText } from '../../kernel/double';
import { isObject } from '../../kernel/json';

/**
 * The members of all services that AWS's models type as doubles, as lists or as maps of them. The schemas of the SDK's
 * clients do not distinguish doubles from integers.
 */
export const DOUBLE_MEMBERS: ReadonlySet<string> = new Set([
  'AdditionalVersionWeights',
  'Average',
  'Counts',
  'ExecutionEnvironmentMemoryGiBPerVCpu',
  'ExtendedStatistics',
  'Maximum',
  'Minimum',
  'SampleCount',
  'Sum',
  'TargetValue',
  'Threshold',
  'Value',
  'Values',
  'defaultValue',
]);

/** Writes the numbers of a value as AWS writes doubles (recorded on AWS: `30.0`), and the rest as JSON. */
export function doublesAsJson(value: unknown): string {
  if (typeof value === 'number' && Number.isFinite(value)) return doubleText(value);
  if (Array.isArray(value)) return `[${value.map(doublesAsJson).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value) ?? 'null';
  return `{${Object.entries(value)
    .map(([key, entry]) => `${JSON.stringify(key)}:${doublesAsJson(entry)}`)
    .join(',')}}`;
}

/** Replaces the numbers in an answer's double members by their text, for a protocol in which every scalar is text. */
export function withDoublesAsText(value: unknown, isDouble = false): unknown {
  if (typeof value === 'number') return isDouble ? doubleText(value) : value;
  if (Array.isArray(value)) return value.map(item => withDoublesAsText(item, isDouble));
  if (!isObject(value) || value instanceof Date || value instanceof Uint8Array) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      withDoublesAsText(member, isDouble || DOUBLE_MEMBERS.has(name)),
    ]),
  );
}
