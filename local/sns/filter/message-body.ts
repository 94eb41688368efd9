type Members = Readonly<Record<string, unknown>>;

/** A JSON object as opposed to an array, a scalar or null. */
export function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The JSON object a text holds, or undefined when it holds none. */
export function parsedObject(text: string): Members | undefined {
  try {
    const parsed: unknown = JSON.parse(text);
    return isMembers(parsed) ? parsed : undefined;
  } catch {
    // Not JSON: a filter policy on the body turns such a message away, and a metric of its own tells.
    return undefined;
  }
}
