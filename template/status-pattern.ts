/** On three digits, only a group that is counted, as in `((.?){50}){50}`, or a very long pattern can take long. */
const COUNTED_GROUP = /\)\{/;
const LONGEST_PATTERN = 200;

/**
 * Whether the `SelectionPattern` of an integration response matches a whole HTTP status.
 *
 * @returns undefined for a pattern that JavaScript cannot read, or that could take long
 */
export function matchesStatus(pattern: string, status: string): boolean | undefined {
  if (pattern.length > LONGEST_PATTERN || COUNTED_GROUP.test(pattern)) return undefined;
  try {
    return new RegExp(`^(?:${pattern})$`).test(status);
  } catch {
    // The error's text differs between versions of Node.js.
    return undefined;
  }
}
