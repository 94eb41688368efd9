import { doubleText } from '../../kernel/double';
import { isObject } from '../../kernel/json';

/** A number that CloudWatch writes with a fraction even if it has none: `30.0`. */
export class Double {
  constructor(readonly value: number) {}
}

/** A JSON document that becomes part of another as it is, with the spelling of its numbers. */
export class JsonDocument {
  constructor(readonly text: string) {}
}

/**
 * Writes JSON as CloudWatch does in notifications, in the alarm history and in the data of a state's reason. Recorded
 * on AWS: `"Period":30,"Threshold":2.0,"recentDatapoints":[21.5]`.
 */
export function jsonText(value: unknown): string {
  if (value instanceof Double) return doubleText(value.value);
  if (value instanceof JsonDocument) return value.text;
  if (Array.isArray(value)) return `[${value.map(item => jsonText(item ?? null)).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${jsonText(member)}`).join(',')}}`;
}
