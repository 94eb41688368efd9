import { isMembers, type Members } from '../../kernel/json';

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
