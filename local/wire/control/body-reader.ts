import { formatProblem, type Problem } from '../../../lib/policy/problem';
import { parseJson } from '../../kernel/json-problem';

/** A request to control that makes no sense; it carries every problem at once. */
export class BadBody extends Error {
  constructor(readonly problems: readonly Problem[]) {
    super(problems.map(formatProblem).join('; '));
  }
}

type Members = Readonly<Record<string, unknown>>;

const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** @throws BadBody when the body is not JSON */
export function parsedBody(body: Uint8Array): unknown {
  const text = Buffer.from(body).toString('utf8');
  return parseJson(text, words => new BadBody([{ property: 'the body', rule: `must be JSON: ${words}`, value: text }]));
}

/** Reads the members of one JSON object, and remembers what is wrong with them. */
export class BodyReader {
  private readonly problems: Problem[] = [];
  private readonly members: Members;
  private readonly read = new Set<string>();

  /** @param path of the object in the body, with a dot at its end. @default - it is the body */
  constructor(
    body: unknown,
    private readonly path = '',
  ) {
    this.members = isMembers(body) ? body : {};
    if (!isMembers(body))
      this.problems.push({
        property: path === '' ? 'the body' : path.slice(0, -1),
        rule: 'must be an object',
        value: body,
      });
  }

  has(name: string): boolean {
    return this.members[name] !== undefined && this.members[name] !== null;
  }

  /** @param isValid whether the value follows the rule; what the rule says is what the user reads */
  optional<T>(name: string, rule: string, isValid: (value: unknown) => value is T): T | undefined {
    this.read.add(name);
    if (!Object.hasOwn(this.members, name) || !this.has(name)) return undefined;
    const value = this.members[name];
    if (isValid(value)) return value;
    this.refuse(name, rule, value);
    return undefined;
  }

  number(name: string, min: number, max = Number.MAX_SAFE_INTEGER): number | undefined {
    const upTo = max === Number.MAX_SAFE_INTEGER ? `${min} or more` : `${min} to ${max}`;
    return this.optional(
      name,
      `must be a number${max === Number.MAX_SAFE_INTEGER ? ' of' : ' from'} ${upTo}`,
      (value): value is number => typeof value === 'number' && value >= min && value <= max,
    );
  }

  wholeNumber(name: string, min: number): number | undefined {
    return this.optional(
      name,
      `must be a whole number of ${min} or more`,
      (value): value is number => Number.isSafeInteger(value) && Number(value) >= min,
    );
  }

  text(name: string): string | undefined {
    return this.optional(name, 'must be a text', (value): value is string => typeof value === 'string');
  }

  refuse(name: string, rule: string, value: unknown): void {
    this.problems.push({ property: this.path + name, rule, value });
  }

  /** Everything wrong so far, with the members nobody asked for. */
  allProblems(): readonly Problem[] {
    const unknown = Object.keys(this.members).filter(name => !this.read.has(name));
    const known = [...this.read].join(', ');
    return [
      ...this.problems,
      ...unknown.map(name => ({
        property: this.path + name,
        rule: `is not known: there are ${known}`,
        value: this.members[name],
      })),
    ];
  }

  /** @throws BadBody when anything is wrong */
  check(): void {
    const problems = this.allProblems();
    if (problems.length > 0) throw new BadBody(problems);
  }
}
