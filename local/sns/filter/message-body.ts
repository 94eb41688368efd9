import { isMembers, jsonOrUndefined, type Members } from '../../kernel/json';

/** The JSON object a text holds, or undefined when it holds none. */
export function parsedObject(text: string): Members | undefined {
  const document = jsonOrUndefined(text);
  return isMembers(document) ? document : undefined;
}
