import { existsSync, readFileSync } from 'node:fs';
import type { NoteProblem } from '../../template/problems';
import { isMembers, type Members } from '../kernel/json';
import { jsonProblem } from '../kernel/json-problem';

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
  const problem = jsonProblem(text);
  if (problem) {
    note(`${path} is not JSON: ${problem.reason} at line ${problem.line}, column ${problem.column}`);
    return undefined;
  }
  const value: unknown = JSON.parse(text);
  if (isMembers(value)) return value;
  note(`${path} must hold a JSON object`);
  return undefined;
}

function messageOf(error: unknown): string {
  return isMembers(error) && typeof error['message'] === 'string' ? error['message'] : String(error);
}
