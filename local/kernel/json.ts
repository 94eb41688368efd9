import { isTooDeep } from './json-problem';

/** An object as JSON gives it. */
export type Members = Readonly<Record<string, unknown>>;

export function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * The JSON document a text is; undefined when it is none, or nested too deeply. For texts that may well be no JSON: see
 * `parseJson` for those that have to be.
 */
export function jsonOrUndefined(text: string): unknown {
  if (isTooDeep(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    // That it is no JSON is an answer, not a failure.
    return undefined;
  }
}
