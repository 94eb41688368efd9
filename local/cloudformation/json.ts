import { existsSync, readFileSync } from 'node:fs';
import { isMembers, type Members } from '../kernel/json';
import type { NoteProblem } from './assembly-error';

/** The value as an object; anything else is noted as a problem, and nothing at all is an empty object. */
export function membersOf(value: unknown, what: string, note: NoteProblem): Members {
  if (value === undefined) return {};
  if (isMembers(value)) return value;
  note(`${what} must be an object`);
  return {};
}

export function stringMember(members: Members, name: string): string | undefined {
  const value = members[name];
  return typeof value === 'string' ? value : undefined;
}

export function stringsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter(item => typeof item === 'string') : [];
}

/** The JSON object in a file, or undefined when there is none; the reason is noted. */
export function readJsonObject(path: string, note: NoteProblem): Members | undefined {
  if (!existsSync(path)) {
    note(`${path} does not exist`);
    return undefined;
  }
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    note(`${path} cannot be read: ${messageOf(error)}`);
    return undefined;
  }
  try {
    const value: unknown = JSON.parse(text);
    if (isMembers(value)) return value;
    note(`${path} must hold a JSON object`);
  } catch (error) {
    note(`${path} is not JSON: ${messageOf(error)}`);
  }
  return undefined;
}

function messageOf(error: unknown): string {
  return isMembers(error) && typeof error['message'] === 'string' ? error['message'] : String(error);
}
